// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "rule.hpp"

#include <array>
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <sstream>
#include <utility>

namespace {

using std::chrono::milliseconds;

/// `08:00`, whose expression is `0 8 * * *`.
std::string canonicalTimeOfDay(const jtimer::Cron& timeOfDay) {
    int minute = 0, hour = 0;
    std::sscanf(timeOfDay.expression().c_str(), "%d %d", &minute, &hour);
    std::array<char, 16> text{};
    std::snprintf(text.data(), text.size(), "%02d:%02d", hour, minute);
    return text.data();
}

std::string canonicalExpression(const jtimer::Cron& rule) {
    std::istringstream fields(rule.expression());
    std::string text, field;
    while (fields >> field) text += (text.empty() ? "" : " ") + field;
    return '"' + text + '"';
}

std::string zoneOf(const jtimer::Cron& rule) {
    return rule.zone().name().empty() ? "" : ' ' + rule.zone().name();
}

}  // namespace

std::string inCanonicalForm(milliseconds duration) {
    constexpr std::array<std::pair<std::int64_t, const char*>, 4> kUnits{
        {{86'400'000, "d"}, {3'600'000, "h"}, {60'000, "m"}, {1000, "s"}}};
    for (const auto& [length, unit] : kUnits) {
        if (duration.count() != 0 && duration.count() % length == 0)
            return std::to_string(duration.count() / length) + unit;
    }
    return std::to_string(duration.count()) + "ms";
}

std::string inCanonicalForm(jtimer::Date date) {
    const auto time = date.time_since_epoch();
    const auto seconds = std::chrono::floor<std::chrono::seconds>(time);
    const auto millis = std::chrono::duration_cast<milliseconds>(time - seconds);
    const auto whole = static_cast<std::time_t>(seconds.count());
    std::tm utc{};
    gmtime_r(&whole, &utc);
    std::array<char, 64> text{};
    std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%S", &utc);
    std::string result = text.data();
    if (millis.count() != 0) {
        std::snprintf(text.data(), text.size(), ".%03d", static_cast<int>(millis.count()));
        result += text.data();
    }
    return result + 'Z';
}

std::string ruleOf(const Entry& entry) {
    std::string after = "after " + inCanonicalForm(entry.after);
    switch (entry.kind) {
    case Entry::Kind::After:
        return after;
    case Entry::Kind::At:
        if (!entry.calendar) return "at " + inCanonicalForm(entry.at);
        return "at " + canonicalTimeOfDay(*entry.calendar) + zoneOf(*entry.calendar);
    case Entry::Kind::Cron:
        return "cron " + canonicalExpression(*entry.calendar) + zoneOf(*entry.calendar);
    case Entry::Kind::Every:
    case Entry::Kind::Rate:
        break;
    }
    return (entry.kind == Entry::Kind::Every ? "every " : "rate ") + inCanonicalForm(entry.period) +
           (entry.after.count() == 0 ? "" : ' ' + after);
}

bool isChanged(const Entry& before, const Entry& after) {
    return ruleOf(before) != ruleOf(after) || before.options != after.options ||
           before.command != after.command;
}

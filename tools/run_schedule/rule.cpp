// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "rule.hpp"

#include "../text/time_text.hpp"

#include <array>
#include <cstdio>
#include <sstream>

namespace {

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

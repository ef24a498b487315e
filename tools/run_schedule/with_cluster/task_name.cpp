// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "task_name.hpp"

#include <array>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <utility>

namespace {

/// In the largest unit that divides it: 60s is 1m.
std::string canonical(std::chrono::milliseconds duration) {
    constexpr std::array<std::pair<std::int64_t, const char*>, 4> kUnits{
        {{86'400'000, "d"}, {3'600'000, "h"}, {60'000, "m"}, {1000, "s"}}};
    for (const auto& [length, unit] : kUnits) {
        if (duration.count() != 0 && duration.count() % length == 0)
            return std::to_string(duration.count() / length) + unit;
    }
    return std::to_string(duration.count()) + "ms";
}

/// In UTC, whatever offset it was written with.
std::string canonical(jtimer::Date date) {
    const auto time = date.time_since_epoch();
    const auto seconds = std::chrono::floor<std::chrono::seconds>(time);
    const auto millis = std::chrono::duration_cast<std::chrono::milliseconds>(time - seconds);
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

/// `8:00 Europe/Berlin`, whose expression is `0 8 * * *`.
std::string canonical(const jtimer::Cron& timeOfDay) {
    int minute = 0, hour = 0;
    std::sscanf(timeOfDay.expression().c_str(), "%d %d", &minute, &hour);
    std::array<char, 16> text{};
    std::snprintf(text.data(), text.size(), "%02d:%02d ", hour, minute);
    return text.data() + timeOfDay.zone().name();
}

}  // namespace

std::string taskNameOf(const Entry& entry) {
    if (entry.repeats()) return entry.name;
    if (entry.kind == Entry::Kind::After) return entry.name + " after " + canonical(entry.after);
    return entry.name + " at " +
           (entry.calendar ? canonical(*entry.calendar) : canonical(entry.at));
}

std::string taskIdOf(const Entry& entry) { return entry.repeats() ? "repeats" : "once"; }

std::string lineNameOf(const std::string& taskName) {
    return taskName.substr(0, taskName.find(' '));
}

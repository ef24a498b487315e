// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include <jtimer/jdk/timer_stats.hpp>

#include <iomanip>
#include <ostream>
#include <sstream>
#include <string>

namespace jtimer {

using std::chrono::nanoseconds;

namespace {

/// The time in the largest unit of which it has at least one, with three decimals.
std::string text(nanoseconds time) {
    struct Unit {
        std::int64_t nanos;
        const char* name;
    };
    constexpr Unit units[] = {{1'000'000'000, " s"}, {1'000'000, " ms"}, {1000, " us"}};
    for (const Unit& unit : units) {
        if (time.count() < unit.nanos) continue;
        std::ostringstream out;
        out << time.count() / unit.nanos << '.' << std::setfill('0') << std::setw(3)
            << time.count() % unit.nanos / (unit.nanos / 1000) << unit.name;
        return out.str();
    }
    return std::to_string(time.count()) + " ns";
}

}  // namespace

std::ostream& operator<<(std::ostream& out, const TimerStats& stats) {
    std::ostringstream table;
    const auto line = [&table](const char* name, const std::string& value) {
        table << std::left << std::setw(16) << name << std::right << std::setw(16) << value << '\n';
    };
    line("pending", std::to_string(stats.pending));
    line("scheduled", std::to_string(stats.scheduled));
    line("executed", std::to_string(stats.executed));
    line("cancelled", std::to_string(stats.cancelled));
    line("discarded", std::to_string(stats.discarded));
    line("failed", std::to_string(stats.failed));
    line("missed", std::to_string(stats.missed));
    line("wake-ups", std::to_string(stats.wakeUps));
    line("busy", text(stats.busy));
    line("lateness p50", text(stats.lateness.percentile(50)));
    line("lateness p90", text(stats.lateness.percentile(90)));
    line("lateness p99", text(stats.lateness.percentile(99)));
    line("lateness p99.9", text(stats.lateness.percentile(99.9)));
    line("lateness max", text(stats.lateness.max()));
    return out << table.str();
}

}  // namespace jtimer

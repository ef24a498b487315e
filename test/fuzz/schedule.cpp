// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "fuzz/target.hpp"

#include "run_schedule/rule.hpp"
#include "run_schedule/schedule_file.hpp"
#include "text/time_text.hpp"

#include <algorithm>
#include <sstream>
#include <string>

namespace {

bool isSame(const Entry& a, const Entry& b) {
    return a.command == b.command && a.options == b.options && a.kind == b.kind &&
           a.after == b.after && a.at == b.at && a.period == b.period && a.overlap == b.overlap &&
           a.retry.times == b.retry.times && a.retry.delay == b.retry.delay && a.name == b.name &&
           a.calendar.has_value() == b.calendar.has_value() &&
           (!a.calendar || ruleOf(a) == ruleOf(b));
}

Schedule parse(const std::string& text) {
    std::istringstream file(text);
    return parseSchedule(file, "f");
}

/// An entry in canonical form, alone, is the same entry.
void checkAlone(const Entry& entry) {
    const Schedule alone =
        parse(ruleOf(entry) + ' ' + entry.options + ' ' + entry.name + ' ' + entry.command);
    MODEL_REQUIRE(alone.errors.empty());
    MODEL_REQUIRE(alone.entries.size() == 1 && isSame(alone.entries.front(), entry));
    MODEL_REQUIRE(!entry.name.empty() && !entry.command.empty());
    MODEL_REQUIRE(!entry.repeats() || entry.calendar || entry.period.count() > 0);
    const jtimer::Date now{std::chrono::hours(24) * 365 * 60};
    if (entry.calendar) MODEL_REQUIRE(entry.firstDate(now) > now);
    // What is written is what was read, to the millisecond.
    if (entry.kind == Entry::Kind::At && !entry.calendar)
        MODEL_REQUIRE(parseDate(formatDate(entry.at)) == entry.at);
}

void play(fuzz::Choices choices) {
    const std::string text = choices.text();
    const Schedule schedule = parse(text);
    const auto lines = static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n')) + 1;
    MODEL_REQUIRE(schedule.entries.size() + schedule.errors.size() <= lines + 1);
    for (const std::string& error : schedule.errors) MODEL_REQUIRE(error.rfind("f:", 0) == 0);
    for (const Entry& entry : schedule.entries) checkAlone(entry);
}

const fuzz::Target target("schedule", play);

}  // namespace

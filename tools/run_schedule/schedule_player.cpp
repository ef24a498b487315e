// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "schedule_player.hpp"

#include "../text/time_text.hpp"
#include "rule.hpp"

std::string skippedAsPast(const Entry& entry, jtimer::Date when) {
    return "the time of " + entry.name + " is past: " + formatDate(when) + "; --catch-up runs it";
}

Event skippedAsLate(const Due& due, jtimer::Date now) {
    Event event = eventOf(Event::Kind::Skipped, due, now);
    event.reason = "it is too late: start-within=" + inCanonicalForm(*due.entry->startWithin);
    return event;
}

SchedulePlayer::Changes changesBetween(const EntriesByName& before, const EntriesByName& after) {
    const auto isChanged = [](const Entry& one, const Entry& other) {
        return ruleOf(one) != ruleOf(other) || one.options != other.options ||
               one.command != other.command;
    };
    SchedulePlayer::Changes changes;
    for (const auto& [name, entry] : after) {
        const auto known = before.find(name);
        if (known == before.end()) {
            ++changes.added;
        } else if (isChanged(*known->second, *entry)) {
            ++changes.changed;
        }
    }
    changes.removed = static_cast<int>(before.size() - after.size()) + changes.added;
    return changes;
}

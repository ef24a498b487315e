// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "schedule_player.hpp"

#include "time_text.hpp"

std::string skippedAsPast(const Entry& entry, jtimer::Date when) {
    return "the time of " + entry.name + " is past: " + formatDate(when) + "; --catch-up runs it";
}

Event skippedAsLate(const Due& due, jtimer::Date now) {
    Event event = eventOf(Event::Kind::Skipped, due, now);
    event.reason = "it is too late: start-within=" + inCanonicalForm(*due.entry->startWithin);
    return event;
}

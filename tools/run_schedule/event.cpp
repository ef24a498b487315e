// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "event.hpp"

#include "../text/time_text.hpp"

#include <array>
#include <cstddef>

Event eventOf(Event::Kind kind, const Job& job, jtimer::Date time) {
    Event event;
    event.kind = kind;
    event.time = time;
    event.task = job.entry->name;
    event.due = job.date;
    event.attempt = job.attempt;
    event.retries = job.entry->retry.times;
    return event;
}

Event eventOf(Event::Kind kind, const Due& due, jtimer::Date time) {
    return eventOf(kind, Job{due.entry, {}, 1, due.date, due.place}, time);
}

const char* nameOf(Event::Kind kind) {
    constexpr std::array<const char*, 6> kNames{"started", "succeeded", "failed",
                                                "retried", "skipped",   "overrun"};
    return kNames.at(static_cast<std::size_t>(kind));
}

std::string lineOf(const Event& event) {
    switch (event.kind) {
    case Event::Kind::Started:
        return "[started]";
    case Event::Kind::Succeeded:
        return "[succeeded after " + inWords(event.duration) + ']';
    case Event::Kind::Failed:
        return "[failed: " + event.reason + ']';
    case Event::Kind::Retried:
        return "[retry " + std::to_string(event.attempt - 1) + " of " +
               std::to_string(event.retries) + ']';
    case Event::Kind::Skipped:
        return "[skipped: " + event.reason + ']';
    case Event::Kind::Overrun:
        break;
    }
    return "[still running after " + inWords(event.duration) + ']';
}

const char* nameOf(Level level) {
    constexpr std::array<const char*, 3> kNames{"info", "warning", "error"};
    return kNames.at(static_cast<std::size_t>(level));
}

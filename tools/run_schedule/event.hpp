// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "dispatcher.hpp"

#include <jtimer/time.hpp>

#include <chrono>
#include <string>

/// Something that has happened to a run of a task.
struct Event {
    enum class Kind {
        Started,    ///< a command has begun
        Succeeded,  ///< it has ended
        Failed,     ///< it has ended, or could not begin
        Retried,    ///< it is about to begin again
        Skipped,    ///< a run that was due does not begin
        Overrun,    ///< a run is in progress, and the next one is due
    };

    Kind kind = Kind::Started;
    jtimer::Date time{};  ///< when it happened; this and the next by the wall clock
    std::string task;
    jtimer::Date due{};  ///< when the run was due
    int attempt = 1;     ///< greater than 1: a retry
    int retries = 0;     ///< Retried: how many there may be
    std::chrono::nanoseconds duration{
        0};              ///< Succeeded and Failed: of the command; Overrun: so far
    int exitStatus = 0;  ///< Failed, unless there is a signal
    int signal = 0;      ///< Failed: the one that has killed the command, or 0
    std::string reason;  ///< Failed and Skipped
};

Event eventOf(Event::Kind kind, const Job& job, jtimer::Date time);
Event eventOf(Event::Kind kind, const Due& due, jtimer::Date time);

/// `started`
const char* nameOf(Event::Kind kind);

/// What a line of output says of it: `[failed: exit status 3]`.
std::string lineOf(const Event& event);

/// How much a notice matters.
enum class Level { Info, Warning, Error };

/// `info`
const char* nameOf(Level level);

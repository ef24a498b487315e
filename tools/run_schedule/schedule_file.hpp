// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include <jtimer/timer.hpp>

#include <chrono>
#include <istream>
#include <string>
#include <string_view>
#include <vector>

/// \file
/// A schedule file is text; each line has a time, a name, and a command:
///
///     line     = when name command | comment | nothing
///     when     = "after" duration                          once, from the start
///              | "at" date                                 once, by the wall clock
///              | "every" duration ["after" duration]       with a fixed delay
///              | "rate" duration ["after" duration]        at a fixed rate
///     duration = as parseDuration() reads it; of "every" and "rate", not 0
///     date     = as parseDate() reads it
///     name     = a word other than "after", "at", "every" and "rate"
///     command  = the rest of the line, for /bin/sh; more than a comment of the shell
///     comment  = "#" and the rest of the line
///
/// Spaces and tabs separate words, and may begin a line. A line ends in LF or CR LF, and is at most
/// 1 MiB long. A byte order mark at the beginning of the file is skipped.

/// One line of a schedule file: a time, a name, and a command.
struct Entry {
    enum class Kind { After, At, Every, Rate };

    Kind kind = Kind::After;
    std::chrono::milliseconds after{0};   ///< from the start to the first run; not for At
    jtimer::Date at{};                    ///< the time of the run; At only
    std::chrono::milliseconds period{0};  ///< Every (fixed delay) and Rate (fixed rate) only
    std::string name;
    std::string command;  ///< for /bin/sh, as written in the file

    bool repeats() const { return kind == Kind::Every || kind == Kind::Rate; }
};

struct Schedule {
    std::vector<Entry> entries;  ///< in the order of the file
    std::vector<std::string>
        errors;  ///< `FILE:LINE: what is wrong, and what was expected`, one for each bad line
};

/// Reads a whole schedule file. Records an error for each bad line and continues, but stops after a
/// hundred errors, or at a line that is too long: then the file is not a schedule.
/// \param fileName the name to show in errors
Schedule parseSchedule(std::istream& file, const std::string& fileName);

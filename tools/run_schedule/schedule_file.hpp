// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "entry.hpp"

#include <istream>
#include <string>
#include <vector>

/// \file
/// A schedule file is text; each line has a time, options, a name, and a command:
///
///     line     = when {option} name command | comment | nothing
///     when     = "after" duration                          once, from the start
///              | "at" date                                 once, by the wall clock
///              | "at" HH:MM [zone]                         once, the next time it is so late
///              | "every" duration ["after" duration]       with a fixed delay
///              | "rate" duration ["after" duration]        at a fixed rate
///              | "daily" HH:MM [zone]                      each day, by the wall clock
///              | "cron" '"' expression '"' [zone]          as cron(5), by the wall clock
///     duration = as parseDuration() reads it; of "every" and "rate", not 0
///     date     = as parseDate() reads it
///     zone     = a word that Zone knows, or with "/" and without "="; otherwise, local time
///     option   = "overlap=" ("wait" | "skip" | "kill")     see Overlap
///              | "retry=" times ["/" duration]             see Retry
///     name     = a word without "=" that does not begin a time, and is no zone; each occurs once
///     command  = the rest of the line, for /bin/sh; more than a comment, and not an option first
///     comment  = "#" and the rest of the line
///
/// Spaces and tabs separate words, and may begin a line. A line ends in LF or CR LF, and is at most
/// 1 MiB long. A byte order mark at the beginning of the file is skipped.

struct Schedule {
    std::vector<Entry> entries;  ///< in the order of the file
    std::vector<std::string>
        errors;  ///< `FILE:LINE: what is wrong, and what was expected`, one for each bad line
};

/// Reads a whole schedule file. Records an error for each bad line and continues, but stops after a
/// hundred errors, or at a line that is too long: then the file is not a schedule.
/// \param fileName the name to show in errors
Schedule parseSchedule(std::istream& file, const std::string& fileName);

/// Opens and reads a schedule file.
/// \param fileName `-` for standard input
/// \throws std::runtime_error if the file cannot be read, has a bad line, or has no task
std::vector<Entry> readSchedule(const std::string& fileName);

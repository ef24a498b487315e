// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "entry.hpp"
#include "file_version.hpp"

#include <istream>
#include <map>
#include <set>
#include <string>
#include <vector>

/// \file
/// A schedule file is text; each line has a time, options, a name, and a command:
///
///     line     = when {option} name command | variable | comment | nothing
///     when     = "after" duration                          once, from the start
///              | "at" date                                 once, by the wall clock
///              | "at" HH:MM [zone]                         once, the next time it is so late
///              | "every" duration ["after" duration]       with a fixed delay
///              | "rate" duration ["after" duration]        at a fixed rate
///              | "daily" HH:MM [zone]                      each day, by the wall clock
///              | "cron" '"' expression '"' [zone]          as cron(5), by the wall clock
///     duration = as parseDuration() reads it; of "every" and "rate", not 0
///     date     = as parseDate() reads it
///     zone     = a word that Zone knows, or with "/" and without "="; otherwise, that of CRON_TZ
///     option   = see line_options.cpp
///     name     = a word without "=" that does not begin a time, and is no zone; each occurs once
///     command  = the rest of the line, for the shell; more than a comment, and not an option first
///     variable = see Variables
///     comment  = "#" and the rest of the line
///
/// Spaces and tabs separate words, and may begin a line. A line ends in LF or CR LF, and is at most
/// 1 MiB long. A byte order mark at the beginning of the file is skipped.
///
/// A crontab is the same but for the lines with a time: see Crontab.

/// What the lines of a file are.
enum class Format {
    Schedule,
    Crontab,
    System,  ///< a crontab whose commands follow the name of a user
};

/// How files are to be read.
struct Reading {
    Format format = Format::Schedule;
    Entry defaults;              ///< has what the lines do not say
    bool namesMustLast = false;  ///< two lines of a crontab must not be told apart by their order
};

/// One or more files, which are one schedule.
struct Schedule {
    std::vector<Entry> entries;  ///< in the order of the files
    std::vector<std::string>
        errors;  ///< `FILE:LINE: what is wrong, and what was expected`, one for each bad line
    std::set<std::string> notices;  ///< what people should know, of all files

    /// A line of a crontab: `text`, or the entry of that index.
    struct Line {
        std::string text;
        int entry = -1;
    };
    std::vector<Line> lines;  ///< all of a crontab, but none of a schedule file

    std::vector<FileVersion> versions;  ///< of the files, before they were read
};

/// Reads a whole schedule file. Records an error for each bad line and continues, but stops after a
/// hundred errors, or at a line that is too long: then the file is not a schedule.
/// \param fileName the name to show in errors
Schedule parseSchedule(std::istream& file, const std::string& fileName,
                       const Reading& reading = {});

/// Opens and reads files.
/// \param fileNames `-` for standard input
/// \throws std::runtime_error if a file cannot be read or has a bad line, or none has a task
Schedule readSchedule(const std::vector<std::string>& fileNames, const Reading& reading);

// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include <jtimer/timer.hpp>

#include <chrono>
#include <istream>
#include <string>
#include <string_view>
#include <vector>

/// One line of a schedule file: when, a name, and a command.
struct Entry {
    enum class Kind { After, At, Every, Rate };

    Kind kind = Kind::After;
    std::chrono::milliseconds after{0};   ///< the first run, from the start; all but At
    jtimer::Date at{};                    ///< the run; At only
    std::chrono::milliseconds period{0};  ///< Every (fixed delay) and Rate (fixed rate) only
    std::string name;
    std::string command;  ///< for /bin/sh, as it stands in the file

    bool repeats() const { return kind == Kind::Every || kind == Kind::Rate; }
};

struct Schedule {
    std::vector<Entry> entries;  ///< in the order of the file
    std::vector<std::string>
        errors;  ///< `FILE:LINE: what is wrong, and what was expected`, one a line
};

/// Reads a whole schedule file. A bad line becomes an error, and the reading goes on.
/// \param fileName for the errors
Schedule parseSchedule(std::istream& file, const std::string& fileName);

/// `500ms`, `10s`, `5m`, `2h`, `1d`. No more than a hundred years, so that the sum of a few of them
/// and the present time is a Date still.
/// \throws std::invalid_argument that says what is wrong, and what was expected
std::chrono::milliseconds parseDuration(std::string_view text);

/// `2030-01-01T08:00:00` or `2030-01-01T08:00:00.250`, in local time. Of a time that the clocks
/// show twice, the
/// first. \throws std::invalid_argument that says what is wrong, and what was expected
jtimer::Date parseLocalTime(std::string_view text);

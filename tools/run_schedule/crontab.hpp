// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include <string_view>

/// What separates the words of a line, also in a schedule.
inline constexpr std::string_view kBlanks = " \t";

/// Does nothing unless the line is one of a crontab, which people may take a schedule file for.
/// \param line without blanks at its beginning
/// \throws std::invalid_argument that says what to write instead
void refuseCrontab(std::string_view line);

// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "entry.hpp"
#include "words.hpp"

#include <string>
#include <string_view>

/// \file
/// The options of lines, `NAME=VALUE`: they stand before the name of a line, in the comment above a
/// line of a crontab, and in --defaults.

/// Whether the word begins with the name of an option and `=`.
bool isOption(std::string_view word);

/// Whether the entry has the option in its own words, and not by --defaults.
bool hasOption(const Entry& entry, const std::string& name);

/// Takes all options that come next.
/// \throws std::invalid_argument that says what is wrong, and what was expected
void takeOptions(Words& words, Entry& entry);

/// Takes the value of --defaults: options, which are no part of any line.
/// \throws std::invalid_argument likewise, also if there is anything else
void takeDefaults(const std::string& options, Entry& defaults);

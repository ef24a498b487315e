// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// \file
/// What all parsers of schedules and options need: a whole number, and the words of a refusal or a
/// notice.

/// Reads a whole number from 1 to `most`.
/// \returns nothing if it is another one, or none
std::optional<int> parseCount(std::string_view text, int most);

/// `text` in quotes, with escapes for what a terminal does not print, for messages.
std::string inQuotes(std::string_view text);

/// The texts, with the separator between them.
std::string joined(const std::vector<std::string>& texts, std::string_view separator);

/// \throws std::invalid_argument "WRONG: expected EXPECTED"
[[noreturn]] void failExpecting(const std::string& wrong, const std::string& expected);

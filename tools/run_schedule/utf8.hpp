// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

/// \file
/// Schedules and the output of commands may hold any bytes. Terminals, JSON and Prometheus want
/// UTF-8, and terminals also want no control characters.

/// How many bytes the first character of `text` takes; 0 if it is not one of UTF-8.
std::size_t characterSize(std::string_view text);

/// Whether a byte of UTF-8 is the first one of a character.
inline bool beginsCharacter(char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }

/// Whether `text` is UTF-8 without control characters.
bool isPrintable(std::string_view text);

/// `text` with a replacement character (U+FFFD) for each byte that is not UTF-8.
std::string inUtf8(std::string_view text);

/// `text` with an escape such as \x1b for each byte that is not UTF-8 or is a control character.
std::string inPrintable(std::string_view text);

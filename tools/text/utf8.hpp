// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

/// \file
/// Schedules, the output of commands and the errors of tasks may hold any bytes. Terminals, JSON
/// and Prometheus want UTF-8, and terminals also want no control characters.

/// How many bytes the first character of `text` takes; 0 if it is not one of UTF-8.
std::size_t characterSize(std::string_view text);

/// Whether a byte of UTF-8 is the first one of a character.
inline bool beginsCharacter(char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }

/// Whether `text` is UTF-8 without control characters.
bool isPrintable(std::string_view text);

/// `text` with a replacement character (U+FFFD) for each byte that is not UTF-8.
std::string inUtf8(std::string_view text);

/// Whether the first character of `text`, of UTF-8, is a control character, or one that changes the
/// direction of what follows, so that people read something else than is there: U+061C, U+200E,
/// U+200F, U+202A to U+202E, U+2066 to U+2069.
bool isInvisible(std::string_view text);

/// The number of the first character of `text`; 0 if it is not one of UTF-8.
char32_t codeOf(std::string_view text);

/// `text` with an escape such as \x1b for each byte that is not UTF-8 or that isInvisible().
std::string inPrintable(std::string_view text);

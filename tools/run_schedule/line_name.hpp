// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "words.hpp"

#include <string>
#include <string_view>

/// Takes the name of a line.
/// \throws std::invalid_argument that says what is wrong, and what was expected
std::string takeName(Words& words);

/// Whether takeName() takes it.
bool isName(const std::string& text);

/// The name that a command suggests, for a line of a crontab without one: the base name of its
/// first word that is no assignment. With a number behind it, isName() is true of it.
std::string nameOfCommand(std::string_view command);

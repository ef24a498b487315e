// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "entry.hpp"

#include <string_view>

/// Reads a line of a schedule file, which is neither empty nor a comment: see schedule_file.hpp.
/// \throws std::invalid_argument that says what is wrong, and what was expected
Entry parseLine(std::string_view line);

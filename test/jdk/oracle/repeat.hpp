// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include <string>
#include <vector>

namespace oracle {

/// Writes out `tasks`, and what lies between `repeat` and `end`, once for each value; README.md
/// tells the forms.
/// \param lines without comments and empty lines
/// \throws std::runtime_error that quotes the line
std::vector<std::string> repeated(const std::vector<std::string>& lines);

}  // namespace oracle

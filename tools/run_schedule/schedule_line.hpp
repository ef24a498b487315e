// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "entry.hpp"

#include <jtimer/zone.hpp>

#include <string_view>

/// Reads a line of a schedule file that says when a command runs: see schedule_file.hpp.
/// \param zone of a line that names none
/// \param defaults has what the line does not say
/// \throws std::invalid_argument that says what is wrong, and what was expected
Entry parseLine(std::string_view line, const jtimer::Zone& zone, Entry defaults);

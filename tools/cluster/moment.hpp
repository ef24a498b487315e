// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include <jtimer/time.hpp>

#include <chrono>
#include <string>

/// \file
/// Times on the command line.

namespace cluster_tool {

/// Reads a duration from now, such as `90s`, or a time of RFC 3339, such as
/// `2030-01-01T08:00:00.250Z`, with up to nine decimals of a second.
/// \throws std::invalid_argument that says what is wrong, and what was expected
jtimer::When parseWhen(const std::string& text);

/// Reads a duration that is not 0.
/// \throws std::invalid_argument that says what is wrong, and what was expected
std::chrono::milliseconds parsePeriod(const std::string& text);

}  // namespace cluster_tool

// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

/// \file
/// Values of options. They throw std::invalid_argument, which says what is wrong, and what was
/// expected.

namespace cluster_tool {

std::size_t limitOf(const std::string& text);

/// As large as a token may be.
std::int64_t numberOf(const std::string& text);

int versionOf(const std::string& text);

std::string notEmpty(const std::string& text);

}  // namespace cluster_tool

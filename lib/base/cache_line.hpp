// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include <cstddef>

namespace jtimer::detail {

/// Bytes that a processor loads, and takes from another one, together: those of x86-64, and of most
/// others.
inline constexpr std::size_t kCacheLine = 64;

}  // namespace jtimer::detail

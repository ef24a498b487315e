// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

namespace jtimer::detail {

/// Bytes that a processor loads, or takes from another processor, as one unit: the size on x86-64
/// and most other processors.
inline constexpr std::size_t kCacheLine = 64;

/// Prefetches cache lines, counted from the one at `first`. An invalid address does no harm. Always
/// inline, as is every function that only prefetches, and every caller that only calls such a
/// function: otherwise GCC decides that the function has no effect and drops the call.
template <std::size_t... kLines>
[[gnu::always_inline]] inline void prefetchLines(const void* first,
                                                 std::index_sequence<kLines...>) noexcept {
    const auto begin = reinterpret_cast<std::uintptr_t>(first);
    (__builtin_prefetch(reinterpret_cast<const void*>(begin + kLines * kCacheLine)), ...);
}

}  // namespace jtimer::detail

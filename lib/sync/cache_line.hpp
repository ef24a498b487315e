// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include <jtimer/detail/compiler.hpp>

#include <cstddef>
#include <cstdint>
#include <utility>

namespace jtimer::detail {

/// Bytes that a processor loads, or takes from another processor, as one unit: the size on x86-64
/// and most other processors.
inline constexpr std::size_t kCacheLine = 64;

/// Prefetches cache lines, counted from the one at `first`. Always inline: see prefetchForRead().
template <std::size_t... kLines>
[[gnu::always_inline]] inline void prefetchLines(const void* first,
                                                 std::index_sequence<kLines...>) noexcept {
    const auto begin = reinterpret_cast<std::uintptr_t>(first);
    (prefetchForRead(reinterpret_cast<const void*>(begin + kLines * kCacheLine)), ...);
}

}  // namespace jtimer::detail

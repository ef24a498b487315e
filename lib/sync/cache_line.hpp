// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

namespace jtimer::detail {

/// Bytes that a processor loads, and takes from another one, together: those of x86-64, and of most
/// others.
inline constexpr std::size_t kCacheLine = 64;

/// Starts to load cache lines, from the one of `first` on. Those that are not there do no harm.
/// Inline in any case, as all that do nothing else and their callers that do nothing but call them:
/// GCC finds that such a function has no effect, and drops the call.
template <std::size_t... kLines>
[[gnu::always_inline]] inline void prefetchLines(const void* first,
                                                 std::index_sequence<kLines...>) noexcept {
    const auto begin = reinterpret_cast<std::uintptr_t>(first);
    (__builtin_prefetch(reinterpret_cast<const void*>(begin + kLines * kCacheLine)), ...);
}

}  // namespace jtimer::detail

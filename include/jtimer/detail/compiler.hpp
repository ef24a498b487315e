// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include <cstdint>
#include <limits>

/// \file
/// What compilers spell differently. GCC and Clang are tested. Others get standard C++, which is as
/// right and slower.

/// Marks what the shared library exports. Everything else in it is built with hidden visibility.
#if defined(_WIN32)
#if defined(JTIMER_BUILDS_DLL)
#define JTIMER_API __declspec(dllexport)
#elif defined(JTIMER_USES_DLL)
#define JTIMER_API __declspec(dllimport)
#else
#define JTIMER_API
#endif
#else
#define JTIMER_API __attribute__((visibility("default")))
#endif

/// Marks a private member of an exported class that only the library calls.
#if defined(_WIN32)
#define JTIMER_LOCAL
#else
#define JTIMER_LOCAL __attribute__((visibility("hidden")))
#endif

/// The arithmetic below in standard C++.
namespace jtimer::detail::portable {

inline constexpr std::int64_t kMost = (std::numeric_limits<std::int64_t>::max)();
inline constexpr std::int64_t kLeast = (std::numeric_limits<std::int64_t>::min)();

/// Whether a + b is beyond 64 bits; else stores it.
constexpr bool addOverflows(std::int64_t a, std::int64_t b, std::int64_t* sum) noexcept {
    if (b < 0 ? a < kLeast - b : a > kMost - b) return true;
    *sum = a + b;
    return false;
}

constexpr bool subtractOverflows(std::int64_t a, std::int64_t b,
                                 std::int64_t* difference) noexcept {
    if (b < 0 ? a > kMost + b : a < kLeast + b) return true;
    *difference = a - b;
    return false;
}

constexpr bool multiplyOverflows(std::int64_t a, std::int64_t b, std::int64_t* product) noexcept {
    if (b == -1) return subtractOverflows(0, a, product);  // kLeast / -1 is undefined
    const bool isBeyond =
        b != 0 && (b > 0 ? a > kMost / b || a < kLeast / b : a < kMost / b || a > kLeast / b);
    if (isBeyond) return true;
    *product = a * b;
    return false;
}

/// The number of the highest bit of what is not 0.
constexpr int highestBit(std::uint64_t bits) noexcept {
    int number = 0;
    for (int half = 32; half != 0; half /= 2) {
        if (bits >> half == 0) continue;
        bits >>= half;
        number += half;
    }
    return number;
}

constexpr int lowestBit(std::uint64_t bits) noexcept { return highestBit(bits & (~bits + 1)); }

}  // namespace jtimer::detail::portable

namespace jtimer::detail {

#if defined(__GNUC__)

constexpr bool addOverflows(std::int64_t a, std::int64_t b, std::int64_t* sum) noexcept {
    return __builtin_add_overflow(a, b, sum);
}
constexpr bool subtractOverflows(std::int64_t a, std::int64_t b,
                                 std::int64_t* difference) noexcept {
    return __builtin_sub_overflow(a, b, difference);
}
constexpr bool multiplyOverflows(std::int64_t a, std::int64_t b, std::int64_t* product) noexcept {
    return __builtin_mul_overflow(a, b, product);
}

constexpr int highestBit(std::uint64_t bits) noexcept { return 63 - __builtin_clzll(bits); }
constexpr int lowestBit(std::uint64_t bits) noexcept { return __builtin_ctzll(bits); }

constexpr bool unlikely(bool condition) noexcept { return __builtin_expect(condition, 0) != 0; }
constexpr bool unpredictable(bool condition) noexcept {
    return __builtin_expect_with_probability(condition, 1, 0.5) != 0;
}

/// Hints read nothing, so an invalid address does no harm. Always inline, as is every function that
/// only prefetches, and every caller that only calls such a function: otherwise GCC decides that
/// the function has no effect and drops the call.
[[gnu::always_inline]] inline void prefetchForRead(const void* memory) noexcept {
    __builtin_prefetch(memory, 0);
}
[[gnu::always_inline]] inline void prefetchForWrite(const void* memory) noexcept {
    __builtin_prefetch(memory, 1);
}

#else

using portable::addOverflows, portable::subtractOverflows, portable::multiplyOverflows;
using portable::highestBit, portable::lowestBit;

constexpr bool unlikely(bool condition) noexcept { return condition; }
constexpr bool unpredictable(bool condition) noexcept { return condition; }

inline void prefetchForRead(const void*) noexcept {}
inline void prefetchForWrite(const void*) noexcept {}

#endif

}  // namespace jtimer::detail

// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.

// Where time_t has 32 bits, newer C libraries also offer one of 64 bits. Only this file uses it.
// NOLINTBEGIN(bugprone-reserved-identifier): names of the C library
#ifndef _TIME_BITS
#define _TIME_BITS 64
#endif
#ifndef _FILE_OFFSET_BITS
#define _FILE_OFFSET_BITS 64  // which _TIME_BITS requires
#endif
// NOLINTEND(bugprone-reserved-identifier)

#include "zone.hpp"

#include <cstdint>
#include <ctime>
#include <optional>

std::optional<std::int64_t> localOffsetAt(std::int64_t moment) {
    const auto time = static_cast<std::time_t>(moment);
    std::tm local{};
    if (time != moment || localtime_r(&time, &local) == nullptr) return std::nullopt;
    return local.tm_gmtoff;
}

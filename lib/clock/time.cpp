// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include <jtimer/exceptions.hpp>
#include <jtimer/time.hpp>

#include <cmath>
#include <limits>

namespace jtimer::detail {

MillisAndNanos splitMillis(long double millis) {
    if (std::isnan(millis)) {
        throw IllegalArgumentException("A duration cannot be NaN.");
    }
    constexpr long double limit = 9.2e18L;  // just within the range of 64 bits
    if (millis >= limit) return {std::numeric_limits<std::int64_t>::max(), 0};
    if (millis <= -limit) return {std::numeric_limits<std::int64_t>::min(), 0};

    const auto floor = static_cast<std::int64_t>(std::floor(millis));
    const auto nanos =
        static_cast<std::int32_t>(std::lround((millis - static_cast<long double>(floor)) * 1e6L));
    if (millis > 0 && floor == 0 && nanos == 0) return {0, 1};
    if (nanos < kNanosPerMilli) return {floor, nanos};
    if (floor == -1) return {-1, static_cast<std::int32_t>(kNanosPerMilli - 1)};
    return {floor + 1, 0};
}

}  // namespace jtimer::detail

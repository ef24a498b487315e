// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include <jtimer/stats.hpp>

#include <jtimer/detail/saturating.hpp>
#include <jtimer/exceptions.hpp>

#include <algorithm>
#include <cmath>

namespace jtimer {

using detail::saturatingMultiply;
using std::chrono::nanoseconds;

nanoseconds LatenessHistogram::percentile(double percent) const {
    if (!(percent >= 0 && percent <= 100))
        throw IllegalArgumentException("A percentile must be from 0 to 100.");
    // In long double, 99.9% of 1000 is slightly less or more than 999; 1e-6 exceeds that error.
    const long double exact =
        static_cast<long double>(percent) / 100 * static_cast<long double>(count());
    const long double rank = std::max(std::ceil(exact - 1e-6L), 1.0L);
    std::uint64_t seen = 0;
    for (std::size_t i = 0; i < kBuckets; ++i) {
        seen += counts_[i];
        if (static_cast<long double>(seen) >= rank)
            return std::min(max(), nanoseconds(saturatingMultiply(std::int64_t{1} << i, 1000)));
    }
    return max();
}

}  // namespace jtimer

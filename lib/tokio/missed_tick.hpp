// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "data/periods.hpp"

#include <jtimer/tokio/interval.hpp>

namespace jtimer::tokio::detail {

using jtimer::detail::Nanos;

/// How late a tick may be taken without being missed.
inline constexpr Nanos kMissedAfter = 5 * jtimer::detail::kNanosPerMilli;

/// When an interval ticks next, after the tick for `scheduled` has been taken at `now`.
/// \param period > 0
constexpr Nanos nextTick(MissedTickBehavior behavior, Nanos scheduled, Nanos period,
                         Nanos now) noexcept {
    using jtimer::detail::saturatingAdd;
    const bool missed = now > saturatingAdd(scheduled, kMissedAfter);
    if (missed && behavior == MissedTickBehavior::Delay) return saturatingAdd(now, period);
    if (missed && behavior == MissedTickBehavior::Skip)
        return jtimer::detail::nextOnGrid(scheduled, period, now);
    return saturatingAdd(scheduled, period);
}

}  // namespace jtimer::tokio::detail

// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "sync/assert.hpp"

#include <jtimer/detail/saturating.hpp>

#include <cstdint>

namespace jtimer::detail {

/// The position of the present time among the times of a repeating task.
struct OnGrid {
    std::uint64_t missed;  ///< how many times after the scheduled one have come
    Nanos last;            ///< the last of these times; the scheduled one if there is none
};

/// The arithmetic of late periodic tasks: the times are `scheduled` + k * `period` for k = 0, 1, 2
/// and so on.
/// \param period > 0
constexpr OnGrid onGrid(Nanos scheduled, Nanos period, Nanos now) noexcept {
    JTIMER_ASSERT(period > 0);
    if (now <= scheduled) return {0, scheduled};
    // Unsigned, since the difference may take 64 bits.
    const auto late = static_cast<std::uint64_t>(now) - static_cast<std::uint64_t>(scheduled);
    const auto every = static_cast<std::uint64_t>(period);
    return {late / every, now - static_cast<Nanos>(late % every)};
}

/// The first of these times after `scheduled` that is later than `now`. So missed times are
/// skipped, and the phase is kept. kNever if the sum saturates.
/// \param period > 0
constexpr Nanos nextOnGrid(Nanos scheduled, Nanos period, Nanos now) noexcept {
    return saturatingAdd(onGrid(scheduled, period, now).last, period);
}

}  // namespace jtimer::detail

// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "clock/waiter.hpp"

#include <jtimer/detail/saturating.hpp>

namespace jtimer::detail {

/// The last exact reading of a clock, valid as long as the clock has certainly not gone back since.
///
/// The cheap reading, Waiter::reached(), shows what the clock showed at the last tick of the kernel
/// or when it was last set, whichever came later. As long as it equals its value just before the
/// exact reading, neither has happened: the clock has only advanced, so it has reached what was
/// read. (If the clock is set to exactly the nanosecond of the last tick, this goes unnoticed until
/// the next tick.)
///
/// So of many tasks that become due between two ticks, 1 to 10 ms apart, only one needs an
/// exact reading.
class LastReading {
  public:
    /// A time that the clock has certainly reached.
    /// \param cheap what Waiter::reached() returns now
    Nanos reached(Nanos cheap) const noexcept { return cheap == cheap_ ? exact_ : cheap; }

    /// \param cheap what Waiter::reached() returned before the exact reading
    void note(Nanos cheap, Nanos exact) noexcept {
        if (cheap == kLongAgo) return;  // unknown
        cheap_ = cheap;
        exact_ = exact;
    }

  private:
    Nanos cheap_ = kLongAgo;
    Nanos exact_ = kLongAgo;
};

}  // namespace jtimer::detail

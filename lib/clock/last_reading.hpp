// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "clock/waiter.hpp"

#include <jtimer/detail/saturating.hpp>

namespace jtimer::detail {

/// The last exact reading of a clock, for as long as the clock has certainly not gone back since.
///
/// The cheap reading, Waiter::reached(), shows what the clock showed at the last tick of the kernel
/// or when it was set, whichever came later. As long as it is what it was just before the exact
/// reading, there has been neither: the clock has gone on, and has reached what was read. (Somebody
/// who sets the clock to the very nanosecond of the last tick goes unnoticed until the next one.)
///
/// So of many tasks that come due between two ticks, 1 to 10 ms apart, one needs an exact reading.
class LastReading {
  public:
    /// A time that the clock has certainly reached.
    /// \param cheap what Waiter::reached() answers now
    Nanos reached(Nanos cheap) const noexcept { return cheap == cheap_ ? exact_ : cheap; }

    /// \param cheap what Waiter::reached() answered before the exact reading
    void note(Nanos cheap, Nanos exact) noexcept {
        if (cheap == kLongAgo) return;  // it tells nothing
        cheap_ = cheap;
        exact_ = exact;
    }

  private:
    Nanos cheap_ = kLongAgo;
    Nanos exact_ = kLongAgo;
};

}  // namespace jtimer::detail

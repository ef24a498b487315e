// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include <jtimer/detail/saturating.hpp>

#include <algorithm>

namespace jtimer::detail {

/// How long before its deadline a wait should end, so that the thread is awake at the deadline.
///
/// A thread that waits for a time wakes up some ten microseconds later: an idle processor has to
/// wake up, and the kernel has to switch to the thread. Most of that delay is constant, so it can
/// be compensated; KVM does so for the timers of its guests (lapic_timer_advance_ns).
///
/// The lead follows the shortest recent wake-ups. After a wake-up shorter than the lead, the thread
/// spins until its deadline: the lead falls to its length at once. Longer wake-ups raise the lead
/// slowly. So few waits end in a spin, and these spins are short: on average less than a
/// microsecond per wait, where a wake-up takes 20 us of CPU time.
///
/// Touched by the waiting thread only.
class WakeUpLead {
  public:
    Nanos value() const noexcept { return value_; }

    /// \param late how long after the end of a wait the thread was awake
    void learn(Nanos late) noexcept {
        if (late < 0 || late >= kHeldUp) return;
        value_ = late < value_ ? late : std::min(value_ + (late - value_) / kSlowness, kMost);
    }

  private:
    /// A delay this long is not due to the wake-up alone: the computer slept, the clock was set, or
    /// other threads used the processor.
    static constexpr Nanos kHeldUp = 1'000'000;
    static constexpr Nanos kMost = 100'000;
    static constexpr Nanos kSlowness = 16;

    Nanos value_ = 0;
};

}  // namespace jtimer::detail

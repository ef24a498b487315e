// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include <jtimer/detail/saturating.hpp>

#include <algorithm>

namespace jtimer::detail {

/// How much before its deadline a wait should end, for the thread to be awake by then.
///
/// A thread that waits for a time is awake some ten microseconds after it: an idle processor has to
/// wake up, and the kernel has to switch to the thread. Most of that is the same every time, so it
/// can be allowed for; KVM does so for the timers of its guests (lapic_timer_advance_ns).
///
/// The lead follows the shortest wake-ups of late. One that is shorter than the lead leaves the
/// thread awake before its deadline, to spin until then: the lead falls to its length at once.
/// Longer ones raise it slowly. So few waits end in a spin, and these spins are short: in the mean
/// less than a microsecond a wait, where a wake-up takes 20 us of CPU time.
///
/// Touched by the waiting thread alone.
class WakeUpLead {
  public:
    Nanos value() const noexcept { return value_; }

    /// \param late how long after its end the thread was awake from a wait
    void learn(Nanos late) noexcept {
        if (late < 0 || late >= kHeldUp) return;
        value_ = late < value_ ? late : std::min(value_ + (late - value_) / kSlowness, kMost);
    }

  private:
    /// Who is that late has not only been woken: the computer slept, the clock was set, or others
    /// had the processor.
    static constexpr Nanos kHeldUp = 1'000'000;
    static constexpr Nanos kMost = 100'000;
    static constexpr Nanos kSlowness = 16;

    Nanos value_ = 0;
};

}  // namespace jtimer::detail

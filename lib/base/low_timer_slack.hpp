// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include <jtimer/detail/saturating.hpp>

#include <algorithm>
#include <limits>
#include <optional>
#if defined(__linux__)
#include <sys/prctl.h>
#endif

namespace jtimer::detail {

/// Whether a wait is long enough for the thread to be woken for its end and nothing else. Where
/// deadlines come every few microseconds, one wake-up should serve many.
inline bool isLongWait(Nanos deadline, Nanos now) noexcept {
    constexpr Nanos shortWait = 100'000;
    return deadline != kNever && saturatingSubtract(deadline, now) >= shortWait;
}

/// Lets the kernel wake the calling thread more exactly, for one wait. Half of what a wake-up is
/// late by is Linux's timer slack of 50 us. A short wait keeps it: the slack is what lets one
/// wake-up serve many.
///
/// For one wait and no longer, because threads and processes that a task starts inherit the slack.
/// It costs two system calls, where a wake-up costs 20 us.
class LowTimerSlack {
  public:
    /// \param chosen the slack to have for every wait; nothing: for long ones, the least there is
    /// \param deadline when the wait ends, and `now` when it begins
    LowTimerSlack(std::optional<Nanos> chosen, Nanos deadline, Nanos now) noexcept
        : set_(chosen.has_value() ? deadline != kNever : isLongWait(deadline, now)) {
        if (set_) tell(std::clamp(chosen.value_or(0), Nanos{1}, kMost));
    }
    LowTimerSlack(const LowTimerSlack&) = delete;
    LowTimerSlack& operator=(const LowTimerSlack&) = delete;
    ~LowTimerSlack() {
        if (set_) tell(kUsual);
    }

  private:
    static constexpr Nanos kMost = std::numeric_limits<long>::max();
    /// What the thread had when it was started.
    static constexpr Nanos kUsual = 0;

    static void tell(Nanos slack) noexcept {
#if defined(__linux__)
        prctl(PR_SET_TIMERSLACK, static_cast<unsigned long>(slack), 0, 0, 0);
#else
        static_cast<void>(slack);
#endif
    }

    const bool set_;
};

}  // namespace jtimer::detail

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

/// Sets the calling thread's timer slack, by which the kernel may delay the end of a wait, for as
/// long as this object lives.
///
/// Set for one wait only, because threads and processes that a task starts inherit the slack. It
/// costs two system calls; a wake-up costs 20 us. Only Linux has such a slack.
class TimerSlack {
  public:
    /// \param slack nothing: the usual slack stays
    explicit TimerSlack(std::optional<Nanos> slack) noexcept : set_(slack.has_value()) {
        if (set_) tell(std::clamp(*slack, Nanos{1}, kMost));
    }
    TimerSlack(const TimerSlack&) = delete;
    TimerSlack& operator=(const TimerSlack&) = delete;
    ~TimerSlack() {
        if (set_) tell(kUsual);
    }

  private:
    static constexpr Nanos kMost = std::numeric_limits<long>::max();
    /// Stands for the slack with which the thread was started.
    static constexpr Nanos kUsual = 0;

    static void tell([[maybe_unused]] Nanos slack) noexcept {
#if defined(__linux__)
        prctl(PR_SET_TIMERSLACK, static_cast<unsigned long>(slack), 0, 0, 0);
#endif
    }

    const bool set_;
};

}  // namespace jtimer::detail

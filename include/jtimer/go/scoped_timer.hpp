// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include <jtimer/go/timer.hpp>

#include <utility>

namespace jtimer::go {

/// Owns a timer: the destructor stops it and waits until its function is not running. So a function
/// can safely use the object that has its ScopedTimer as a member.
///
/// \code
/// class Session {
///     ...
///     // The last member: it is destroyed first, and so before what expire() uses.
///     jtimer::go::ScopedTimer timer_{timers_.afterFunc(30s, [this] { expire(); })};
/// };
/// \endcode
///
/// Do not destroy a ScopedTimer while holding a lock that the function may be waiting for. Inside
/// the function, the destructor does not wait: see Timer::stopAndWait. The function may reset the
/// timer, even while the destructor waits. Not thread-safe, except for calls of timer().
class ScopedTimer {
  public:
    /// Owns nothing.
    ScopedTimer() noexcept = default;
    /// Owns `timer`, which may be uninitialised. Use a variable or a member: a temporary would stop
    /// the timer at once.
    [[nodiscard]] explicit ScopedTimer(Timer timer) noexcept : timer_(std::move(timer)) {}
    ScopedTimer(ScopedTimer&& other) noexcept = default;  ///< leaves the other without a timer
    /// Stops the timer that this object owned, as the destructor does. A move onto itself changes
    /// nothing.
    ScopedTimer& operator=(ScopedTimer&& other) noexcept {
        // Not by value: a parameter may last until the end of the caller's whole expression.
        ScopedTimer taken(std::move(other));
        std::swap(timer_, taken.timer_);
        return *this;
    }
    ~ScopedTimer() {
        if (timer_) timer_.stopAndWait();
    }

    /// The timer; uninitialised if it owns none.
    [[nodiscard]] Timer& timer() noexcept { return timer_; }

  private:
    Timer timer_;
};

}  // namespace jtimer::go

// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "sync/lock.hpp"

#include <jtimer/detail/saturating.hpp>

#include <limits>

namespace jtimer::detail {

/// Before every time that a clock shows.
inline constexpr Nanos kLongAgo = std::numeric_limits<Nanos>::min();

/// How one thread waits on a clock. Made by the clock, see makeWaiter(); it does not refer to it.
///
/// The thread that waits calls begin() first, end() last, and waitUntil() in between. Every other
/// function may be called by any thread at any time, also after end().
class Waiter {
  public:
    virtual ~Waiter() = default;

    /// The thread takes part in its clock from the construction of the Waiter on; this call says
    /// which thread it is.
    virtual void begin() {}

    /// Releases `lock`, waits for a notification, at the longest until the clock shows `deadline`
    /// (kNever: without a limit), and takes `lock` again. May return for no reason, as every
    /// condition may.
    /// \param now what the clock showed last, before `deadline`. A clock that waits for a span of
    ///   time waits for their difference: so the clock, which may be a user's, is not read again
    ///   here. Only a ManualClock that has moved on since may return without releasing the lock.
    virtual void waitUntil(Lock& lock, Nanos deadline, Nanos now) = 0;

    /// Says, with the lock held, that notify() is going to be called, since the thread waits. A
    /// clock that waits for its threads must know by now that this one has something to do: when
    /// the lock is released, other threads find the wait ended, and go on to move the time.
    virtual void announce() {}

    /// Ends the wait that was going on at the announcement. The lock has been released, so that the
    /// woken thread does not run into it. A notification that comes when nobody waits any more is
    /// forgotten, or ends the next wait.
    virtual void notify() = 0;

    /// A time that the clock has certainly reached, as a cheap substitute for a reading of the
    /// clock: not later than the present time, and as exact as it is cheap. kLongAgo: unknown.
    virtual Nanos reached() const noexcept { return kLongAgo; }

    /// Whether reached() is the present time.
    virtual bool isReachedExact() const noexcept { return false; }

    /// Whether somebody can set the clock forward during a wait, so that the wait lasts longer than
    /// until its deadline.
    virtual bool canBeSetForward() const noexcept { return true; }

    /// Whether the thread is awake from a wait only some time after its end, so that it should end
    /// before the deadline; see WaitPolicy. Not where a test would see that.
    virtual bool wakesLate() const noexcept { return false; }

    /// How long the thread may sleep through notifications when these come faster than it can go to
    /// sleep; see WaitPolicy. 0: not at all, where a test would see the additional wait.
    virtual Nanos settlingTime() const noexcept { return 0; }

    /// The thread takes no part in its clock any more.
    virtual void end() {}
};

}  // namespace jtimer::detail

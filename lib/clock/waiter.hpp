// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "sync/lock.hpp"
#include "sync/wait_report.hpp"

#include <jtimer/detail/saturating.hpp>

#include <limits>
#include <memory>
#include <string>

namespace jtimer::detail {

/// Earlier than every time that a clock shows.
inline constexpr Nanos kLongAgo = std::numeric_limits<Nanos>::min();

/// Whose thread waits on a clock: for the reports of a call that waits for the thread. Any thread
/// may call these functions, with no lock held.
class WaiterOwner {
  public:
    /// The timer.
    virtual const TimerTitle& title() const noexcept = 0;
    /// What the thread is running, if it is not waiting: `task "NAME"`.
    virtual std::string runningTask() { return "a task"; }

  protected:
    ~WaiterOwner() = default;
};

/// The way in which one thread waits on a clock. Made by the clock's makeWaiter(); it holds no
/// reference to the clock.
///
/// The waiting thread calls begin() first, end() last, and waitUntil() in between. Any thread may
/// call the other functions at any time, even after end().
class Waiter {
  public:
    virtual ~Waiter() = default;

    /// The thread takes part in its clock from the construction of the Waiter; this call says which
    /// thread it is.
    virtual void begin() {}

    /// Called before begin(), if at all. \param owner lives as long as the thread
    virtual void setOwner(const std::weak_ptr<WaiterOwner>& owner) { static_cast<void>(owner); }

    /// Releases `lock`, waits for a notification, but no longer than until the clock shows
    /// `deadline` (kNever: no limit), and acquires `lock` again. Spurious wake-ups are possible, as
    /// with every condition variable.
    /// \param now what the clock showed last, before `deadline`. A clock that waits for a span of
    ///   time waits for the difference of the two, so that the clock, which may be a user's, is not
    ///   read again here. Only on a ManualClock that has moved on since may this return without
    ///   releasing the lock.
    virtual void waitUntil(Lock& lock, Nanos deadline, Nanos now) = 0;

    /// Announces, with the lock held and the thread waiting, that notify() will be called. A clock
    /// that waits for its threads must know by now that this one has work to do: once the lock is
    /// released, other threads see that the wait has ended, and may move the time.
    virtual void announce() {}

    /// Ends the wait that was in progress at the announcement. Called after the lock has been
    /// released, so that the woken thread need not wait for it. If the thread no longer waits, the
    /// notification is lost or ends the next wait.
    virtual void notify() = 0;

    /// A time that the clock has certainly reached, as a cheap substitute for a reading of
    /// the clock: not later than the present time, and as exact as is cheaply possible.
    /// kLongAgo: unknown.
    virtual Nanos reached() const noexcept { return kLongAgo; }

    /// Whether reached() is the present time.
    virtual bool isReachedExact() const noexcept { return false; }

    /// Whether the clock can be set forward during a wait, so that the wait ends after
    /// its deadline.
    virtual bool canBeSetForward() const noexcept { return true; }

    /// Whether the thread wakes up only some time after the end of a wait, so that the wait should
    /// end before the deadline; see WaitPolicy. False on clocks that tests control.
    virtual bool wakesLate() const noexcept { return false; }

    /// How long the thread may sleep through notifications when these come faster than it can go to
    /// sleep; see WaitPolicy. 0, for never, on clocks that tests control.
    virtual Nanos settlingTime() const noexcept { return 0; }

    /// The thread no longer takes part in its clock.
    virtual void end() {}
};

}  // namespace jtimer::detail

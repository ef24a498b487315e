// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include <jtimer/detail/compiler.hpp>
#include <jtimer/time.hpp>
#include <jtimer/tokio/detail/advice.hpp>
#include <jtimer/tokio/waker.hpp>

#include <atomic>
#include <cstdint>

namespace jtimer::tokio {

class TimeDriver;

namespace detail {
class Driver;
class SleepAccess;
struct SleepEntry;
}  // namespace detail

/// Waits for one point in time. Made by TimeDriver::sleep() and sleepUntil().
///
/// Nothing happens until the first poll(), wait() or reset(), which registers the deadline with the
/// driver. The driver fires the Sleep in the first millisecond tick that is not before the
/// deadline: never early, and late by less than a millisecond plus any delay of the thread that
/// turns the driver. A deadline that is not in the future is due at once, without a turn. Firing
/// calls the waker of the last poll().
///
/// A moved-from Sleep can only be assigned to or destroyed. A Sleep may outlive its driver.
///
/// Threads: only one thread at a time may poll or reset a Sleep; meanwhile any other may call
/// wait(), deadline() and isElapsed(). No other thread may use it while it is moved or destroyed.
///
/// Cost: a poll, a reset and the destructor take constant time and at most one short lock; a reset
/// that fires also wakes the threads in wait(). A reset to a later time, as for an idle time-out,
/// takes no lock.
class JTIMER_API Sleep {
  public:
    /// Takes over the other's registration and waker.
    Sleep(Sleep&& other) noexcept;
    /// Deregisters what this Sleep was before, and takes over the other's registration and waker.
    Sleep& operator=(Sleep&& other) noexcept;
    /// Deregisters. Its waker is no longer called, but see Waker about a call that has begun. If
    /// the driver was in use at the moment of a fork, the child does not destroy the waker and what
    /// it owns.
    ~Sleep();

    /// Whether it has fired; once true, the result stays true until a reset. If false, `waker` is
    /// called when the Sleep fires, instead of an earlier poll's waker; an empty one leaves the
    /// earlier one in place. If true, no waker is kept: ignore the result only if the Sleep cannot
    /// have fired yet, or if nothing depends on the waker.
    /// \throws DriverShutdown "TimeDriver has been shut down." if it had not fired before
    bool poll(Waker waker = {});

    /// Calls poll(): for a Sleep that is the operation of a Timeout or of until().
    bool operator()(const Waker& waker) { return poll(waker); }

    /// Withdraws the waker of the last poll, and deregisters, unless a thread is in wait(). The
    /// next poll goes on: it registers again, or is true if the Sleep had fired.
    void dropWaker() noexcept;

    /// Blocks until it has fired, at the new deadline if it is reset during the wait. Independent
    /// of poll() and its waker. The driver must have a thread of its own, or another thread must
    /// turn it.
    /// \throws DriverShutdown "TimeDriver has been shut down." if it had not fired before,
    ///   even if the shutdown comes during the wait
    /// \throws IllegalStateException if it would have to wait on the thread that is turning the
    ///   driver
    void wait();

    /// The deadline, exactly as requested.
    Date deadline() const noexcept;

    /// Whether it has fired. False if it has never been polled, waited for or reset, even past its
    /// deadline.
    bool isElapsed() const noexcept;

    /// Sets another deadline, whether the Sleep has fired or not. An earlier poll's waker stays in
    /// place. If the new deadline is already due, the Sleep fires before the call returns, and the
    /// driver's next turn calls the waker. If the old deadline has also passed, the turn that is
    /// due for it fires the Sleep.
    /// \throws DriverShutdown "TimeDriver has been shut down."
    void reset(Date deadline);

    /// Resets to `duration` from the driver's current time. The longest durations never elapse.
    /// \throws IllegalArgumentException "Negative duration."
    /// \throws DriverShutdown "TimeDriver has been shut down."
    void resetAfter(TimeSpan duration);

    ///@{ Deleted overloads, for advice: a time of the other kind.
    detail::write_sleep_or_resetAfter_with_a_duration reset(TimeSpan) = delete;
    detail::write_sleepUntil_or_reset_with_a_Date resetAfter(Date) = delete;
    ///@}

  private:
    friend class detail::SleepAccess;

    JTIMER_LOCAL Sleep(detail::Driver& driver, std::int64_t deadline);

    detail::SleepEntry* entry_;
    /// In nanoseconds since 1970. Written by the thread that resets, read by any thread.
    std::atomic<std::int64_t> deadline_;
};

}  // namespace jtimer::tokio

// The one class that makes a Sleep. It includes this header, which therefore comes first.
#include <jtimer/tokio/time_driver.hpp>

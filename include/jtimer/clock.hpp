// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include <jtimer/detail/export.hpp>
#include <jtimer/time_arguments.hpp>

#include <cstdint>
#include <memory>

/// \file
/// Where a timer's time comes from, and how its thread waits for it. Which one to choose:
///
/// | clock         | runs what is due in an hour                       | choose it               |
/// | ------------- | ------------------------------------------------- | ----------------------- |
/// | WallClock     | when the computer's clock shows that time, as     | to port Java; for times |
/// |               | java.util.Timer does (the default)                | of day                  |
/// | SteadyClock   | after an hour, whoever sets the computer's clock  | for time-outs, polling  |
/// | BoottimeClock | the same, and the computer's sleep counts (Linux) | for leases              |
/// | ManualClock   | when the test says that an hour has gone by       | for tests               |
///
/// One clock serves any number of timers, from any thread; each Timer shares in its ownership.

namespace jtimer {

class Condition;

/// The source of a timer's time. To tell a timer another time than the computer's, derive from
/// WallClock and override `nanos()`; to let a test move the time, use ManualClock.
class JTIMER_API Clock {
  public:
    Clock(const Clock&) = delete;
    Clock& operator=(const Clock&) = delete;
    virtual ~Clock();

    /// The present time on this clock, rounded down to what a Date can hold.
    Date now() const {
        return Date(std::chrono::floor<Date::duration>(std::chrono::nanoseconds(nanos())));
    }

    /// The present time on this clock in nanoseconds since 1970. Called by timers with their
    /// monitor held: an override must be quick, and must not call a Timer.
    virtual std::int64_t nanos() const = 0;

  protected:
    Clock() = default;

  private:
    friend class TimerThread;

    /// What one timer's thread waits on.
    /// \throws std::system_error if the system has no more of it
    virtual std::unique_ptr<Condition> makeCondition() const = 0;
};

/// The computer's clock, as java.util.Timer uses it: decisions are made by the time of day, waits
/// last for the difference. Set back by an hour, what was due runs an hour later (J116); set
/// forward, a wait that has begun ends no earlier, unless something wakes the thread (J117), and
/// then fixed-rate tasks catch up in a burst (J118).
class JTIMER_API WallClock : public Clock {
  public:
    WallClock();
    ~WallClock() override;
    std::int64_t nanos() const override;

  private:
    std::unique_ptr<Condition> makeCondition() const final;
};

/// Starts from the time of day at its construction, and from there runs on by itself: steps of the
/// computer's clock do not touch it. A Date is understood on its own time line. It stands still
/// while the computer sleeps.
class JTIMER_API SteadyClock final : public Clock {
  public:
    SteadyClock();
    ~SteadyClock() override;
    std::int64_t nanos() const override;

  private:
    std::unique_ptr<Condition> makeCondition() const override;

    /// The time of day minus CLOCK_MONOTONIC at construction.
    const std::int64_t offset_;
};

#if defined(__linux__)
/// A SteadyClock that goes on while the computer sleeps (CLOCK_BOOTTIME): what came due meanwhile
/// runs when it wakes up. A timer on it holds two file descriptors.
class JTIMER_API BoottimeClock final : public Clock {
  public:
    BoottimeClock();
    ~BoottimeClock() override;
    std::int64_t nanos() const override;

  private:
    std::unique_ptr<Condition> makeCondition() const override;

    /// The time of day minus CLOCK_BOOTTIME at construction.
    const std::int64_t offset_;
};
#endif

/// A clock that stands still until it is told to move, so that a test of timed code takes no time
/// and has one outcome:
///
/// \code
/// auto clock = std::make_shared<jtimer::ManualClock>();
/// jtimer::TimerOptions options;
/// options.clock = clock;
/// jtimer::Timer timer(options);
/// int runs = 0;
/// timer.schedule([&] { ++runs; }, 0, 1000);
/// clock->advance(24h);                        // runs == 86401
/// timer.cancel();
/// \endcode
///
/// Moving the time goes through every deadline on the way, in order, for all timers on the clock:
/// each due task runs on its own timer's thread and sees `now()` equal to its deadline. The call
/// returns when all of them have run and every timer waits again, so that what the tasks wrote can
/// be read. Timers due at the same moment run side by side, as two threads do.
///
/// The functions that move the time may be called from any thread, also from inside a task: then
/// time passes *during* that run (a stall), for the other timers too; its own timer's tasks become
/// late. They wait for running tasks: a task that itself waits for the thread which moves the time
/// waits for ever. So does the destructor of a non-daemon Timer with tasks pending, until somebody
/// moves on.
///
/// No call sleeps or polls. A step costs no switch of threads where a single timer is concerned.
class JTIMER_API ManualClock final : public Clock {
  public:
    /// \param start what `now()` is until the first move
    explicit ManualClock(Date start = Date{});
    ~ManualClock() override;

    std::int64_t nanos() const override;

    /// Moves the time forward by `span` from where it is at this call, and runs everything due by
    /// then.
    /// \throws IllegalArgumentException if `span` is negative
    void advance(TimeSpan span);

    /// Moves the time forward to `time`, and runs everything due by then.
    /// \throws IllegalArgumentException if `time` lies before `now()`
    void advanceTo(Date time);

    /// Moves the time to the next moment for which some timer waits, and runs what is due then. A
    /// timer also waits for a cancelled task that is still at the head of its queue (J13); nothing
    /// runs then.
    /// \returns false, with the time unmoved, if no timer waits for a time
    bool advanceToNext();

    /// Returns when every timer on this clock has run what is due and waits; the time does not
    /// move. Called from inside a task, it is about the other timers.
    void waitUntilIdle();

    /// Checks the clock's bookkeeping the dumb way, for tests.
    /// \throws std::logic_error that names what is wrong
    void check() const;

  private:
    class Impl;

    std::unique_ptr<Condition> makeCondition() const override;

    const std::unique_ptr<Impl> impl_;
};

}  // namespace jtimer

// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "interleave/engine/explore.hpp"

#include <jtimer/clock.hpp>
#include <jtimer/time.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

/// Plays whole timers from one seed. A room's file draws a timer and what several threads and the
/// tasks do with it; here is what all rooms share. See ../README.md.
namespace simulation {

using Nanos = std::int64_t;
constexpr Nanos kMillis = 1'000'000;
constexpr Nanos kNever = std::numeric_limits<Nanos>::max() / 2;

inline Nanos nanosOf(jtimer::Date date) {
    return std::chrono::nanoseconds(date.time_since_epoch()).count();
}

/// A number below `options`, by the seed.
inline unsigned any(unsigned options) { return explore::choose(options); }
inline bool oneIn(unsigned options) { return explore::choose(options) == 0; }

/// Draws how often threads are set aside.
void drawPace();
/// In some executions, from now on allocations fail, or thread starts.
void drawFaults();
void endFaults();

/// What a clock shows, without a step of the calling thread: no other thread sees the call, nor
/// does the caller see what came before the time was moved.
Nanos timeOf(const jtimer::Clock& clock);

/// A manual clock that in some executions is set forward or back, as a wall clock may be: a wait on
/// it has the length that it had when it began. What it has shown is known without a step.
class SetClock final : public jtimer::Clock {
  public:
    SetClock();

    std::int64_t nanos() const override;

    /// Moves the time on. In some executions the clock may be set before, until endFaults().
    void advance(jtimer::TimeSpan step);
    /// Moves the time on by as much as the clock has been set back, and by `span`.
    void advanceToEnd(jtimer::TimeSpan span);

    /// A moment, between two settings of the clock.
    using Moment = std::size_t;
    Moment present() const;
    Moment lastWait() const;  ///< when a thread began to wait last
    /// The latest and the earliest time that it has shown at the settings since, and shows.
    Nanos latest(Moment since = 0) const;
    Nanos earliest(Moment since) const;
    Nanos setForward() const;  ///< by how much, in all

    /// While one exists, the clock is not set: what is due after a span is due at a known time.
    class Held {
      public:
        explicit Held(SetClock& clock) : clock_(clock) { clock_.hold(1); }
        ~Held() { clock_.hold(-1); }
        Held(const Held&) = delete;
        Held& operator=(const Held&) = delete;

      private:
        SetClock& clock_;
    };

  private:
    class Waiter;

    std::shared_ptr<jtimer::detail::Waiter> makeWaiter() const override;
    void hold(int change);
    void noteWait() const;
    void set(Nanos step);

    jtimer::ManualClock manual_{jtimer::Date{}};
    const bool isSet_;
    unsigned settingsLeft_ = 3;
    int held_ = 0;
    Nanos offset_ = 0, setForward_ = 0, setBack_ = 0;
    std::vector<Nanos> shown_;  ///< before and after each setting
    mutable Moment lastWait_ = 0;
};

/// Called by all user code: no mutex may be held.
void userCode(const char* where);

/// What user code throws. Takes no memory that could fail.
struct Oops {};

/// Calls `call`. \returns false if it threw what the library throws
template <class Call>
bool attempt(const Call& call) {
    try {
        call();
        return true;
    } catch (const std::exception&) {
        return false;
    }
}

/// What has happened in an execution, besides to its tasks.
class Book {
  public:
    void set(bool& fact);  ///< of this object
    bool has(const bool& fact) const;
    void count(unsigned& event);

    bool isDraining = false;    ///< user code does nothing any more
    bool mayDiscard = false;    ///< tasks were dropped in a way that gives no account of them
    bool isUnpunctual = false;  ///< a task has moved the clock, so others are late
    unsigned thrown = 0;        ///< by user code, where the library must report it
    unsigned reported = 0;
};

/// A number that threads pass on without a step.
class Secret {
  public:
    void set(std::int64_t value);
    void add(std::int64_t value);
    std::int64_t get() const;

  private:
    std::int64_t value_ = 0;
};

/// The account of one task. Its functions are no steps either.
class Account {
  public:
    /// A one-shot.
    Account() noexcept = default;
    Account(const Account&) = delete;
    Account& operator=(const Account&) = delete;

    /// \returns whether no other thread has got it before
    bool claim();
    /// Before the call that schedules it. \param grace how long after `due`, or after accept(), a
    /// run is on time
    void offer(const SetClock& clock, Nanos due, Nanos grace = 0);
    /// From the first run on, it is due again `period` after it was due, or after it ran.
    void repeat(Nanos period, bool atFixedRate);
    /// The call has returned; kNever: nothing can be said about when it runs.
    void accept(Nanos now);
    void refuse();  ///< or has thrown: it never runs
    /// \param onItsThread the timer's one thread, which decides after its last wait what is due
    void beginRun(const Book& book, const SetClock& clock, bool onItsThread = true);
    void endRun();
    void cancel();  ///< a call has prevented its run
    void leave();   ///< an end has handed it back
    /// A call that waits has returned: it neither runs nor will.
    void checkOver() const;
    /// At the end of an execution. \param mustBeKnown false: it may have been dropped
    void settle(bool mustBeKnown) const;

    bool isLost() const;  ///< accepted, and nothing is known of it
    bool isOver() const;  ///< a run, a cancellation or an end is known
    unsigned runs() const;

  private:
    bool isClaimed_ = false;
    unsigned offers_ = 0;
    unsigned refusals_ = 0;
    unsigned accepts_ = 0;
    unsigned runs_ = 0;
    unsigned ends_ = 0;  ///< cancellations, and ends that have handed it back
    unsigned runsSince_ = 0;
    bool isRunning_ = false;
    SetClock::Moment offeredAt_ = 0;
    Nanos due_ = 0, latestDue_ = 0;  ///< apart if the clock is set at a fixed delay's run
    Nanos grace_ = 0;
    Nanos acceptedAt_ = 0;
    Nanos period_ = 0;
    bool atFixedRate_ = false;
};

/// A run of a task, from its constructor to its destructor.
class Running {
  public:
    Running(Account& account, const Book& book, const SetClock& clock) : account_(account) {
        account_.beginRun(book, clock);
    }
    ~Running() { account_.endRun(); }
    Running(const Running&) = delete;
    Running& operator=(const Running&) = delete;

  private:
    Account& account_;
};

/// The starts of a timer that can be started again, by several threads at a time: each one fires or
/// is ended, once.
class Starts {
  public:
    void begin(const SetClock& clock, Nanos due);
    void refuse(Nanos due);  ///< it was none
    void end();
    void fire(Nanos at);                  ///< one that was due by then
    void fireNow(const SetClock& clock);  ///< one that has been due since its begin
    unsigned open() const;                ///< that have neither fired nor been ended

  private:
    struct Start {
        Nanos due;
        SetClock::Moment at;
    };
    void fired(std::vector<Start>::iterator start);

    std::vector<Start> waiting_;  ///< those that have not fired
    unsigned begun_ = 0, ended_ = 0, fired_ = 0;
};

/// What two or three threads do, each of which owns the timer too: `play(timer)`.
template <class Timer, class Play>
std::vector<std::function<void()>> drawThreads(const std::shared_ptr<Timer>& timer,
                                               const Play& play) {
    std::vector<std::function<void()>> threads;
    for (unsigned i = 2 + any(2); i != 0; --i)
        threads.emplace_back([play, copy = timer]() mutable { play(std::move(copy)); });
    return threads;
}

/// Runs each on a thread of its own; with faults.
void together(std::vector<std::function<void()>> threads);
/// The same, while another one moves the clock on by `step`; with faults.
void togetherWhileTimePasses(std::vector<std::function<void()>> threads, SetClock& clock,
                             jtimer::TimeSpan step);

/// Plays `world` for each seed that the environment asks for: SIMULATE_SEEDS executions from
/// SIMULATE_FROM on. Fails the test case with the command that plays the failing seed again.
void simulate(const char* room, void (*world)());
/// Fails unless the same seeds, in another order, make the same steps.
void simulateTwice(void (*world)());

}  // namespace simulation

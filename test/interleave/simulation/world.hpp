// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "interleave/engine/explore.hpp"
#include "interleave/simulation/set_clock.hpp"

#include <jtimer/clock.hpp>
#include <jtimer/time.hpp>

#include <chrono>
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
/// Whether a thread may not start in this execution, perhaps for want of memory.
bool mayFailToStart();

/// What a clock shows, without a step of the calling thread: no other thread sees the call, nor
/// does the caller see what came before the time was moved.
Nanos timeOf(const jtimer::Clock& clock);

/// Called by all user code: no mutex may be held.
void userCode(const char* where);

/// The same, in code that runs because of a timer: which it does not in a forked child.
void userRun(const char* where);

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
    bool hasForked = false;     ///< once in an execution is enough
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

/// Once in an execution, forks: in the child, where user code does nothing any more, `body`
/// destroys what it has and uses a timer of its own, without faults.
void fork(Book& book, const std::function<void()>& body);

/// In a forked child: `use(clock, run)` makes a timer on the clock that calls run() once.
template <class Use>
void useOwn(const Use& use) {
    Secret runs;
    use(std::make_shared<jtimer::ManualClock>(jtimer::Date{}), [&runs] { runs.add(1); });
    explore::check(runs.get() == 1, "a forked child's own timer");
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

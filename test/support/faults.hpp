// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "support/abilities.hpp"
#include "support/child_process.hpp"
#include "support/clocks.hpp"
#include "support/counter.hpp"
#include "support/faulty_clock.hpp"
#include "support/forked_child.hpp"
#include "support/manual_timer.hpp"
#include "support/refused_membarrier.hpp"
#include "support/system_threads.hpp"

#include <jtimer/clock.hpp>
#include <jtimer/time.hpp>

#include <boost/test/unit_test.hpp>
#include <boost/thread/thread.hpp>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <exception>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <pthread.h>
#include <string>
#include <system_error>
#include <utility>

// The faults that the tests of every timer try: doc/internals/laboratory.md has the table.
// FAULT_CASES(Fixture) defines a case for each. A Fixture is constructed from a clock, and from
// options that end nothing but what an exception must end; it has
//
//     void after(std::chrono::nanoseconds delay, std::function<void()> task);
//     void addAndCancel();                     // a task that is due in an hour
//     void longest(std::function<void()>);     // with the longest period, from now; or delay
//     void cancelInChild();                    // what a forked child may call
//     bool isOver();                           // whether it takes no more tasks
//     void destroy();                          // calls the timer's destructor
//     test::Reports reports;                   // what its exception handler is given
//     static constexpr test::Traits traits;    // what its original does

namespace test {

/// Counts what an exception handler is given.
class Reports {
  public:
    auto handler() {
        return [this](const std::string&, const std::exception_ptr& exception) {
            if (call_) call_();
            try {
                std::rethrow_exception(exception);
            } catch (const NoTime&) {
                noTime_.up();
            } catch (int) {
                ints_.up();
            } catch (...) {
                others_.up();
            }
        };
    }
    /// NoTime, ints, others.
    std::string counts() const {
        return std::to_string(noTime_.get()) + ' ' + std::to_string(ints_.get()) + ' ' +
               std::to_string(others_.get());
    }

    /// From now on the handler first calls this. To be called before anything is reported.
    void call(std::function<void()> call) { call_ = std::move(call); }

  private:
    std::function<void()> call_;
    Counter noTime_, ints_, others_;
};

/// What differs between the timers, as it does between their originals.
struct Traits {
    bool endsByException;    ///< of a task
    bool endsByThreadExit;   ///< pthread_exit in a task
    bool repeats;            ///< whether longest() has a first run
    bool refusesBefore1970;  ///< tasks that are due then
    bool followsSetBack;     ///< or else new tasks, too, wait for the time that the clock has shown
};

/// A timer on a manual clock, and what its tasks share.
template <class Fixture>
struct Faulty {
    const std::shared_ptr<FaultyClock> clock;
    const std::shared_ptr<int> token = std::make_shared<int>();
    std::atomic<int> runs{0};
    std::optional<Fixture> fixture;

    explicit Faulty(jtimer::Date start = kStart)
        : clock(std::make_shared<FaultyClock>(start)), fixture(std::in_place, clock) {}

    void add(std::chrono::nanoseconds delay) {
        fixture->after(delay, [this, t = token] { ++runs; });
    }
    /// Destroys the timer, and waits until all that it had is freed.
    void end() {
        fixture->destroy();
        fixture.reset();
        while (token.use_count() > 1) boost::this_thread::yield();
    }
};

namespace faults {

using namespace std::chrono_literals;

/// At its n-th reading there, for some n.
template <class Fixture>
void clockThrowsOnTheThread() {
    for (const long n : {0, 1, 2, 3}) {
        Faulty<Fixture> f;
        f.add(10s);
        f.clock->waitUntilIdle();
        f.clock->failElsewhere(n);
        for (int i = 0; i < 10 && !f.fixture->isOver(); ++i) {
            try {
                f.add(1ms);
            } catch (const std::exception&) {  // that it is over
            }
            f.clock->advance(200);
        }
        f.clock->failElsewhere(-1);
        BOOST_TEST(f.fixture->isOver());
        BOOST_TEST(f.fixture->reports.counts() == "1 0 0");
        f.end();
        BOOST_TEST(f.runs <= n);
    }
}

template <class Fixture>
void longestTimes() {
    Faulty<Fixture> f;
    f.add(std::chrono::nanoseconds::max());
    f.add(std::chrono::nanoseconds::max() - 1ns);
    f.fixture->longest([&f, t = f.token] { ++f.runs; });
    f.clock->advance(1h);
    const int once = f.runs;  // what repeats has run once
    f.fixture->after(1ms, [&] { BOOST_TEST(f.runs == once); });
    f.clock->advance(200);
    BOOST_TEST(f.runs == once);
    BOOST_TEST(once == (Fixture::traits.repeats ? 1 : 0));
    f.end();
}

/// In the first second of the clock, 292 years before 1970, and around 1970.
template <class Fixture>
void clockFarBelow0() {
    for (const auto start : {jtimer::Date::min(), jtimer::Date(-24h * 365 * 200),
                             jtimer::Date() - jtimer::Date::duration(1), jtimer::Date(-50ms)}) {
        Faulty<Fixture> f(start);
        if (Fixture::traits.refusesBefore1970 && start + 100ms < jtimer::Date()) {
            BOOST_CHECK_THROW(f.add(100ms), jtimer::IllegalArgumentException);
            f.end();
            continue;
        }
        f.add(100ms);
        f.fixture->addAndCancel();
        f.clock->advance(99);
        BOOST_TEST(f.runs == 0);
        f.clock->advance(200);
        BOOST_TEST(f.runs == 1);
        f.end();
    }
}

constexpr std::int64_t kHour = 3'600'000'000'000;

/// By ten minutes, while the thread waits for a task that is due in half an hour.
template <class Fixture>
void clockIsSetForward() {
    const auto clock = std::make_shared<SetClock>();
    Counter near, far;
    std::int64_t ran = 0;
    Fixture fixture(clock);
    fixture.after(30min, [&] { far.up(); });
    fixture.after(1ms, [&] { near.up(); });
    BOOST_TEST(near.reaches(1));
    clock->offset = kHour / 6;
    const std::int64_t before = clock->nanos();
    fixture.after(5ms, [&] {
        ran = clock->nanos();
        near.up();
    });
    BOOST_TEST(near.reaches(2));
    fixture.destroy();
    BOOST_TEST(ran - before >= 5'000'000);
    BOOST_TEST(far.get() == 0);
}

/// By an hour, by a task. What it starts then has the whole delay before it.
template <class Fixture>
void clockIsSetBack() {
    const auto clock = std::make_shared<SetClock>();
    Counter made, ended, far;
    std::int64_t started = 0, ran = 0;
    Fixture fixture(clock);
    fixture.after(10min, [&] { far.up(); });
    fixture.after(10ms, [&] {
        made.reaches(1);  // the call of after() has returned
        clock->offset = -kHour;
        started = clock->nanos();
        fixture.after(5ms, [&] {
            ran = clock->nanos();
            ended.up();
        });
        if (!Fixture::traits.followsSetBack) ended.up();
    });
    made.up();
    BOOST_TEST(ended.reaches(1));
    fixture.destroy();
    if (Fixture::traits.followsSetBack) BOOST_TEST(ran - started >= 5'000'000);
    BOOST_TEST(far.get() == 0);
}

template <class Fixture>
void fork() {
    needThreadInForkedChild();
    Faulty<Fixture> f;
    f.add(10s);
    f.add(20s);
    f.clock->waitUntilIdle();
    const int code = inForkedChild([&] {
        f.fixture->cancelInChild();
        f.fixture->destroy();
        Faulty<Fixture> own;
        own.add(10ms);
        own.clock->advance(200);
        const bool ran = own.runs == 1;
        own.end();
        return ran && f.runs == 0 ? 0 : 1;
    });
    BOOST_TEST(code == 0);
    f.clock->advance(30s);
    BOOST_TEST(f.runs == 2);
    f.end();
}

template <class Fixture>
void threadExits() {
    needThreadExit();
    Faulty<Fixture> f;
    f.add(10s);
    f.fixture->after(1ms, [] { ::pthread_exit(nullptr); });
    f.clock->advance(200);
    BOOST_TEST(f.fixture->isOver() == Fixture::traits.endsByThreadExit);
    if (!Fixture::traits.endsByThreadExit) {
        f.add(1ms);
        f.clock->advance(20s);
        BOOST_TEST(f.runs == 2);
    }
    f.end();
}

template <class Fixture>
void isDestroyedByItsTask() {
    Faulty<Fixture> f;
    f.add(10s);
    std::atomic<bool> returned{false};
    f.fixture->after(1ms, [&, t = f.token] {
        f.fixture->destroy();
        returned = true;
    });
    f.clock->advance(20s);
    BOOST_TEST(returned);
    f.end();
    BOOST_TEST(f.runs == 0);
}

template <class Fixture>
void taskThrowsAnInt() {
    Faulty<Fixture> f;
    f.fixture->after(1ms, [] { throw 1; });
    f.clock->advance(200);
    BOOST_TEST(f.fixture->reports.counts() == "0 1 0");
    BOOST_TEST(f.fixture->isOver() == Fixture::traits.endsByException);
    if (!Fixture::traits.endsByException) {
        f.add(1ms);
        f.clock->advance(200);
        BOOST_TEST(f.runs == 1);
    }
    f.end();
}

template <class Fixture>
void noThread() {
    needThreadLimit();
    const auto clock = std::make_shared<jtimer::ManualClock>(kStart);
    for (int i = 0; i < 3; ++i) {
        const NoMoreThreads none;
        std::optional<Fixture> fixture;
        BOOST_CHECK_THROW(fixture.emplace(clock), std::system_error);
        clock->advance(1000);  // the clock does not wait for a thread that is not there
    }
    BOOST_TEST(clock.use_count() == 1);
    Faulty<Fixture> f;
    f.add(1ms);
    f.clock->advance(200);
    BOOST_TEST(f.runs == 1);
    f.end();
}

/// Threads that wait for the timer's locks, while membarrier() is refused from the start or from
/// some moment on.
template <class Fixture>
void usesLocks(const std::function<void()>& inBetween) {
    constexpr int threads = 4, rounds = 3000;
    std::atomic<int> done{0};
    Fixture fixture(std::make_shared<jtimer::SteadyClock>());
    boost::thread_group group;
    for (int i = 0; i < threads; ++i) {
        group.create_thread([&] {
            for (int round = 0; round < rounds; ++round) {
                fixture.addAndCancel();
                if (++done == threads * rounds / 2) inBetween();
            }
        });
    }
    group.join_all();
    Counter ran;
    fixture.after(1ms, [&] { ran.up(); });
    print(ran.reaches(1) ? "went on" : "stands still");
    fixture.destroy();
}

}  // namespace faults

}  // namespace test

#define FAULT_CASES(Fixture)                                                                       \
    CHILD_PROCESS(uses_locks) {                                                                    \
        test::faults::usesLocks<Fixture>([] {});                                                   \
    }                                                                                              \
    CHILD_PROCESS(refuses_at_the_start) {                                                          \
        test::refuseMembarrier(); /* to the program that it starts, too */                         \
        test::print(test::runChild("uses_locks").out);                                             \
    }                                                                                              \
    CHILD_PROCESS(refuses_later) {                                                                 \
        test::faults::usesLocks<Fixture>([] { test::refuseMembarrier(); });                        \
    }                                                                                              \
    BOOST_AUTO_TEST_CASE(fault_the_clock_throws_on_the_timers_thread) {                            \
        test::faults::clockThrowsOnTheThread<Fixture>();                                           \
    }                                                                                              \
    BOOST_AUTO_TEST_CASE(fault_the_longest_times_never_come) {                                     \
        test::faults::longestTimes<Fixture>();                                                     \
    }                                                                                              \
    BOOST_AUTO_TEST_CASE(fault_the_clock_is_far_below_0) {                                         \
        test::faults::clockFarBelow0<Fixture>();                                                   \
    }                                                                                              \
    BOOST_AUTO_TEST_CASE(fault_the_clock_is_set_forward) {                                         \
        test::faults::clockIsSetForward<Fixture>();                                                \
    }                                                                                              \
    BOOST_AUTO_TEST_CASE(fault_the_clock_is_set_back) { test::faults::clockIsSetBack<Fixture>(); } \
    BOOST_AUTO_TEST_CASE(fault_the_process_forks) { test::faults::fork<Fixture>(); }               \
    BOOST_AUTO_TEST_CASE(fault_a_task_exits_its_thread) { test::faults::threadExits<Fixture>(); }  \
    BOOST_AUTO_TEST_CASE(fault_a_task_destroys_its_timer) {                                        \
        test::faults::isDestroyedByItsTask<Fixture>();                                             \
    }                                                                                              \
    BOOST_AUTO_TEST_CASE(fault_a_task_throws_an_int) { test::faults::taskThrowsAnInt<Fixture>(); } \
    BOOST_AUTO_TEST_CASE(fault_no_thread_can_be_started) { test::faults::noThread<Fixture>(); }    \
    BOOST_AUTO_TEST_CASE(fault_membarrier_is_refused) {                                            \
        test::needFilter();                                                                        \
        BOOST_TEST(test::runChild("refuses_at_the_start").out == "went on");                       \
    }                                                                                              \
    BOOST_AUTO_TEST_CASE(fault_membarrier_is_refused_from_a_moment_on) {                           \
        test::needFilter();                                                                        \
        BOOST_TEST(test::runChild("refuses_later").out == "went on");                              \
    }

// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "support/abilities.hpp"
#include "support/forked_child.hpp"
#include "support/gate.hpp"
#include "support/long_run.hpp"
#include "support/manual_timers.hpp"
#include "support/race.hpp"
#include "support/test.hpp"
#include "support/throws.hpp"

#include <jtimer/go/scoped_timer.hpp>

using namespace std::chrono_literals;
using jtimer::go::ScopedTimer;
using jtimer::go::Timer;
using jtimer::go::Timers;
using test::Gate;

namespace {

struct Fixture : test::LongRun {
    Timers timers;
};

/// Runtimes whose executor collects what it is given.
struct Queuing {
    std::vector<std::function<void()>> functions;
    test::ManualTimers manual;

    Queuing() : manual(options()) {}

  private:
    jtimer::go::TimersOptions options() {
        auto options = test::goOnClock(nullptr);
        options.executor = [this](std::function<void()> f) { functions.push_back(std::move(f)); };
        return options;
    }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(stop_and_wait, Fixture)

BOOST_AUTO_TEST_CASE(c1_it_returns_when_the_run_is_over) {
    Timer timer = timers.afterFunc(0, longRun());
    running.wait();
    duringRun([&] {
        BOOST_TEST(!timer.stopAndWait());
        BOOST_TEST(over.load());
    });
    BOOST_TEST(!timer.stopAndWait());
}

BOOST_AUTO_TEST_CASE(c1_without_a_run_in_progress_it_is_stop) {
    test::ManualTimers t;
    Timer timer = t.timers.afterFunc(10, [&t] { t.write("f"); });
    BOOST_TEST(timer.stopAndWait());
    BOOST_TEST(!timer.stopAndWait());
    timer.reset(10);
    t.clock->advance(10);
    BOOST_TEST(!timer.stopAndWait());
    BOOST_TEST(t.take() == "f@10");
    Timer channel = t.timers.newTimer(10);
    BOOST_TEST(channel.stopAndWait());
    BOOST_TEST(!channel.stopAndWait());
    BOOST_CHECK_THROW(Timer().stopAndWait(), jtimer::IllegalStateException);
}

BOOST_AUTO_TEST_CASE(c1_it_waits_for_all_runs_of_the_timer) {
    std::atomic<int> begun{0};
    std::atomic<int> ended{0};
    std::array<Gate, 3> release;
    Timer timer = timers.afterFunc(0, [&] {
        const int run = begun++;
        release.at(static_cast<std::size_t>(run)).wait();
        ++ended;
    });
    for (int runs = 1; runs <= 3; ++runs) {
        while (begun < runs) boost::this_thread::yield();
        if (runs < 3) timer.reset(0);
    }
    test::during(
        [&] {
            BOOST_TEST(!timer.stopAndWait());
            BOOST_TEST(ended.load() == 3);
        },
        [&](boost::thread&) {
            for (Gate& gate : release) gate.open();
        });
}

BOOST_AUTO_TEST_CASE(c1_it_stops_a_timer_that_the_run_has_reset) {
    Timer timer;
    std::atomic<int> runs{0};
    Gate made;
    timer = timers.afterFunc(0, [&] {
        made.wait();
        ++runs;
        running.open();
        released.wait();
        timer.reset(1h);
    });
    made.open();
    running.wait();
    duringRun([&] {
        BOOST_TEST(timer.stopAndWait());
        BOOST_TEST(runs.load() == 1);
    });
    BOOST_TEST(!timer.stop());
    BOOST_TEST(timers.stats().pending == 0U);
}

BOOST_AUTO_TEST_CASE(c1_inside_a_run_it_does_not_wait) {
    Timer timer;
    Gate made, done;
    timer = timers.afterFunc(0, [&] {
        made.wait();
        BOOST_TEST(!timer.stopAndWait());
        timer.reset(1h);
        BOOST_TEST(timer.stopAndWait());
        done.open();
    });
    made.open();
    done.wait();
    timer.stopAndWait();
}

BOOST_AUTO_TEST_CASE(c1_with_an_executor_a_run_ends_with_the_call) {
    Queuing queuing;
    Timer timer = queuing.manual.timers.afterFunc(10, longRun());
    queuing.manual.clock->advance(10);
    boost::thread pool([&] { queuing.functions.at(0)(); });  // still holds the function afterwards
    duringRun([&] {
        BOOST_TEST(!timer.stopAndWait());
        BOOST_TEST(over.load());
    });
    pool.join();
    BOOST_TEST(!timer.reset(10));
    queuing.functions.clear();
    BOOST_TEST(timer.stopAndWait());
}

BOOST_AUTO_TEST_CASE(c1_with_an_executor_a_run_ends_when_its_function_is_destroyed_uncalled) {
    Queuing queuing;
    Timer timer = queuing.manual.timers.afterFunc(10, longRun());
    queuing.manual.clock->advance(10);
    std::atomic<bool> destroyed{false};
    test::during(
        [&] {
            BOOST_TEST(!timer.stopAndWait());
            BOOST_TEST(destroyed.load());
        },
        [&](boost::thread&) {
            destroyed = true;
            queuing.functions.clear();
        });
}

BOOST_AUTO_TEST_CASE(c1_after_the_runtime_it_still_waits_for_the_executor) {
    auto queuing = std::make_unique<Queuing>();
    Timer timer = queuing->manual.timers.afterFunc(10, longRun());
    queuing->manual.clock->advance(10);
    const auto functions = std::move(queuing->functions);
    queuing.reset();
    boost::thread pool([&] { functions.at(0)(); });
    duringRun([&] {
        BOOST_TEST(!timer.stopAndWait());
        BOOST_TEST(over.load());
    });
    pool.join();
}

BOOST_AUTO_TEST_CASE(c1_an_interruption_does_not_end_the_wait) {
    test::needInterruption();
    Timer timer = timers.afterFunc(0, longRun());
    running.wait();
    interruptDuringRun([&] { timer.stopAndWait(); });
}

BOOST_AUTO_TEST_CASE(c1_in_a_forked_child_it_does_not_wait) {
    test::needFork();
    Timer timer = timers.afterFunc(0, longRun());
    running.wait();
    BOOST_TEST(test::inForkedChild([&] { return timer.stopAndWait() ? 1 : 0; }) == 0);
    released.open();
    timer.stopAndWait();
}

BOOST_AUTO_TEST_CASE(c1_a_scoped_timer_stops_and_waits_in_its_destructor) {
    Timer timer = timers.afterFunc(0, longRun());
    running.wait();
    duringRun([&] {
        { const ScopedTimer scoped(std::move(timer)); }
        BOOST_TEST(over.load());
    });
}

BOOST_AUTO_TEST_CASE(c1_a_scoped_timer_can_be_moved_and_an_assignment_stops_the_former_one) {
    static_assert(!std::is_copy_constructible_v<ScopedTimer>);
    static_assert(std::is_nothrow_move_constructible_v<ScopedTimer>);
    test::ManualTimers t;
    ScopedTimer owner;
    BOOST_TEST(!owner.timer());
    owner = ScopedTimer(t.timers.afterFunc(10, [&t] { t.write("first"); }));
    ScopedTimer moved(std::move(owner));
    BOOST_TEST(static_cast<bool>(moved.timer()));
    const std::size_t pending =
        (moved = ScopedTimer(t.timers.afterFunc(10, [&t] { t.write("second"); })),
         t.timers.stats().pending);
    BOOST_TEST(pending == 1);
    auto& itself = moved;
    moved = std::move(itself);
    t.clock->advance(10);
    BOOST_TEST(t.take() == "second@10");
}

BOOST_AUTO_TEST_SUITE_END()

// Whatever races, no run is in progress after the call, and none begins: on function threads and on
// the threads of an executor, and with functions that reset their timer.
BOOST_AUTO_TEST_CASE(c1_after_stopAndWait_no_run_is_in_progress_whatever_races) {
    for (const bool pooled : {false, true}) {
        boost::thread_group pool;
        jtimer::go::TimersOptions options;
        if (pooled) options.executor = [&](std::function<void()> f) { pool.create_thread(f); };
        Timers timers(options);
        struct Shared {
            Timer timer;
            Gate made;
            std::atomic<int> inside{0};
            std::atomic<int> resets{3};
        };
        std::unique_ptr<Shared> shared;
        std::atomic<int> late{0};
        const auto prepare = [&](int) {
            shared = std::make_unique<Shared>();
            shared->timer = timers.afterFunc(0, [s = shared.get()] {
                ++s->inside;
                s->made.wait();
                if (s->resets-- > 0) s->timer.reset(0);
                boost::this_thread::yield();
                --s->inside;
            });
            shared->made.open();
        };
        prepare(0);
        const auto wait = [&](int) {
            shared->timer.stopAndWait();
            late += shared->inside;
        };
        test::race(pooled ? 100 : 500, {wait, wait}, prepare);
        shared->timer.stopAndWait();
        shared.reset();
        pool.join_all();
        BOOST_TEST(late.load() == 0);
    }
}

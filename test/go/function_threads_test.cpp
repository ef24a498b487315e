// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
//
// A program of its own, for it replaces operator new.
#include "clock/waiter.hpp"
#include "support/abilities.hpp"
#include "support/counter.hpp"
#include "support/failing_new.hpp"
#include "support/gate.hpp"
#include "support/manual_timers.hpp"
#include "support/system_threads.hpp"
#include "support/test.hpp"

#include <pthread.h>

using jtimer::go::Timer;
using jtimer::go::Timers;
using test::Counter;
using test::Gate;

// G18: the threads on which functions run, where memory or threads are short, and at the end.

namespace {

/// One function runs, and waits for goOn.
struct OneIsBusy {
    explicit OneIsBusy(bool exitsItsThread = false, int delay = 0)
        : first(timers.afterFunc(delay, [this, exitsItsThread] {
              begun.up();
              goOn.wait();
              if (exitsItsThread) pthread_exit(nullptr);
          })) {}

    Gate goOn;
    Counter begun;
    Counter ran;
    Timers timers;
    const Timer first;
};

/// A steady clock on which, while it is armed, the start of a thread hangs: at the moment when the
/// thread begins to take part in the clock.
class HangingStart final : public jtimer::Clock {
  public:
    mutable std::atomic<bool> armed{false};
    mutable Counter hangs;
    mutable Gate released;

    std::int64_t nanos() const override { return steady_.nanos(); }
    std::shared_ptr<jtimer::detail::Waiter> makeWaiter() const override {
        if (armed) {
            hangs.up();
            released.wait();
        }
        return jtimer::detail::makeWaiter(steady_);
    }

  private:
    const jtimer::SteadyClock steady_;
};

/// Another clock, for one runtime, whose end it tells.
class UntilTheRuntimeEnds final : public jtimer::Clock {
  public:
    UntilTheRuntimeEnds(const HangingStart& clock, Counter& ended) : clock_(clock), ended_(ended) {}
    ~UntilTheRuntimeEnds() override { ended_.up(); }
    std::int64_t nanos() const override { return clock_.nanos(); }
    std::shared_ptr<jtimer::detail::Waiter> makeWaiter() const override {
        return clock_.makeWaiter();
    }

  private:
    const HangingStart& clock_;
    Counter& ended_;
};

}  // namespace

BOOST_AUTO_TEST_SUITE(go_function_threads)

BOOST_AUTO_TEST_CASE(g18_a_thread_that_has_no_memory_goes_on) {
    Counter ran;
    Timers timers;
    timers.afterFunc(0, [&] { ran.up(); });
    BOOST_TEST_REQUIRE(ran.reaches(1));
    const test::NoMemoryElsewhere shortMemory;
    for (int i = 2; i <= 100; ++i) {
        timers.afterFunc(0, [&] { ran.up(); });
        BOOST_TEST_REQUIRE(ran.reaches(i));
    }
}

BOOST_AUTO_TEST_CASE(g18_nothing_of_what_waits_for_a_thread_takes_memory) {
    // One function is busy, no other thread can be had, and a thousand runs wait.
    constexpr int many = 1000;
    OneIsBusy busy;
    BOOST_TEST_REQUIRE(busy.begun.reaches(1));
    const test::NoMemoryElsewhere shortMemory;
    for (int i = 0; i < many; ++i) busy.timers.afterFunc(0, [&] { busy.ran.up(); });
    // The poller has handed them over, and goes on.
    BOOST_TEST(busy.timers.after(1).receiveFor(20'000).has_value());
    busy.goOn.open();
    BOOST_TEST(busy.ran.reaches(many));
    BOOST_TEST(busy.timers.after(1).receiveFor(20'000).has_value());
}

BOOST_AUTO_TEST_CASE(g18_a_thread_that_could_not_be_had_is_asked_for_again) {
    test::needThreadLimit();
    OneIsBusy busy;
    BOOST_TEST_REQUIRE(busy.begun.reaches(1));
    {
        const test::NoMoreThreads no;
        busy.timers.afterFunc(0, [&] { busy.ran.up(); });
        busy.timers.after(10).receive();
    }
    // The first still runs, and nothing else is due.
    BOOST_TEST(busy.ran.reaches(1));
    busy.goOn.open();
}

BOOST_AUTO_TEST_CASE(g18_a_function_that_the_poller_has_run_is_destroyed_with_no_lock_held) {
    test::needThreadLimit();
    Counter ran;
    Timers timers;
    const test::NoMoreThreads no;
    const auto runAnother = [&](void*) { timers.afterFunc(0, [&] { ran.up(); }); };
    timers.afterFunc(0, [&, atEnd = std::shared_ptr<void>(&ran, runAnother)] { ran.up(); });
    BOOST_TEST(ran.reaches(2));
}

BOOST_AUTO_TEST_CASE(g18_a_function_that_exits_its_thread_leaves_the_others_to_another) {
    test::needThreadLimit();
    test::needThreadExit();
    for (const bool threadsCanBeHadAgain : {true, false}) {
        OneIsBusy busy(true);
        BOOST_TEST_REQUIRE(busy.begun.reaches(1));
        std::optional<test::NoMoreThreads> no(std::in_place);
        for (int i = 0; i < 3; ++i) busy.timers.afterFunc(0, [&] { busy.ran.up(); });
        busy.timers.after(1).receive();
        if (threadsCanBeHadAgain) no.reset();
        busy.goOn.open();
        BOOST_TEST(busy.ran.reaches(3));
    }
}

BOOST_AUTO_TEST_CASE(g18_the_only_thread_there_is_passes_on_what_waits_when_it_exits) {
    test::needThreadLimit();
    test::needThreadExit();
    OneIsBusy busy(true, 20);
    std::optional<test::NoMoreThreads> no(std::in_place);
    BOOST_TEST_REQUIRE(busy.begun.reaches(1));
    busy.timers.afterFunc(0, [&] { busy.ran.up(); });
    busy.timers.after(10).receive();
    BOOST_TEST(busy.ran.get() == 0);
    busy.goOn.open();
    busy.timers.after(20).receive();
    no.reset();
    BOOST_TEST(busy.ran.reaches(1));
}

BOOST_AUTO_TEST_CASE(g18_other_timers_do_not_wait_for_the_start_of_a_thread) {
    const auto clock = std::make_shared<HangingStart>();
    Counter ran;
    Gate goOn;
    Timers timers(test::goOnClock(clock));
    timers.afterFunc(0, [&] { ran.up(); });
    BOOST_TEST_REQUIRE(ran.reaches(1));
    clock->armed = true;
    for (int i = 0; i < 3; ++i) {
        timers.afterFunc(0, [&] {
            goOn.wait();
            ran.up();
        });
    }
    BOOST_TEST_REQUIRE(clock->hangs.reaches(1));
    // On another thread: the first may take part in the clock by itself.
    const auto other = timers.newTimer(1);
    Counter received;
    boost::thread receiver([&] {
        other.C().receive();
        received.up();
    });
    BOOST_TEST(received.reaches(1));
    clock->armed = false;
    clock->released.open();
    goOn.open();
    receiver.join();
    BOOST_TEST(ran.reaches(4));
}

BOOST_AUTO_TEST_CASE(g18_trivial_functions_take_few_threads) {
    // A processor may be taken from a thread that runs such a function. Then, at the latest after a
    // millisecond, there is another thread.
    constexpr int many = 10'000;
    std::atomic<int> ran{0};
    std::atomic<int> threads{0};
    test::ManualTimers t;
    for (int i = 0; i < many; ++i) {
        t.timers.afterFunc(10, [&] {
            thread_local bool isNew = true;
            if (std::exchange(isNew, false)) ++threads;
            ++ran;
        });
    }
    const auto begin = std::chrono::steady_clock::now();
    t.clock->advance(10);
    const auto span = std::chrono::steady_clock::now() - begin;
    BOOST_TEST(ran == many);
    const auto most = 64 + std::chrono::duration_cast<std::chrono::milliseconds>(span).count();
    BOOST_TEST(threads <= most);
}

BOOST_AUTO_TEST_CASE(g18_functions_that_wait_for_each_other_get_a_thread_each) {
    constexpr int many = 300;
    test::ManualTimers t;
    // In the second round, the surplus threads of the first have ended.
    for (int round = 0; round < 2; ++round) {
        Gate goOn;
        Counter waiting;
        Counter ran;
        for (int i = 0; i < many; ++i) {
            t.timers.afterFunc(10, [&, i] {
                waiting.up();
                if (i == many / 2 && waiting.reaches(many)) goOn.open();
                goOn.wait();
                ran.up();
            });
        }
        t.clock->advance(10);
        BOOST_TEST(ran.get() == many);
    }
}

BOOST_AUTO_TEST_CASE(g18_runs_of_one_timer_that_wait_for_a_thread_all_run) {
    test::needThreadLimit();
    OneIsBusy busy;
    BOOST_TEST_REQUIRE(busy.begun.reaches(1));
    {
        const test::NoMoreThreads no;
        Timer often = busy.timers.afterFunc(0, [&] { busy.ran.up(); });
        Timer other = busy.timers.afterFunc(0, [&] { busy.ran.up(); });
        for (int i = 0; i < 100; ++i) {
            busy.timers.after(0).receive();
            often.reset(0);
            if (i % 3 == 0) other.reset(0);
        }
        busy.timers.after(1).receive();
        busy.goOn.open();
    }
    // Of the resets some may have ended a start that had not been handed over.
    BOOST_TEST(busy.ran.reaches(2));
}

BOOST_AUTO_TEST_CASE(g34_the_destructor_waits_for_what_waits_for_a_thread) {
    test::needThreadLimit();
    Counter ran;
    {
        Counter begun;
        Timers timers;
        timers.afterFunc(0, [&] {
            begun.up();
            test::stateError([&] { timers.sleep(1'000'000); });
        });
        BOOST_TEST_REQUIRE(begun.reaches(1));
        const test::NoMoreThreads no;
        for (int i = 0; i < 10; ++i) timers.afterFunc(0, [&] { ran.up(); });
        timers.after(5).receive();
    }
    BOOST_TEST(ran.get() == 10);
}

BOOST_AUTO_TEST_CASE(g34_a_thread_that_is_being_started_when_a_function_destroys_its_timers_ends) {
    const HangingStart hanging;
    Counter ran;
    Counter ended;
    auto timers = std::make_unique<Timers>(
        test::goOnClock(std::make_shared<UntilTheRuntimeEnds>(hanging, ended)));
    timers->afterFunc(0, [&] {
        hanging.armed = true;
        for (int i = 0; i < 3; ++i) timers->afterFunc(0, [&] { ran.up(); });
        hanging.hangs.reaches(1);
        timers.reset();
        hanging.armed = false;
        hanging.released.open();
        ran.up();
    });
    BOOST_TEST(ran.reaches(1));
    // The threads end by themselves, and with them the runtime.
    BOOST_TEST(ended.reaches(1));
}

// Each has ended before the destructor has joined those that came before it.
BOOST_AUTO_TEST_CASE(g34_the_destructor_joins_threads_that_pthread_exit_unwinds_all_at_once) {
    test::needThreadExit();
    constexpr int many = 100;
    Counter begun;
    std::atomic<int> ended{0};
    {
        Timers timers;
        for (int i = 0; i < many; ++i) {
            timers.afterFunc(0, [&] {
                begun.up();
                test::stateError([&] { timers.sleep(1'000'000); });
                boost::this_thread::sleep_for(boost::chrono::milliseconds(20));
                ++ended;
                pthread_exit(nullptr);
            });
        }
        BOOST_TEST_REQUIRE(begun.reaches(many));
    }
    BOOST_TEST(ended == many);
}

BOOST_AUTO_TEST_SUITE_END()

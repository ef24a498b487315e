// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "netty/origin.hpp"
#include "support/abilities.hpp"
#include "support/clocks.hpp"
#include "support/gate.hpp"
#include "support/manual_wheel.hpp"
#include "support/scripted_clock.hpp"
#include "support/test.hpp"
#include "support/throws.hpp"

#include <pthread.h>

using namespace std::chrono_literals;
using jtimer::IllegalStateException;
using jtimer::netty::HashedWheelTimer;
using jtimer::netty::detail::TimeoutAccess;
using test::Handle;
using test::ManualWheel;

namespace {

constexpr auto kOnWorker = "HashedWheelTimer.stop() cannot be called from TimerTask";
constexpr auto kStopped = "cannot be started once stopped";

using Handles = std::set<Handle>;

Handles toSet(const std::vector<Handle>& handles) {
    Handles set(handles.begin(), handles.end());
    BOOST_TEST(set.size() == handles.size());  // each once
    return set;
}

/// A wheel whose first run can be held, while other threads do something.
struct Fixture : test::ManualWheel {
    test::Gate running;

    /// Calls `function` inside a run, at 100, while the calling thread goes on.
    void runBeside(std::function<void()> function) {
        at(0, [this, function = std::move(function)] {
            running.open();
            function();
        });
        mover_ = boost::thread([this] { clock->advanceTo(test::at(100)); });
        running.wait();
    }
    ~Fixture() {
        if (mover_.joinable()) mover_.join();
    }

  private:
    boost::thread mover_;
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(stop, Fixture)

BOOST_AUTO_TEST_CASE(n44_in_run_stop_is_refused_and_the_timer_goes_on) {
    at(0, [this] { CHECK_THROWS(timer.stop(), IllegalStateException, kOnWorker); });
    add("a", 100);
    advanceTo(200);
    add("b", 0);
    advanceTo(300);
    BOOST_TEST(log.take() == "a@200 b@300");
}

BOOST_AUTO_TEST_CASE(n44_in_cancelled_and_in_a_handler_stop_is_refused) {
    auto options = test::wheelOn(clock);
    HashedWheelTimer* self = nullptr;
    int calls = 0;
    const auto tryToStop = [&] {
        CHECK_THROWS(self->stop(), IllegalStateException, kOnWorker);
        ++calls;
    };
    options.uncaughtExceptionHandler = [&](const std::string&, const std::exception_ptr&) {
        tryToStop();
    };
    HashedWheelTimer other(options);
    self = &other;
    other.newTimeout([] { throw 1; }, 0);
    other
        .newTimeout(std::make_shared<test::WheelTask>([](const Handle&) {},
                                                      [&](const Handle&) { tryToStop(); }),
                    0)
        ->cancel();
    advanceTo(100);
    BOOST_TEST(calls == 2);
    other.newTimeout(log.entry("a"), 0);
    advanceTo(200);
    BOOST_TEST(log.take() == "a@200");
}

BOOST_AUTO_TEST_CASE(n44_on_an_executors_thread_stop_works) {
    std::function<void()> queued;
    auto options = test::wheelOn(clock);
    options.taskExecutor = [&](std::function<void()> run) { queued = std::move(run); };
    HashedWheelTimer other(options);
    std::size_t returned = 0;
    other.newTimeout([&] { returned = other.stop().size(); }, 0);
    other.newTimeout([] {}, 1h);
    advanceTo(100);
    boost::thread(queued).join();
    BOOST_TEST(returned == 1U);
}

BOOST_AUTO_TEST_CASE(n44_a_task_of_another_timer_can_stop_this_one) {
    HashedWheelTimer other(test::wheelOn(clock));
    std::size_t returned = 0;
    add("a", 1h);
    other.newTimeout([&] { returned = timer.stop().size(); }, 250);
    clock->advance(1000);
    BOOST_TEST(returned == 1U);
    BOOST_TEST(log.take() == "-a@300");
}

BOOST_AUTO_TEST_CASE(n44_a_thread_with_the_id_of_an_ended_worker_can_stop_its_timer) {
    // The system gives an ended thread's id to the next one.
    for (int i = 0; i < 20; ++i) {
        HashedWheelTimer ended(test::wheelOn(clock));
        ended.start();
        ended.stop();
        boost::thread([&] { BOOST_TEST(ended.stop().empty()); }).join();
    }
}

BOOST_AUTO_TEST_CASE(n45_a_timer_that_was_not_started_is_stopped_for_good) {
    HashedWheelTimer fresh(test::wheelOn(clock));
    BOOST_TEST(fresh.stop().empty());
    BOOST_TEST(fresh.stop().empty());
    BOOST_TEST(fresh.pendingTimeouts() == 0);
    CHECK_THROWS(fresh.start(), IllegalStateException, kStopped);
}

BOOST_AUTO_TEST_CASE(n45_a_second_stop_returns_nothing_at_once_though_the_first_still_waits) {
    std::optional<std::size_t> second;
    add("a", 1h);
    runBeside([this] {
        test::awaitStop(timer);
        log.write("run");
    });
    boost::thread other([&] {
        test::awaitStop(timer);
        second = timer.stop().size();
    });
    const auto first = timer.stop();
    other.join();
    BOOST_TEST(first.size() == 1U);
    BOOST_TEST((second == 0U));
    BOOST_TEST(timer.stop().empty());
}

BOOST_AUTO_TEST_CASE(n45_while_the_first_stop_waits_for_a_run_that_waits_for_the_second) {
    runBeside([this] {
        test::awaitStop(timer);
        boost::thread([this] { BOOST_TEST(timer.stop().empty()); }).join();
    });
    BOOST_TEST(timer.stop().empty());
}

BOOST_AUTO_TEST_CASE(n48_stop_waits_for_a_worker_that_ends_by_itself) {
    test::needThreadExit();
    for (const bool exits : {true, false}) {
        const auto own = std::make_shared<test::BrokenClock>();
        auto options = test::wheelOn(own, 8, 1ms);
        options.uncaughtExceptionHandler = [](const std::string&, const std::exception_ptr&) {};
        HashedWheelTimer ending(options);
        test::Gate cancelling;
        std::atomic<int> cancelled{0};
        const auto far = std::make_shared<test::WheelTask>([](const Handle&) {},
                                                           [&](const Handle&) {
                                                               cancelling.open();
                                                               boost::this_thread::yield();
                                                               ++cancelled;
                                                           });
        for (int i = 0; i < 1000; ++i) ending.newTimeout(far, 1h);
        const auto end = [&] {
            if (exits) ::pthread_exit(nullptr);
            own->isBroken = true;
        };
        ending.newTimeout(end, 0);
        cancelling.wait();
        BOOST_TEST(ending.stop().empty());
        BOOST_TEST(cancelled == 1000);
        BOOST_TEST(ending.pendingTimeouts() == 0);
    }
}

BOOST_AUTO_TEST_CASE(n46_stop_returns_each_pending_timeout_once) {
    const Handle fresh = add("fresh", 0), near = add("near", 150), far = add("far", 24h);
    advanceTo(100);
    const Handle late = add("late", -50);
    BOOST_TEST(log.take() == "fresh@100");
    BOOST_TEST((toSet(timer.stop()) == Handles{near, far, late}));
    BOOST_TEST(fresh->isExpired());
    advanceTo(1000);
    std::string cancelled = log.take();
    BOOST_TEST(cancelled.find("-near@100") != std::string::npos);
    BOOST_TEST(cancelled.find("-far@100") != std::string::npos);
    BOOST_TEST(cancelled.find("-late@100") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(n46_stop_waits_for_a_running_task) {
    std::atomic<bool> ended{false};
    runBeside([&] {
        test::awaitStop(timer);
        for (int i = 0; i < 1000; ++i) boost::this_thread::yield();
        ended = true;
    });
    timer.stop();
    BOOST_TEST(ended);
}

BOOST_AUTO_TEST_CASE(n47_the_worker_finishes_the_tick_that_it_is_in) {
    const Handle victim = add("victim", 1h);
    std::atomic<bool> isCancelled{false};
    runBeside([&] {
        isCancelled = victim->cancel();
        test::awaitStop(timer);
        log.write("run");
    });
    const Handle next = add("next", -1);  // too late for the tick that is being handled
    BOOST_TEST((toSet(timer.stop()) == Handles{next}));
    BOOST_TEST(isCancelled);
    BOOST_TEST(log.take() == "run@100 -victim@100 -next@100");
}

BOOST_AUTO_TEST_CASE(n47_what_is_in_the_current_slot_for_a_later_round_is_returned) {
    const Handle far = add("far", 50ms + 8 * 100ms);  // of the same slot, a revolution later
    runBeside([this] {
        test::awaitStop(timer);
        log.write("run");
    });
    BOOST_TEST((toSet(timer.stop()) == Handles{far}));
    BOOST_TEST(log.take() == "run@100 -far@100");
}

BOOST_AUTO_TEST_CASE(n47_the_rest_of_the_slot_runs_after_a_stop_inside_the_tick) {
    at(0, [this] {
        running.open();
        test::awaitStop(timer);
        log.write("a");
    });
    add("b", 0);
    const Handle next = add("next", 100);
    boost::thread mover([this] { advanceTo(100); });
    running.wait();
    BOOST_TEST((toSet(timer.stop()) == Handles{next}));
    mover.join();
    BOOST_TEST(log.take() == "a@100 b@100 -next@100");
}

BOOST_AUTO_TEST_CASE(n47_ticks_that_were_missed_are_not_handled_any_more) {
    const Handle missed = add("missed", 100);
    runBeside([this] {
        clock->advance(1000);
        test::awaitStop(timer);
        log.write("run");
    });
    BOOST_TEST((toSet(timer.stop()) == Handles{missed}));
    BOOST_TEST(log.take() == "run@1100 -missed@1100");
}

BOOST_AUTO_TEST_CASE(n48_all_returned_are_cancelled_with_a_call_on_the_worker) {
    boost::thread::id worker, caller;
    const auto given = std::make_shared<test::WheelTask>(
        [&](const Handle&) { worker = boost::this_thread::get_id(); },
        [&](const Handle& self) {
            BOOST_TEST(self->isCancelled());
            caller = boost::this_thread::get_id();
            log.write("-");
        });
    timer.newTimeout(given, 0);
    const Handle pending = timer.newTimeout(given, 1h);
    advanceTo(100);
    BOOST_TEST((toSet(timer.stop()) == Handles{pending}));
    BOOST_TEST(log.take() == "-@100");
    BOOST_TEST((caller == worker));
    BOOST_TEST(pending->isCancelled());
    BOOST_TEST(!pending->cancel());
    BOOST_TEST(timer.pendingTimeouts() == 0);
}

BOOST_AUTO_TEST_CASE(n48_what_was_cancelled_before_is_not_returned_but_gets_its_call) {
    const Handle placed = add("placed", 1h);
    advanceTo(100);
    const Handle fresh = add("fresh", 1h);
    placed->cancel();
    fresh->cancel();
    BOOST_TEST(timer.stop().empty());
    BOOST_TEST(log.take() == "-placed@100 -fresh@100");
    BOOST_TEST(timer.pendingTimeouts() == 0);
}

BOOST_AUTO_TEST_CASE(n48_a_cancelled_call_of_stop_may_try_to_add_and_cancel) {
    Handle second;
    int refused = 0;
    const auto given = std::make_shared<test::WheelTask>(
        [](const Handle&) {},
        [&](const Handle&) {
            BOOST_TEST(!second->cancel());  // stop() has cancelled it
            try {
                timer.newTimeout([] {}, 0);
            } catch (const IllegalStateException&) {
                ++refused;
            }
        });
    timer.newTimeout(given, 100);
    second = timer.newTimeout(given, 200);
    BOOST_TEST(timer.stop().size() == 2U);
    BOOST_TEST(refused == 2);
}

BOOST_AUTO_TEST_CASE(n64_a_cancel_between_its_swap_and_the_inbox_is_accounted_for_by_stop) {
    const Handle slow = add("slow", 1h), fast = add("fast", 1h);
    advanceTo(100);
    BOOST_TEST(TimeoutAccess::cancel(*slow));  // the first half of cancel()
    BOOST_TEST((toSet(timer.stop()) == Handles{fast}));
    BOOST_TEST(timer.pendingTimeouts() == 0);
    BOOST_TEST(log.take() == "-slow@100 -fast@100");
    TimeoutAccess::origin(*slow)->push(*slow);  // the second
    BOOST_TEST(slow->isCancelled());
}

BOOST_AUTO_TEST_CASE(n64_a_cancel_of_a_timeout_in_the_inbox_is_accounted_for_by_stop) {
    const Handle slow = add("slow", 1h);
    BOOST_TEST(TimeoutAccess::cancel(*slow));
    BOOST_TEST(timer.stop().empty());
    TimeoutAccess::origin(*slow)->push(*slow);
    BOOST_TEST(log.take() == "-slow@0");
}

BOOST_AUTO_TEST_CASE(n70_stop_ends_a_waiting_worker_at_once_however_long_its_tick_is) {
    for (const auto& delay : {std::optional<jtimer::TimeSpan>(), std::optional<jtimer::TimeSpan>(0),
                              std::optional<jtimer::TimeSpan>(100h)}) {
        HashedWheelTimer slow(test::wheelOn(std::make_shared<jtimer::SteadyClock>(), 8, 24h));
        slow.start();
        if (delay) slow.newTimeout([] {}, *delay);
        BOOST_TEST(slow.stop().size() == (delay ? 1U : 0U));  // for a day, if it were not at once
    }
}

BOOST_AUTO_TEST_CASE(n70_a_stopped_worker_waits_no_more) {
    const auto scripted = std::make_shared<test::ScriptedClock>();
    HashedWheelTimer other(test::wheelOn(scripted, 8, 24h));
    other.start();
    BOOST_TEST(scripted->awaitWait(1) == jtimer::detail::kNever);
    scripted->time -= 1'000'000'000;  // whatever the clock shows
    other.stop();
    BOOST_TEST(scripted->notifications() == 1);
}

BOOST_AUTO_TEST_SUITE_END()

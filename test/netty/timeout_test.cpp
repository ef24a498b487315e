// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "support/manual_wheel.hpp"
#include "support/race.hpp"
#include "support/test.hpp"

using namespace std::chrono_literals;
using jtimer::netty::HashedWheelTimer;
using jtimer::netty::TimerTask;
using test::Handle;
using test::ManualWheel;

BOOST_FIXTURE_TEST_SUITE(timeout, ManualWheel)

BOOST_AUTO_TEST_CASE(n38_cancel_is_true_once_while_the_timeout_is_pending) {
    const Handle fresh = add("fresh", 0), placed = add("placed", 1h);
    BOOST_TEST(fresh->cancel());
    BOOST_TEST(!fresh->cancel());
    advanceTo(100);
    BOOST_TEST(!fresh->cancel());
    BOOST_TEST(placed->cancel());
    BOOST_TEST(!placed->cancel());
    advanceTo(200);
    BOOST_TEST(!placed->cancel());
    BOOST_TEST(log.take() == "-fresh@100 -placed@200");
}

BOOST_AUTO_TEST_CASE(n38_cancel_of_an_expired_timeout_is_false_even_inside_its_own_run) {
    std::optional<bool> inside;
    const Handle expired =
        timer.newTimeout([&](const Handle& self) { inside = self->cancel(); }, 0);
    advanceTo(100);
    BOOST_TEST((inside == false));
    BOOST_TEST(!expired->cancel());
    BOOST_TEST(expired->isExpired());
    BOOST_TEST(!expired->isCancelled());
    advanceTo(1000);
    BOOST_TEST(log.take() == "");
}

BOOST_AUTO_TEST_CASE(n38_of_several_threads_that_cancel_one_gets_true) {
    Handle victim;
    std::atomic<int> winners{0};
    const auto racer = [&](int) { winners += victim->cancel() ? 1 : 0; };
    victim = add("", 1h);
    test::race(300, {racer, racer, racer}, [&](int) {
        BOOST_TEST(winners.exchange(0) == 1);
        victim = add("", 1h);
    });
}

BOOST_AUTO_TEST_CASE(n38_of_a_run_and_a_cancel_that_race_one_wins) {
    Handle victim;
    std::atomic<bool> cancelled{false}, ran{false};
    const auto arm = [&] {
        cancelled = ran = false;
        victim = at(50, [&] { ran = true; });
    };
    arm();
    test::race(300, {[&](int) { clock->advance(100); }, [&](int) { cancelled = victim->cancel(); }},
               [&](int) {
                   BOOST_TEST(cancelled != ran);
                   BOOST_TEST(victim->isCancelled() == cancelled);
                   BOOST_TEST(victim->isExpired() == ran);
                   clock->advance(100);
                   BOOST_TEST(timer.pendingTimeouts() == 0);
                   arm();
               });
}

BOOST_AUTO_TEST_CASE(n39_a_cancelled_timeout_never_runs_even_if_its_own_tick_cancels_it) {
    Handle victim;
    at(0, [&] {
        log.write("a");
        BOOST_TEST(victim->cancel());
    });
    victim = add("victim", 0);
    add("b", 0);
    advanceTo(1000);
    BOOST_TEST(log.take() == "a@100 b@100 -victim@100");
}

BOOST_AUTO_TEST_CASE(n40_isExpired_is_true_from_before_the_run_on_whatever_that_does) {
    const auto handler = [this](const std::string&, const std::exception_ptr&) { log.write("!"); };
    auto options = test::wheelOn(clock);
    options.uncaughtExceptionHandler = handler;
    HashedWheelTimer other(options);
    const Handle expired = other.newTimeout(
        [](const Handle& self) {
            BOOST_TEST(self->isExpired());
            BOOST_TEST(!self->isCancelled());
            throw std::runtime_error("failed");
        },
        0);
    BOOST_TEST(!expired->isExpired());
    BOOST_TEST(!expired->isCancelled());
    advanceTo(100);
    BOOST_TEST(log.take() == "!@100");
    BOOST_TEST(expired->isExpired());
    BOOST_TEST(!expired->isCancelled());
}

BOOST_AUTO_TEST_CASE(n40_isCancelled_is_true_from_the_cancellation_on) {
    const auto task = std::make_shared<test::WheelTask>([](const Handle&) {},
                                                        [&](const Handle& self) {
                                                            BOOST_TEST(self->isCancelled());
                                                            BOOST_TEST(!self->isExpired());
                                                            log.write("-");
                                                        });
    const Handle cancelled = timer.newTimeout(task, 0);
    cancelled->cancel();
    BOOST_TEST(cancelled->isCancelled());
    BOOST_TEST(!cancelled->isExpired());
    advanceTo(100);
    BOOST_TEST(log.take() == "-@100");
    BOOST_TEST(cancelled->isCancelled());
    BOOST_TEST(!cancelled->isExpired());
}

BOOST_AUTO_TEST_CASE(n41_a_timeout_knows_its_task_and_its_timer_always) {
    const auto given = task("a");
    const Handle handle = timer.newTimeout(given, 0), other = timer.newTimeout(given, 1h);
    const auto check = [&](const Handle& timeout) {
        BOOST_TEST(timeout->task() == given);
        BOOST_TEST(timeout->timer() == &timer);
    };
    check(handle);
    advanceTo(100);
    other->cancel();
    check(handle);
    check(other);
    advanceTo(200);
    timer.stop();
    check(handle);
    check(other);
}

BOOST_AUTO_TEST_CASE(n41_run_and_cancelled_get_the_handle_that_newTimeout_returned) {
    Handle ran, cancelled;
    const auto given = std::make_shared<test::WheelTask>(
        [&](const Handle& self) { ran = self; }, [&](const Handle& self) { cancelled = self; });
    const Handle first = timer.newTimeout(given, 0), second = timer.newTimeout(given, 1h);
    second->cancel();
    advanceTo(100);
    BOOST_TEST(ran == first);
    BOOST_TEST(cancelled == second);
}

BOOST_AUTO_TEST_CASE(n42_cancelled_calls_come_in_the_order_of_the_cancellations) {
    std::vector<Handle> all;
    for (int i = 0; i < 6; ++i) all.push_back(add(std::to_string(i), i % 2 == 0 ? 0ms : 1h));
    for (const std::size_t i : {3U, 0U, 5U, 1U, 4U, 2U}) all[i]->cancel();
    advanceTo(1000);
    BOOST_TEST(log.take() == "-3@100 -0@100 -5@100 -1@100 -4@100 -2@100");
}

BOOST_AUTO_TEST_CASE(n42_cancelled_is_called_on_the_worker_and_never_on_an_executor) {
    boost::thread::id worker, canceller;
    int handedOver = 0;
    auto options = test::wheelOn(clock);
    options.taskExecutor = [&](const std::function<void()>& run) {
        ++handedOver;
        worker = boost::this_thread::get_id();
        run();
    };
    HashedWheelTimer other(options);
    other.newTimeout([] {}, 0);
    other
        .newTimeout(std::make_shared<test::WheelTask>(
                        [](const Handle&) {},
                        [&](const Handle&) { canceller = boost::this_thread::get_id(); }),
                    1h)
        ->cancel();
    advanceTo(100);
    BOOST_TEST(handedOver == 1);
    BOOST_TEST((canceller == worker));
    BOOST_TEST((canceller != boost::thread::id()));
}

BOOST_AUTO_TEST_CASE(n43_cancelled_may_call_everything_that_run_may) {
    int calls = 0;
    const auto given = std::make_shared<test::WheelTask>(
        [](const Handle&) {},
        [&](const Handle& self) {
            ++calls;
            BOOST_TEST(!self->cancel());
            BOOST_TEST(self->timer() == &timer);
            BOOST_TEST(timer.pendingTimeouts() == 0);
            timer.start();
            add("a", 0);
            BOOST_CHECK_THROW(timer.stop(), jtimer::IllegalStateException);
        });
    timer.newTimeout(given, 1h)->cancel();
    advanceTo(1000);
    BOOST_TEST(calls == 1);
    BOOST_TEST(log.take() == "a@200");
}

BOOST_AUTO_TEST_CASE(n43_by_default_cancelled_does_nothing) {
    struct OnlyRun final : TimerTask {
        void run(const Handle&) override { BOOST_ERROR("it was cancelled"); }
    };
    timer.newTimeout(std::make_shared<OnlyRun>(), 0)->cancel();
    at(0, [] { BOOST_ERROR("it was cancelled"); })->cancel();
    advanceTo(1000);
    BOOST_TEST(timer.pendingTimeouts() == 0);
}

BOOST_AUTO_TEST_CASE(n57_a_timeout_may_outlive_its_timer) {
    const auto given = task("a");
    Handle expired, cancelled, pending;
    {
        HashedWheelTimer other(test::wheelOn(clock));
        expired = other.newTimeout(given, 0);
        cancelled = other.newTimeout(given, 1h);
        pending = other.newTimeout(given, 1h);
        cancelled->cancel();
        advanceTo(100);
        BOOST_TEST(expired->timer() == &other);
        BOOST_TEST(log.take() == "a@100 -a@100");
    }
    BOOST_TEST(log.take() == "-a@100");
    for (const Handle& timeout : {expired, cancelled, pending}) {
        BOOST_TEST(timeout->timer() == nullptr);
        BOOST_TEST(timeout->task() == given);
        BOOST_TEST(timeout->isExpired() == (timeout == expired));
        BOOST_TEST(timeout->isCancelled() == (timeout != expired));
        BOOST_TEST(!timeout->cancel());
    }
}

// ThreadSanitizer checks that this needs nothing else.
BOOST_AUTO_TEST_CASE(n57_a_thread_that_finds_no_timer_sees_what_was_written_before_its_end) {
    std::string written;
    std::optional<HashedWheelTimer> other(std::in_place, test::wheelOn(clock));
    const Handle timeout = other->newTimeout([] {}, 1h);
    boost::thread reader([&] {
        while (timeout->timer() != nullptr) boost::this_thread::yield();
        BOOST_TEST(written == "before");
    });
    written = "before";
    other.reset();
    reader.join();
}

BOOST_AUTO_TEST_CASE(n57_timer_is_not_null_while_the_destructor_makes_its_calls) {
    HashedWheelTimer* seen = nullptr;
    HashedWheelTimer* address = nullptr;
    {
        HashedWheelTimer other(test::wheelOn(clock));
        address = &other;
        other.newTimeout(
            std::make_shared<test::WheelTask>([](const Handle&) {},
                                              [&](const Handle& self) { seen = self->timer(); }),
            1h);
    }
    BOOST_TEST(seen == address);
}

BOOST_AUTO_TEST_SUITE_END()

// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "support/manual_timers.hpp"
#include "support/race.hpp"
#include "support/test.hpp"
#include "support/throws.hpp"

using jtimer::IllegalStateException;
using jtimer::go::Timer;
using test::millis;

namespace {

/// The states of the table, brought about for a timer with a channel or with a function.
enum class State { Running, Unread, Received, HandedOver, Stopped };

struct InState : test::ManualTimers {
    int runs = 0;  // of the function; read when all is quiet

    Timer make(State state) {
        const bool hasFunction = state == State::HandedOver;
        Timer timer = hasFunction ? timers.afterFunc(10, [this] { ++runs; }) : timers.newTimer(10);
        if (state == State::Stopped) timer.stop();
        if (state == State::Running || state == State::Stopped) return timer;
        clock->advance(10);
        if (state == State::Received) timer.C().tryReceive();
        return timer;
    }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(go_timer, InState)

BOOST_AUTO_TEST_CASE(g13_stop_says_whether_it_has_ended_a_start) {
    for (const auto& [state, expected] : {std::pair(State::Running, true),
                                          {State::Unread, true},
                                          {State::Received, false},
                                          {State::HandedOver, false},
                                          {State::Stopped, false}}) {
        Timer timer = make(state);
        BOOST_TEST(timer.stop() == expected);
        BOOST_TEST(timers.stats().pending == 0U);
        BOOST_TEST(!timer.stop());
        BOOST_TEST(!timer.C().tryReceive());
        clock->advance(100);
        BOOST_TEST(!timer.C().tryReceive());
    }
    BOOST_TEST(runs == 1);
}

BOOST_AUTO_TEST_CASE(g13_reset_says_whether_it_has_ended_a_start_and_starts_the_timer_anew) {
    for (const auto& [state, expected] : {std::pair(State::Running, true),
                                          {State::Unread, true},
                                          {State::Received, false},
                                          {State::Stopped, false}}) {
        Timer timer = make(state);
        BOOST_TEST(timer.reset(30) == expected);
        BOOST_TEST(timers.stats().pending == 1U);
        const auto start = now();
        BOOST_TEST(!timer.C().tryReceive());  // the value of an unread one is gone
        clock->advance(29);
        BOOST_TEST(!timer.C().tryReceive());
        clock->advance(1);
        BOOST_TEST(millis(timer.C().tryReceive()) == start + 30);
        BOOST_TEST(!timer.C().tryReceive());
    }
}

BOOST_AUTO_TEST_CASE(g13_reset_of_a_timer_with_a_function_runs_it_by_the_new_time_only) {
    Timer handedOver = make(State::HandedOver);
    BOOST_TEST(runs == 1);
    BOOST_TEST(!handedOver.reset(30));
    clock->advance(29);
    BOOST_TEST(runs == 1);
    clock->advance(1);
    BOOST_TEST(runs == 2);
    Timer running = timers.afterFunc(10, entry("f"));
    BOOST_TEST(running.reset(30));
    clock->advance(100);
    BOOST_TEST(take() == "f@70");
    Timer stopped = timers.afterFunc(10, entry("g"));
    stopped.stop();
    BOOST_TEST(!stopped.reset(5));
    clock->advance(100);
    BOOST_TEST(take() == "g@145");
}

BOOST_AUTO_TEST_CASE(g13_stop_and_reset_of_an_uninitialised_handle_throw) {
    Timer never;
    Timer from = timers.newTimer(10);
    const Timer to = std::move(from);
    for (Timer* const timer : {&never, &from}) {
        CHECK_THROWS(timer->stop(), IllegalStateException,
                     "time: Stop called on uninitialized Timer");
        CHECK_THROWS(timer->reset(5), IllegalStateException,
                     "time: Reset called on uninitialized Timer");
    }
    clock->advance(10);
    BOOST_TEST(millis(to.C().tryReceive()) == 10);
}

BOOST_AUTO_TEST_CASE(g13_every_order_of_two_operations_comes_out_as_the_table_says) {
    // A model of one start: what each operation answers, and which start is left.
    struct Model {
        enum { Running, Unread, Idle } state = Running;
        bool end() { return std::exchange(state, Idle) != Idle; }
    };
    enum Operation { Stop, Reset, TryReceive, ComeDue };
    constexpr int operations = 4;
    for (int first = 0; first < operations; ++first) {
        for (int second = 0; second < operations; ++second) {
            for (int third = 0; third < operations; ++third) {
                Timer timer = timers.newTimer(10);
                std::int64_t due = now() + 10;
                Model model;
                for (const int operation : {first, second, third}) {
                    switch (operation) {
                    case Stop:
                        BOOST_TEST(timer.stop() == model.end());
                        break;
                    case Reset:
                        BOOST_TEST(timer.reset(10) == model.end());
                        model.state = Model::Running;
                        due = now() + 10;
                        break;
                    case TryReceive:
                        BOOST_TEST(millis(timer.C().tryReceive()) ==
                                   (model.state == Model::Unread ? due : -1));
                        if (model.state == Model::Unread) model.state = Model::Idle;
                        break;
                    default:
                        clock->advance(10);
                        if (model.state == Model::Running) model.state = Model::Unread;
                    }
                    timers.check();
                    const std::size_t pending = model.state == Model::Running ? 1 : 0;
                    BOOST_TEST(timers.stats().pending == pending);
                }
            }
        }
    }
}

BOOST_AUTO_TEST_CASE(g14_of_two_operations_at_once_exactly_one_ends_the_start) {
    // Due at once or not yet: in the one case a receive may win, in the other it cannot.
    for (const int d : {0, 1000}) {
        Timer timer = timers.newTimer(d);
        std::atomic<int> ends{0};
        const test::Racer stop = [&](int) { ends += timer.stop() ? 1 : 0; };
        const test::Racer reset = [&](int) { ends += timer.reset(d) ? 1 : 0; };
        const test::Racer receive = [&](int) { ends += timer.C().tryReceive() ? 1 : 0; };
        const std::vector<std::vector<test::Racer>> pairs{
            {stop, stop}, {stop, reset}, {stop, receive}, {reset, receive}, {receive, receive}};
        for (const auto& pair : pairs) {
            timer.reset(d);
            const bool resets = &pair == &pairs[1] || &pair == &pairs[3];
            test::race(300, pair, [&](int) {
                // With a reset among them there were two starts; what is left of the last ends now.
                const int left = timer.reset(d) ? 1 : 0;
                const int starts = resets ? 2 : 1;
                BOOST_REQUIRE_EQUAL(ends.exchange(0) + left, starts);
            });
        }
    }
}

BOOST_AUTO_TEST_CASE(g14_of_two_resets_at_once_one_ends_the_start_of_the_other) {
    Timer timer = timers.newTimer(1000);
    std::atomic<int> ends{0};
    const test::Racer reset = [&](int) { ends += timer.reset(1000) ? 1 : 0; };
    test::race(300, {reset, reset}, [&](int) {
        BOOST_REQUIRE_EQUAL(ends.exchange(0), 2);
        BOOST_REQUIRE_EQUAL(timers.stats().pending, 1U);
    });
}

BOOST_AUTO_TEST_CASE(g15_nothing_of_an_earlier_start_is_received_after_stop_or_reset) {
    Timer timer = timers.newTimer(10);
    clock->advance(10);
    timer.reset(10);
    BOOST_TEST(!timer.C().tryReceive());
    clock->advance(10);
    BOOST_TEST(millis(timer.C().tryReceive()) == 20);
    timer.reset(10);
    clock->advance(10);
    timer.stop();
    BOOST_TEST(!timer.C().tryReceive());
}

BOOST_AUTO_TEST_CASE(g15_a_function_that_was_stopped_with_true_is_never_called) {
    Timer timer = timers.afterFunc(10, entry("f"));
    BOOST_TEST(timer.stop());
    clock->advance(100);
    BOOST_TEST(take() == "");
}

BOOST_AUTO_TEST_CASE(g16_stop_and_reset_do_not_wait_for_the_function) {
    Timer timer = timers.afterFunc(10, [this] {
        write("begin");
        timers.sleep(50);
        write("end");
    });
    clock->advance(10);
    BOOST_TEST(!timer.stop());
    BOOST_TEST(!timer.reset(5));
    BOOST_TEST(timer.stop());
    clock->advance(50);
    BOOST_TEST(take() == "begin@10 end@60");
}

BOOST_AUTO_TEST_CASE(g16_several_threads_may_use_one_handle) {
    Timer timer = timers.newTimer(0);
    test::race(500, {[&](int) { timer.stop(); }, [&](int) { timer.reset(0); },
                     [&](int) { timer.C().tryReceive(); }, [&](int) { timer.reset(1000); }});
    timer.stop();
    timers.check();
    BOOST_TEST(timers.stats().pending == 0U);
}

BOOST_AUTO_TEST_CASE(g17_a_function_may_stop_and_reset_its_own_timer) {
    Timer timer;
    int count = 0;
    timer = timers.afterFunc(10, [&] {
        BOOST_TEST(!timer.stop());
        if (++count < 3) BOOST_TEST(!timer.reset(10));
        write("f");
    });
    clock->advance(100);
    BOOST_TEST(take() == "f@10 f@20 f@30");
}

BOOST_AUTO_TEST_CASE(g17_a_function_that_resets_its_timer_may_run_beside_itself) {
    Timer timer;
    std::atomic<int> count{0};
    timer = timers.afterFunc(10, [&] {
        const int run = ++count;
        if (run == 1) timer.reset(10);
        timers.sleep(30);
        write(std::to_string(run));
    });
    clock->advance(100);
    BOOST_TEST(take() == "1@40 2@50");
}

BOOST_AUTO_TEST_SUITE_END()

// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "support/abilities.hpp"
#include "support/counter.hpp"
#include "support/forked_child.hpp"
#include "support/manual_timers.hpp"
#include "support/race.hpp"
#include "support/test.hpp"

#include <jtimer/go/event.hpp>

#include <boost/core/ignore_unused.hpp>

using namespace std::chrono_literals;
using jtimer::Date;
using jtimer::go::Channel;
using jtimer::go::Event;
using jtimer::go::select;
using jtimer::go::Timers;
using jtimer::go::TimersDestroyed;
using test::stateError;

namespace {

/// `INDEX` of what was received; nothing after a time-out.
std::string index(const std::optional<jtimer::go::Selected>& selected) {
    return selected ? std::to_string(selected->index) : "";
}

}  // namespace

BOOST_FIXTURE_TEST_SUITE(go_event, test::ManualTimers)

BOOST_AUTO_TEST_CASE(c2_an_event_is_set_for_all_copies_of_its_handle) {
    const Event event;
    const Event copy = event;
    Event assigned;
    assigned = event;
    assigned = *&assigned;
    const Channel c = event;
    BOOST_TEST(!event.isSet());
    copy.set();
    BOOST_TEST(event.isSet());
    BOOST_TEST(assigned.isSet());
    BOOST_TEST(c.tryReceive().has_value());
    BOOST_TEST(!Event().isSet());
}

BOOST_AUTO_TEST_CASE(c2_a_handle_that_was_moved_from_still_refers_to_its_event) {
    Event event;
    const Event moved = std::move(event);
    moved.set();
    BOOST_TEST(event.isSet());  // NOLINT(bugprone-use-after-move): that is the point
}

BOOST_AUTO_TEST_CASE(c2_to_set_an_event_twice_is_harmless) {
    const Event event;
    event.set();
    event.set();
    BOOST_TEST(event.isSet());
    event.receive();
}

BOOST_AUTO_TEST_CASE(c3_each_receive_from_a_set_event_returns_at_once_with_the_date_of_zero) {
    const Event event;
    const Channel c = event.C();
    BOOST_TEST(!c.tryReceive());
    BOOST_TEST(!c.receiveFor(0));
    BOOST_TEST(!event.receiveFor(-1));
    event.set();
    for (int i = 0; i < 3; ++i) {
        BOOST_TEST((c.tryReceive() == Date()));
        BOOST_TEST((c.receive() == Date()));
        BOOST_TEST((c.receiveFor(1h) == Date()));
        BOOST_TEST((select({c}).value == Date()));
        BOOST_TEST(event.receiveFor(0));
    }
}

BOOST_AUTO_TEST_CASE(c3_one_set_ends_the_waits_of_all_threads) {
    constexpr int waiters = 20;
    const Event event;
    const auto far = timers.newTimer(1h);
    test::Counter begun, ended;
    std::vector<boost::thread> threads;
    for (int i = 0; i < waiters; ++i) {
        threads.emplace_back([&, i] {
            begun.up();
            if (i % 2 == 0) {
                event.receive();
            } else if (select({far.C(), event}).index != 1) {
                return;
            }
            ended.up();
        });
        inFunctionThread([&] {
            begun.up();
            event.receive();
            ended.up();
        });
    }
    BOOST_TEST(begun.reaches(2 * waiters));
    BOOST_TEST(ended.get() == 0);
    event.set();
    BOOST_TEST(ended.reaches(2 * waiters));
    for (auto& thread : threads) thread.join();
}

BOOST_AUTO_TEST_CASE(c3_channels_of_one_event_are_equal) {
    const Event event, other;
    BOOST_TEST((event.C() == Event(event).C()));
    BOOST_TEST((event.C() != other.C()));
    BOOST_TEST((event.C() != Channel()));
    BOOST_TEST(static_cast<bool>(event.C()));
    BOOST_TEST(event.C().len() + event.C().cap() == 0U);
}

BOOST_AUTO_TEST_CASE(c3_a_channel_outlives_the_handles_of_its_event) {
    Channel c;
    {
        const Event event;
        c = event;
        event.set();
    }
    BOOST_TEST(c.tryReceive().has_value());
}

BOOST_AUTO_TEST_CASE(c4_a_select_waits_for_a_timer_or_an_event) {
    const Event shutdown;
    const auto ticker = timers.newTicker(10);
    inFunctionThread([&] {
        for (;;) {
            const auto selected = select({ticker.C(), shutdown, Channel()});
            write(std::to_string(selected.index));
            if (selected.index == 1) break;
        }
    });
    timers.afterFunc(25, [&] { shutdown.set(); });
    clock->advance(100);
    BOOST_TEST(take() == "0@10 0@20 1@25");
}

BOOST_AUTO_TEST_CASE(c4_a_set_event_comes_before_a_time_out) {
    const auto timer = timers.newTimer(10);
    const Event first, second;
    second.set();
    for (const int timeout : {-1, 0, 1, 5}) {
        BOOST_TEST(index(select({timer.C(), first, second}, timeout)) == "2");
        BOOST_TEST(second.receiveFor(timeout));
    }
    first.set();
    for (const std::string each : {"1", "2", "1", "2"})
        BOOST_TEST(index(select({timer.C(), first, second}, 0)) == each);
}

BOOST_AUTO_TEST_CASE(c4_the_same_event_may_stand_twice) {
    const Event event;
    inFunctionThread([&] { write(std::to_string(select({Channel(), event, event}).index)); });
    event.set();
    clock->waitUntilIdle();
    BOOST_TEST(take() == "1@0");
    BOOST_TEST(index(select({Channel(), Channel(), event, event})) == "2");
}

BOOST_AUTO_TEST_CASE(c4_a_select_that_received_a_value_waits_for_the_event_no_longer) {
    const Event event;
    const auto timer = timers.newTimer(10);
    inFunctionThread([&] { write(std::to_string(select({event, timer.C()}).index)); });
    clock->advance(10);
    event.set();
    BOOST_TEST(take() == "1@10");
}

BOOST_AUTO_TEST_CASE(c4_an_event_is_never_hopeless) {
    const Channel done = timers.after(0);
    done.receive();
    const Event event;
    inFunctionThread([&] { write(std::to_string(select({done, event}).index)); });
    Channel last = Event();  // which nothing can set any more
    inFunctionThread([&] { write(last.receiveFor(1h) ? "set" : "not set"); });
    const Channel soon = timers.after(10);
    inFunctionThread([&] { soon.receive(); });
    inFunctionThread([&] { write(std::to_string(select({soon, event}).index)); });
    clock->advance(20);
    BOOST_TEST(take() == "");
    event.set();
    clock->waitUntilIdle();
    BOOST_TEST(take() == "1@20 1@20");
}

BOOST_AUTO_TEST_CASE(c5_a_time_out_is_on_the_clock_of_the_first_timer) {
    const Event event;
    const auto timer = timers.newTimer(1000);
    inFunctionThread([&] { write("after:" + index(select({event, timer.C()}, 30))); });
    clock->advance(29);
    BOOST_TEST(take() == "");
    clock->advance(1);
    BOOST_TEST(take() == "after:@30");
}

BOOST_AUTO_TEST_CASE(c5_a_time_out_without_any_timer_is_on_the_clock_of_the_default_timers) {
    const Event event;
    const auto begin = std::chrono::steady_clock::now();
    BOOST_TEST(!event.receiveFor(5ms));
    BOOST_TEST(!select({event}, 5ms));
    BOOST_TEST((std::chrono::steady_clock::now() - begin >= 10ms));
    boost::thread setter([event] { event.set(); });
    BOOST_TEST(event.receiveFor(1h));
    setter.join();
}

BOOST_AUTO_TEST_CASE(c6_a_function_that_waits_for_an_event_does_not_hold_up_the_clock) {
    const Event event;
    const auto otherClock = std::make_shared<jtimer::ManualClock>(test::kStart);
    Timers other(test::goOnClock(otherClock));
    const auto theirs = other.newTimer(1000);
    const auto mine = timers.newTimer(1000);
    inFunctionThread([&] {
        event.receive();
        write("a");
    });
    inFunctionThread([&] {
        select({mine.C(), event});
        write("b");
    });
    // Though it waits for a timer on another clock.
    inFunctionThread([&] {
        select({theirs.C(), event}, 500);
        write("c");
    });
    clock->advance(40);
    timers.afterFunc(10, [&] { event.set(); });
    clock->advance(1000);
    const std::string log = take();
    // At the time of the event: time goes on only when all three have ended.
    for (const char* const name : {"a@50", "b@50", "c@50"}) {
        BOOST_TEST(log.find(name) != std::string::npos);
    }
}

BOOST_AUTO_TEST_CASE(c7_a_function_that_waits_for_an_event_ends_with_its_own_timers) {
    const Event event;
    const auto mine = timers.newTimer(1000);
    auto other = std::make_unique<Timers>(test::goOnClock(clock));
    const auto waitFor = [&](const std::vector<Channel>& channels) {
        other->afterFunc(0, [&, channels] {
            try {
                select(channels);
            } catch (const TimersDestroyed& e) {
                write(e.what());
            }
        });
        clock->waitUntilIdle();
    };
    waitFor({event});
    waitFor({mine.C(), event});
    other.reset();  // would wait for them for ever
    BOOST_TEST(take() == "time: Timers destroyed@0 time: Timers destroyed@0");
}

BOOST_AUTO_TEST_CASE(c7_the_wait_of_another_thread_does_not_end_with_any_timers) {
    const Event event;
    auto other = std::make_unique<Timers>(test::goOnClock(clock));
    test::Counter begun;
    bool isSet = false;
    boost::thread waiter([&] {
        begun.up();
        event.receive();
        isSet = event.isSet();
    });
    BOOST_TEST(begun.reaches(1));
    other.reset();
    event.set();
    waiter.join();
    BOOST_TEST(isSet);
}

BOOST_AUTO_TEST_CASE(c7_a_select_ends_with_the_timers_of_its_channels) {
    const Event event;
    auto other = std::make_unique<Timers>(test::goOnClock(clock));
    const Channel c = other->after(1000);
    inFunctionThread([&] { write(stateError([&] { select({event, c}); })); });
    other.reset();
    clock->waitUntilIdle();
    BOOST_TEST(take() == "time: Timers destroyed@0");
    BOOST_TEST(stateError([&] { select({event, c}); }) == "time: Timers destroyed");
    event.set();
    BOOST_TEST(index(select({c, event})) == "1");
}

BOOST_AUTO_TEST_CASE(c7_no_event_blocks_the_poller) {
    const std::string onPoller = "time: would block the thread that fires the timers";
    const Event event, isSet;
    isSet.set();
    test::ManualTimers t(test::goInline(nullptr));
    t.timers.afterFunc(10, [&] {
        t.write(stateError([&] { event.receive(); }));
        t.write(stateError([&] { select({event, timers.newTimer(1000).C()}); }));
        t.write(event.receiveFor(0) ? "set" : "not set");
        isSet.receive();
    });
    t.clock->advance(10);
    BOOST_TEST(t.take() == onPoller + "@10 " + onPoller + "@10 not set@10");
    // This thread fires nothing.
    boost::thread setter([event] { event.set(); });
    event.receive();
    setter.join();
}

BOOST_AUTO_TEST_CASE(c7_a_forked_child_can_set_an_event_of_its_parent_but_not_wait_for_it) {
    test::needFork();
    const std::string forked = "time: Timers belong to the parent process";
    const Event event, done;
    done.set();
    boost::thread waiter([&] { event.receive(); });
    BOOST_TEST(test::inForkedChild([&] {
                   if (event.isSet() || !done.isSet()) return 1;
                   done.receive();
                   if (stateError([&] { event.receive(); }) != forked) return 2;
                   if (event.receiveFor(0)) return 3;
                   event.set();
                   event.receive();
                   const Event own;
                   boost::ignore_unused(Event(event), Channel(event));
                   own.set();
                   return own.isSet() ? 7 : 4;
               }) == 7);
    BOOST_TEST(!event.isSet());
    event.set();
    waiter.join();
}

BOOST_AUTO_TEST_CASE(c3_a_set_beside_the_beginning_of_a_wait_always_ends_it) {
    std::optional<Event> event(std::in_place);
    const auto far = timers.newTimer(1h);
    std::atomic<int> ended{0};
    int rounds = 0;
    test::race(2000,
               {[&](int) { event->set(); },
                [&](int) {
                    event->receive();
                    ++ended;
                },
                [&](int) {
                    ended += select({far.C(), *event}).index == 1 ? 1 : 0;
                }},
               [&](int) {
                   ++rounds;
                   event.emplace();
               });
    BOOST_TEST(ended == 2 * rounds);
    timers.check();
}

BOOST_AUTO_TEST_SUITE_END()

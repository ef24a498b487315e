// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "support/abilities.hpp"
#include "support/counter.hpp"
#include "support/forked_child.hpp"
#include "support/manual_timers.hpp"
#include "support/test.hpp"
#include "support/throws.hpp"

#include <jtimer/go.hpp>

using jtimer::Date;
using jtimer::IllegalStateException;
using jtimer::go::Case;
using jtimer::go::Chan;
using jtimer::go::Channel;
using jtimer::go::Event;
using jtimer::go::makeChan;
using jtimer::go::select;
using jtimer::go::Timers;
using jtimer::go::TimersDestroyed;
using test::stateError;

namespace {

std::string text(const std::optional<int>& value) {
    return value ? std::to_string(*value) : "nothing";
}

/// `INDEX` of what was chosen; nothing after a time-out.
std::string index(const std::optional<jtimer::go::Selected>& selected) {
    return selected ? std::to_string(selected->index) : "";
}

template <class T>
Chan<T> closedChan() {
    const auto c = makeChan<T>();
    c.close();
    return c;
}

}  // namespace

BOOST_FIXTURE_TEST_SUITE(go_chan_select, test::ManualTimers)

BOOST_AUTO_TEST_CASE(a71_receive_into_fills_its_variable_or_empties_it_if_the_chan_is_closed) {
    const auto c = makeChan<int>(1);
    std::optional<int> value = 7;
    BOOST_TEST(!select({c.receiveInto(value)}, 0));
    BOOST_TEST(text(value) == "7");
    c.send(1);
    const auto selected = select({c.receiveInto(value)});
    BOOST_TEST(selected.index == 0U);
    BOOST_TEST((selected.value == Date()));
    BOOST_TEST(text(value) == "1");
    c.close();
    BOOST_TEST(select({c.receiveInto(value)}).index == 0U);
    BOOST_TEST(text(value) == "nothing");
}

BOOST_AUTO_TEST_CASE(a71_send_from_moves_from_its_variable_only_if_it_is_chosen) {
    const auto c = makeChan<std::unique_ptr<int>>(1);
    auto first = std::make_unique<int>(1), second = std::make_unique<int>(2);
    BOOST_TEST(select({c.sendFrom(first)}).index == 0U);
    BOOST_TEST((first == nullptr));
    BOOST_TEST(!select({c.sendFrom(second)}, 0));
    BOOST_TEST(*second == 2);
    const auto timer = timers.newTimer(0);
    BOOST_TEST(select({c.sendFrom(second), timer.C()}).index == 1U);
    BOOST_TEST(*second == 2);
    BOOST_TEST(**c.receive() == 1);
}

BOOST_AUTO_TEST_CASE(a71_nothing_is_taken_from_the_others) {
    const auto a = makeChan<int>(1), b = makeChan<int>(1), full = makeChan<int>(1);
    a.send(1);
    b.send(2);
    full.send(3);
    std::optional<int> fromA, fromB;
    int toFull = 4;
    BOOST_TEST(select({full.sendFrom(toFull), b.receiveInto(fromB), a.receiveInto(fromA)}).index ==
               1U);
    BOOST_TEST(text(fromB) == "2");
    BOOST_TEST(text(fromA) == "nothing");
    BOOST_TEST(toFull == 4);
    BOOST_TEST(a.len() + full.len() == 2U);
}

BOOST_AUTO_TEST_CASE(a71_a_select_waits_for_timers_events_and_chans_in_both_directions) {
    const Event shutdown;
    const auto ticker = timers.newTicker(10);
    const auto in = makeChan<int>(), out = makeChan<int>();
    inFunctionThread([&] {
        int sent = 100;
        for (;;) {
            std::optional<int> received;
            const auto index =
                select({shutdown, ticker.C(), in.receiveInto(received), out.sendFrom(sent)}).index;
            write(std::to_string(index) + (index == 2 ? ":" + text(received) : ""));
            if (index == 3) ++sent;
            if (index == 0) break;
        }
    });
    timers.afterFunc(15, [&] { in.send(7); });
    timers.afterFunc(16, [&] { write("out:" + text(out.receive())); });
    timers.afterFunc(17, [&] { write("out:" + text(out.receive())); });
    timers.afterFunc(25, [&] { shutdown.set(); });
    clock->advance(15);
    BOOST_TEST(take() == "1@10 2:7@15");
    clock->advance(100);
    const std::string log = take();
    for (const char* const each : {"out:100@16", "3@16", "out:101@17", "3@17"})
        BOOST_TEST(log.find(each) != std::string::npos);
    BOOST_TEST(log.substr(log.size() - 9) == "1@20 0@25");
}

BOOST_AUTO_TEST_CASE(a71_two_selects_meet_in_a_chan_without_capacity) {
    const auto c = makeChan<int>(), unused = makeChan<int>();
    for (const bool senderFirst : {true, false}) {
        const auto sender = [&] {
            int value = 5;
            std::optional<int> other;
            write("s" + index(select({unused.receiveInto(other), c.sendFrom(value)})));
        };
        const auto receiver = [&] {
            int value = 6;
            std::optional<int> received;
            const auto selected = select({c.receiveInto(received), unused.sendFrom(value)});
            write("r" + index(selected) + text(received) + std::to_string(value));
        };
        if (senderFirst) {
            // Neither meets itself, though both send and receive.
            inFunctionThread([&] {
                int value = 1;
                std::optional<int> none;
                select({c.sendFrom(value), c.receiveInto(none)});
                write("both" + std::to_string(none.value_or(0)));
            });
            c.receive();
            clock->waitUntilIdle();
            BOOST_TEST(take() == "both0@0");
        }
        inFunctionThread(senderFirst ? std::function<void()>(sender) : receiver);
        BOOST_TEST(take() == "");
        // The first waits in `unused` too, where the second could also meet it: the order of the
        // list decides.
        std::optional<int> received;
        int sent = 8;
        if (senderFirst) {
            BOOST_TEST(index(select({c.receiveInto(received)})) == "0");
            BOOST_TEST(text(received) == "5");
        } else {
            BOOST_TEST(index(select({c.sendFrom(sent)})) == "0");
        }
        clock->waitUntilIdle();
        BOOST_TEST(take() == (senderFirst ? "s1@0" : "r086@0"));
    }
}

BOOST_AUTO_TEST_CASE(a70_a_chosen_send_on_a_closed_chan_throws_and_leaves_the_value) {
    std::string value = "kept";
    const auto closed = closedChan<std::string>();
    const std::string onClosed = "send on closed channel";
    CHECK_THROWS(select({closed.sendFrom(value)}), IllegalStateException, onClosed);
    CHECK_THROWS(select({closed.sendFrom(value)}, 0), IllegalStateException, onClosed);
    BOOST_TEST(value == "kept");

    const auto open = makeChan<std::string>();
    std::string waiting = "kept, too";
    inFunctionThread([&] { write(stateError([&] { select({open.sendFrom(waiting)}); })); });
    open.close();
    clock->waitUntilIdle();
    BOOST_TEST(take() == onClosed + "@0");
    BOOST_TEST(waiting == "kept, too");
}

BOOST_AUTO_TEST_CASE(a70_a_nil_chan_is_passed_over) {
    const Chan<int> nil;
    std::optional<int> value = 1;
    int toSend = 2;
    const std::vector<Case> both{nil.receiveInto(value), nil.sendFrom(toSend)};
    CHECK_THROWS(select(both), IllegalStateException, "time: select without a Channel");
    CHECK_THROWS(select(both, 0), IllegalStateException, "time: select without a Channel");
    const auto timer = timers.newTimer(0);
    BOOST_TEST(select({both[0], both[1], timer.C()}).index == 2U);
    BOOST_TEST(text(value) == "1");
    BOOST_TEST(toSend == 2);
}

BOOST_AUTO_TEST_CASE(a71_a_time_out_of_0_is_gos_default) {
    const auto c = makeChan<int>(1);
    std::optional<int> value;
    for (const int timeout : {0, -1}) BOOST_TEST(!select({c.receiveInto(value)}, timeout));
    c.send(3);
    for (const int timeout : {0, -1}) {
        BOOST_TEST(index(select({Channel(), c.receiveInto(value)}, timeout)) == "1");
        c.send(4);
    }
    BOOST_TEST(text(value) == "4");
}

BOOST_AUTO_TEST_CASE(a71_a_time_out_is_on_the_clock_of_the_first_timer) {
    const auto c = makeChan<int>();
    const auto timer = timers.newTimer(1000);
    inFunctionThread([&] {
        int value = 1;
        write("after:" + index(select({c.sendFrom(value), timer.C()}, 30)));
        std::optional<int> received;
        write("after:" + index(select({c.receiveInto(received), timer.C()}, 30)));
    });
    clock->advance(100);
    BOOST_TEST(take() == "after:@30 after:@60");
    // What has timed out waits no longer.
    int sent = 1;
    BOOST_TEST(!select({c.sendFrom(sent)}, 0));
    BOOST_TEST(text(c.tryReceive()) == "nothing");
}

BOOST_AUTO_TEST_CASE(a71_a_time_out_without_any_timer_is_on_the_clock_of_the_default_timers) {
    const auto c = makeChan<int>();
    int sent = 1;
    BOOST_TEST(!select({c.sendFrom(sent)}, std::chrono::milliseconds(5)));
    BOOST_TEST(text(c.receiveFor(5)) == "nothing");
    boost::thread sender([c] { c.send(1); });
    BOOST_TEST(text(c.receiveFor(1'000'000)) == "1");
    sender.join();
}

BOOST_AUTO_TEST_CASE(a71_a_select_that_was_served_elsewhere_takes_no_value_and_no_place) {
    const auto a = makeChan<int>(), b = makeChan<int>();
    std::optional<int> fromA, fromB;
    inFunctionThread([&] { select({a.receiveInto(fromA), b.receiveInto(fromB)}); });
    a.send(1);
    int sent = 2;
    BOOST_TEST(!select({b.sendFrom(sent)}, 0));
    clock->waitUntilIdle();
    BOOST_TEST(text(fromA) == "1");
    BOOST_TEST(text(fromB) == "nothing");

    int toA = 3, toB = 4;
    inFunctionThread([&] { select({a.sendFrom(toA), b.sendFrom(toB)}); });
    BOOST_TEST(text(b.receive()) == "4");
    BOOST_TEST(text(a.tryReceive()) == "nothing");
}

BOOST_AUTO_TEST_CASE(a71_cases_may_be_kept_and_used_again) {
    const auto c = makeChan<int>(5);
    std::optional<int> value;
    const std::vector<Case> cases{c.receiveInto(value)};
    for (int i = 0; i < 5; ++i) c.send(i);
    for (int i = 0; i < 5; ++i) {
        BOOST_TEST(select(cases).index == 0U);
        BOOST_TEST(text(value) == std::to_string(i));
    }
}

BOOST_AUTO_TEST_CASE(a73_a_function_that_waits_in_a_chan_does_not_hold_up_the_clock) {
    const auto in = makeChan<int>(), out = makeChan<int>(1);
    out.send(0);
    inFunctionThread([&] {
        const auto value = in.receive();
        timers.sleep(5);
        write("received" + text(value));
    });
    inFunctionThread([&] {
        out.send(1);
        timers.sleep(7);
        write("sent");
    });
    clock->advance(20);
    timers.afterFunc(10, [&] { in.send(3); });
    timers.afterFunc(20, [&] { out.receive(); });
    clock->advance(1000);
    BOOST_TEST(take() == "received3@35 sent@47");
}

BOOST_AUTO_TEST_CASE(a73_from_the_send_on_it_holds_up_the_clock) {
    const auto c = makeChan<int>();
    for (int i = 0; i < 200; ++i) {
        inFunctionThread([&] {
            c.receive();
            write("got");
        });
        c.send(1);
        clock->advance(1);
        BOOST_TEST(take() == "got@" + std::to_string(i));
    }
}

BOOST_AUTO_TEST_CASE(a73_a_function_that_waits_in_a_chan_ends_with_its_own_timers) {
    const auto in = makeChan<std::string>(), out = makeChan<std::string>();
    auto other = std::make_unique<Timers>(test::goOnClock(clock));
    std::string value = "kept";
    const auto inOther = [&](const std::function<void()>& call) {
        other->afterFunc(0, [&, call] {
            try {
                call();
            } catch (const TimersDestroyed& e) {
                write(e.what());
            }
        });
        clock->waitUntilIdle();
    };
    inOther([&] { in.receive(); });
    inOther([&] { out.send("x"); });
    inOther([&] { select({out.sendFrom(value)}); });
    other.reset();  // would wait for them for ever
    const std::string each = "time: Timers destroyed@0";
    BOOST_TEST(take() == each + ' ' + each + ' ' + each);
    BOOST_TEST(value == "kept");
    BOOST_TEST(!out.tryReceive());
}

BOOST_AUTO_TEST_CASE(a73_a_select_ends_with_the_timers_of_its_channels) {
    const auto c = makeChan<int>(1);
    std::optional<int> value;
    auto other = std::make_unique<Timers>(test::goOnClock(clock));
    const Channel far = other->after(1000);
    inFunctionThread([&] { write(stateError([&] { select({c.receiveInto(value), far}); })); });
    other.reset();
    clock->waitUntilIdle();
    BOOST_TEST(take() == "time: Timers destroyed@0");
    c.send(1);
    BOOST_TEST(index(select({far, c.receiveInto(value)})) == "1");
}

BOOST_AUTO_TEST_CASE(a73_no_chan_blocks_the_poller) {
    const std::string onPoller = "time: would block the thread that fires the timers";
    const auto empty = makeChan<int>(), full = makeChan<int>(1);
    test::ManualTimers t(test::goInline(nullptr));
    t.timers.afterFunc(10, [&] {
        full.send(1);
        t.write(stateError([&] { full.send(2); }));
        t.write(stateError([&] { empty.receive(); }));
        t.write(text(empty.receiveFor(0)));
        t.write(text(full.receive()));
    });
    t.clock->advance(10);
    BOOST_TEST(t.take() == onPoller + "@10 " + onPoller + "@10 nothing@10 1@10");
}

BOOST_AUTO_TEST_CASE(a73_a_forked_child_cannot_send_or_receive_in_a_chan_of_its_parent) {
    test::needFork();
    const std::string forked = "time: Timers belong to the parent process";
    auto c = makeChan<int>(2);
    const auto closed = closedChan<int>();
    c.send(1);
    const auto waitsIn = makeChan<int>();
    boost::thread waiter([&] { waitsIn.receive(); });
    BOOST_TEST(test::inForkedChild([&] {
                   std::optional<int> value;
                   int sent = 5;
                   if (c.tryReceive() || c.receiveFor(0) || c.trySend(2)) return 1;
                   if (select({c.receiveInto(value), c.sendFrom(sent)}, 0)) return 2;
                   if (stateError([&] { c.receive(); }) != forked) return 3;
                   if (stateError([&] { c.receiveFor(1); }) != forked) return 4;
                   if (stateError([&] { c.send(1); }) != forked) return 5;
                   if (stateError([&] { select({c.sendFrom(sent)}); }) != forked) return 6;
                   if (sent != 5 || c.len() != 1 || c.isClosed() || !closed.isClosed()) return 8;
                   waitsIn.close();
                   if (!waitsIn.isClosed()) return 9;
                   if (stateError([&] { waitsIn.close(); }) != "close of closed channel") return 10;
                   c = {};
                   const auto own = makeChan<int>(1);
                   own.send(3);
                   return own.receive() == 3 ? 7 : 11;
               }) == 7);
    BOOST_TEST(!waitsIn.isClosed());
    BOOST_TEST(text(c.receive()) == "1");
    waitsIn.close();
    waiter.join();
}

BOOST_AUTO_TEST_SUITE_END()

// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "support/manual_timers.hpp"
#include "support/test.hpp"

using namespace std::chrono_literals;
using jtimer::go::Channel;
using jtimer::go::select;
using jtimer::go::Selected;
using jtimer::go::Timers;
using test::millis;
using test::stateError;

namespace {

const std::string kNone = "time: select without a Channel";
const std::string kHopeless = "time: receive on a Channel that nothing can send to";

/// `INDEX:MILLIS`, or nothing.
std::string text(const std::optional<Selected>& selected) {
    if (!selected) return {};
    return std::to_string(selected->index) + ':' + std::to_string(millis(selected->value));
}

/// Of the calling thread: called once, when it reads a HookedClock.
thread_local std::function<void()> atReading;

struct HookedClock final : jtimer::WallClock {
    std::int64_t nanos() const override {
        if (const auto call = std::exchange(atReading, nullptr)) call();
        return 0;
    }
};

struct SelectedAndPolled {
    std::string selected;
    std::int64_t polled = 0;
};

using Poll = std::function<std::optional<jtimer::Date>(const Channel&)>;

/// A select waits for a timer due at 25 and one due at `early`, and both come due while the poller
/// is in a function, which polls the later one. The select must not receive that one for it.
SelectedAndPolled selectWhileTheLaterIsPolled(std::int64_t early, std::int64_t timeout,
                                              const Poll& poll = &Channel::tryReceive) {
    test::ManualTimers t(test::goInline(nullptr));
    const auto first = t.timers.newTimer(early);
    const auto late = t.timers.newTimer(25);
    SelectedAndPolled got;
    boost::thread waiter([&] { got.selected = text(select({late.C(), first.C()}, timeout)); });
    while (t.timers.stats().pending < 3) boost::this_thread::yield();
    t.timers.afterFunc(10, [&] {
        t.clock->advance(30);
        got.polled = millis(poll(late.C()));
    });
    t.clock->advance(10);
    waiter.join();
    return got;
}

}  // namespace

BOOST_FIXTURE_TEST_SUITE(go_select, test::ManualTimers)

BOOST_AUTO_TEST_CASE(g27_select_receives_from_one_channel_and_leaves_the_others) {
    const auto a = timers.newTimer(20);
    const auto b = timers.newTimer(10);
    clock->advance(30);
    BOOST_TEST(text(select({a.C(), b.C()})) == "1:10");
    BOOST_TEST(!b.C().tryReceive());
    BOOST_TEST(millis(a.C().tryReceive()) == 20);
}

BOOST_AUTO_TEST_CASE(g27_nil_channels_are_passed_over_but_keep_their_index) {
    const auto timer = timers.newTimer(10);
    clock->advance(10);
    BOOST_TEST(text(select({Channel(), Channel(), timer.C(), Channel()})) == "2:10");
}

BOOST_AUTO_TEST_CASE(g27_the_same_channel_may_stand_twice) {
    auto timer = timers.newTimer(10);
    clock->advance(10);
    BOOST_TEST(text(select({Channel(), timer.C(), timer.C()})) == "1:10");
    timer.reset(10);
    inFunctionThread([&] { write(text(select({timer.C(), timer.C()}))); });
    clock->advance(10);
    BOOST_TEST(take() == "0:20@20");
    BOOST_TEST(!timer.C().tryReceive());
}

BOOST_AUTO_TEST_CASE(g28_of_several_that_are_ready_the_earliest_is_taken) {
    const auto a = timers.newTimer(30);
    const auto b = timers.newTimer(10);
    const auto c = timers.newTimer(20);
    clock->advance(40);
    const std::vector<Channel> all{a.C(), b.C(), c.C()};
    BOOST_TEST(text(select(all)) == "1:10");
    BOOST_TEST(text(select(all)) == "2:20");
    BOOST_TEST(text(select(all)) == "0:30");
}

BOOST_AUTO_TEST_CASE(g28_of_equal_ones_the_first_in_the_list_is_taken) {
    // Made in both orders, so that neither age nor address decides.
    const auto a = timers.newTimer(10);
    const auto b = timers.newTimer(10);
    const auto c = timers.newTimer(10);
    clock->advance(10);
    const std::vector<Channel> all{b.C(), c.C(), a.C()};
    BOOST_TEST(text(select(all)) == "0:10");
    BOOST_TEST(text(select(all)) == "1:10");
    BOOST_TEST(text(select(all)) == "2:10");
}

BOOST_AUTO_TEST_CASE(g28_with_none_ready_the_first_to_fire_wins) {
    const auto a = timers.newTimer(30);
    const auto b = timers.newTimer(20);
    inFunctionThread([&] { write(text(select({a.C(), b.C()}))); });
    clock->advance(100);
    BOOST_TEST(take() == "1:20@20");
    BOOST_TEST(millis(a.C().tryReceive()) == 30);
}

BOOST_AUTO_TEST_CASE(g28_a_loop_over_a_ticker_and_a_deadline) {
    timers.afterFunc(0, [this] {
        const auto ticker = timers.newTicker(10);
        const Channel deadline = timers.after(35);
        for (;;) {
            const Selected selected = select({ticker.C(), deadline});
            write(text(selected));
            if (selected.index == 1) break;
        }
    });
    clock->advance(100);
    BOOST_TEST(take() == "0:10@10 0:20@20 0:30@30 1:35@35");
}

BOOST_AUTO_TEST_CASE(g28_a_blocked_select_receives_in_the_order_of_time_though_others_poll) {
    const auto selectAtOnce = [](const Channel& channel) {
        const auto selected = select({channel}, 0);
        return selected ? std::optional(selected->value) : std::nullopt;
    };
    for (const auto& poll : {Poll(&Channel::tryReceive), Poll(selectAtOnce)}) {
        const auto got = selectWhileTheLaterIsPolled(20, 1000, poll);
        BOOST_TEST(got.selected == "1:20");
        BOOST_TEST(got.polled == 25);
    }
}

BOOST_AUTO_TEST_CASE(g28_a_select_over_many_channels_needs_little_stack_and_holds_no_stop_up) {
    constexpr std::size_t many = 20'000;
    test::ManualTimers t(test::goInline(nullptr));
    std::vector<jtimer::go::Timer> all;
    std::vector<Channel> channels;
    for (std::size_t i = 0; i < many; ++i) {
        // The later one is made, the earlier it is due.
        all.push_back(t.timers.newTimer(std::chrono::milliseconds(10 + many - i)));
        channels.push_back(all.back().C());
    }
    std::string selected;
    boost::thread waiter([&] { selected = text(select(channels, 1'000'000)); });
    while (t.timers.stats().pending < many + 1) boost::this_thread::yield();
    const auto first = std::to_string(many - 1) + ":11";
    bool stopped = false;
    std::chrono::steady_clock::duration span{};
    t.timers.afterFunc(10, [&] {
        t.clock->advance(many + 10);
        boost::thread::attributes smallStack;
        smallStack.set_stack_size(128 * 1024);
        boost::thread(smallStack, [&] {
            const auto begin = std::chrono::steady_clock::now();
            stopped = all.front().stop();
            span = std::chrono::steady_clock::now() - begin;
        }).join();
        waiter.join();
        BOOST_TEST(selected == first);
    });
    t.clock->advance(10);
    BOOST_TEST(stopped);
    BOOST_TEST((span < 5s));
}

BOOST_AUTO_TEST_CASE(g10_a_value_before_the_time_out_is_received_though_others_poll_a_later_one) {
    const auto got = selectWhileTheLaterIsPolled(15, 20);
    BOOST_TEST(got.selected == "1:15");
    BOOST_TEST(got.polled == 25);
}

BOOST_AUTO_TEST_CASE(g29_a_select_with_a_time_out_ends_then) {
    const auto timer = timers.newTimer(100);
    inFunctionThread([&] {
        write(text(select({timer.C(), Channel()}, 30)));
        write(text(select({timer.C()}, 70)));
    });
    BOOST_TEST(timers.stats().pending == 2U);
    clock->advance(100);
    BOOST_TEST(take() == "@30 0:100@100");
    BOOST_TEST(timers.stats().pending == 0U);
}

BOOST_AUTO_TEST_CASE(g29_a_select_with_a_time_out_of_zero_or_less_does_not_block) {
    const auto timer = timers.newTimer(10);
    BOOST_TEST(text(select({timer.C()}, 0)) == "");
    BOOST_TEST(text(select({timer.C()}, -1)) == "");
    clock->advance(10);
    BOOST_TEST(text(select({timer.C()}, -1)) == "0:10");
}

BOOST_AUTO_TEST_CASE(g29_channels_of_different_runtimes_may_be_mixed) {
    jtimer::go::Timers other(test::goOnClock(clock, 3));
    const auto a = timers.newTimer(20);
    const auto b = other.newTimer(10);
    inFunctionThread([&] {
        write(text(select({a.C(), b.C()})));
        write(text(select({b.C(), a.C()})));
    });
    clock->advance(100);
    BOOST_TEST(take() == "1:10@10 1:20@20");
}

BOOST_AUTO_TEST_CASE(g29_the_time_out_is_on_the_clock_of_the_first_channel) {
    const auto otherClock = std::make_shared<jtimer::ManualClock>(test::kStart);
    jtimer::go::Timers other(test::goOnClock(otherClock));
    const auto a = timers.newTimer(1000);
    const auto b = other.newTimer(1000);
    std::string selected = "blocked";
    boost::thread waiter([&] { selected = text(select({Channel(), b.C(), a.C()}, 10)); });
    while (other.stats().pending < 2) boost::this_thread::yield();
    clock->advance(500);
    BOOST_TEST(other.stats().pending == 2U);
    otherClock->advance(10);
    waiter.join();
    BOOST_TEST(selected == "");
}

BOOST_AUTO_TEST_CASE(g29_a_value_on_one_clock_is_not_compared_with_a_time_out_on_another) {
    // The other clock shows a later time than the time-out all along.
    const auto otherClock =
        std::make_shared<jtimer::ManualClock>(test::kStart + std::chrono::hours(1000));
    jtimer::go::Timers other(test::goOnClock(otherClock));
    const auto a = timers.newTimer(1000);
    const auto b = other.newTimer(20);
    std::string selected;
    other.afterFunc(0, [&] { selected = text(select({a.C(), b.C()}, 100)); });
    otherClock->waitUntilIdle();
    otherClock->advance(20);
    BOOST_TEST(selected == "1:3600000020");
    BOOST_TEST(timers.stats().pending == 1U);
}

BOOST_AUTO_TEST_CASE(g30_a_select_without_a_channel_is_an_error) {
    BOOST_TEST(stateError([] { select({}); }) == kNone);
    BOOST_TEST(stateError([] { select({}, 10); }) == kNone);
    BOOST_TEST(stateError([] { select({Channel(), Channel()}); }) == kNone);
    BOOST_TEST(stateError([] { select({Channel()}, 0); }) == kNone);
}

BOOST_AUTO_TEST_CASE(g30_hopeless_channels_count_as_nil) {
    const Channel done = timers.after(0);
    done.receive();
    const auto timer = timers.newTimer(10);
    BOOST_TEST(stateError([&] { select({done, Channel()}); }) == kHopeless);
    inFunctionThread([&] { write(text(select({done, timer.C()}))); });
    clock->advance(10);
    BOOST_TEST(take() == "1:10@10");
}

BOOST_AUTO_TEST_CASE(g30_a_select_under_way_ends_when_its_last_channel_becomes_hopeless) {
    const Channel a = timers.after(10);
    const Channel b = timers.after(20);
    // Who waits for them first gets the values.
    inFunctionThread([&] { a.receive(); });
    inFunctionThread([&] { b.receive(); });
    inFunctionThread([&] { write(stateError([&] { select({a, b, a, Channel()}); })); });
    inFunctionThread([&] { write("timed:" + text(select({a, b}, 50))); });
    clock->advance(19);
    BOOST_TEST(take() == "");
    clock->advance(1);
    BOOST_TEST(take() == kHopeless + "@20");
    clock->advance(30);
    BOOST_TEST(take() == "timed:@50");
}

BOOST_AUTO_TEST_CASE(a_runtime_that_goes_with_a_select_is_destroyed_with_no_lock_held) {
    test::ManualTimers t(test::goInline(nullptr));
    auto timer = t.timers.newTimer(10);
    const auto before = t.timers.newTimer(8);
    const auto after = t.timers.newTimer(1000);

    // Its executor looks at all timers of `t` when it is destroyed.
    bool looked = false;
    const auto look = [&](void*) {
        t.timers.check();
        looked = true;
    };
    jtimer::go::TimersOptions options;
    options.executor = [owned = std::shared_ptr<void>(nullptr, look)](const auto&) {};
    auto other = std::make_unique<Timers>(std::exchange(options, {}));
    Channel ofOther = other->after(std::chrono::hours(1));  // on a real clock

    Timers hooked(test::goOnClock(std::make_shared<HookedClock>()));
    const auto longAgo = hooked.newTimer(1);

    const auto standing = [&t](std::size_t pending) {
        while (t.timers.stats().pending < pending) boost::this_thread::yield();
    };
    std::string received, told, receivedLast;
    boost::thread first([&] { received = text(select({before.C(), longAgo.C()}, 1000)); });
    standing(4);
    boost::thread second([&] {
        const std::vector<Channel> channels{timer.C(), before.C(), std::exchange(ofOther, {})};
        told = stateError([&] { select(channels, 1000); });
    });
    standing(5);
    boost::thread third([&] { receivedLast = text(select({timer.C(), after.C()}, 1000)); });
    standing(6);

    // On the poller, so that it is this stop that catches up. The second select has waited for
    // `timer` longest; of its channels `before` is earlier, for which the first has waited longest;
    // and of the channels of that, `longAgo`. There the second ends, so that nobody but the stop
    // refers to it, nor to the runtime which it has waited for; and the stop goes on to the third.
    t.timers.afterFunc(5, [&] {
        t.clock->advance(10);
        atReading = [&] {
            other.reset();
            second.join();
        };
        BOOST_TEST(!looked);
        BOOST_TEST(!timer.stop());
        BOOST_TEST(looked);
    });
    t.clock->advance(5);
    first.join();
    third.join();
    BOOST_TEST(received == "0:8");
    BOOST_TEST(told == "time: Timers destroyed");
    BOOST_TEST(receivedLast == "0:10");
}

BOOST_AUTO_TEST_SUITE_END()

// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "support/test.hpp"
#include "support/throws.hpp"
#include "tokio/driver_fixture.hpp"

#include <jtimer/tokio.hpp>

#include <variant>

using jtimer::tokio::Completion;
using jtimer::tokio::DelayQueue;
using jtimer::tokio::Elapsed;
using jtimer::tokio::Expired;
using jtimer::tokio::Interval;
using jtimer::tokio::Notified;
using jtimer::tokio::Notify;
using jtimer::tokio::select;
using jtimer::tokio::Selection;
using jtimer::tokio::Sleep;
using jtimer::tokio::timeout;
using jtimer::tokio::TimeoutState;
using jtimer::tokio::Waker;

// select(): the first of several operations.

namespace {

/// An operation whose readiness a test decides. Copies share it.
struct Scripted {
    struct State {
        std::optional<int> value;
        bool fails = false;
        Waker waker;
        int polls = 0;
        int drops = 0;
    };
    std::shared_ptr<State> state = std::make_shared<State>();

    std::optional<int> operator()(const Waker& waker) const {
        ++state->polls;
        if (state->fails) throw std::runtime_error("broken");
        if (!state->value && waker) state->waker = waker;
        return state->value;
    }
    void dropWaker() const {
        ++state->drops;
        state->waker = nullptr;
    }
};

struct Selects : test::PolledDriver {
    Scripted first;
    Scripted second;
    Scripted third;
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(tokio_select, Selects)

BOOST_AUTO_TEST_CASE(a20_the_first_that_is_ready_in_the_order_given_is_taken) {
    auto selection = select(first, second, third);
    BOOST_TEST(!selection(waker("w")).has_value());
    second.state->value = 2;
    third.state->value = 3;
    const auto chosen = selection({});
    BOOST_REQUIRE(chosen.has_value());
    BOOST_TEST(chosen->index() == 1U);
    BOOST_TEST(std::get<1>(*chosen) == 2);
    BOOST_TEST(first.state->polls == 2);
    BOOST_TEST(third.state->polls == 1);
}

BOOST_AUTO_TEST_CASE(a20_what_is_always_ready_starves_those_after_it) {
    first.state->value = 1;
    second.state->value = 2;
    auto selection = select(std::ref(first), std::ref(second));
    for (int i = 0; i < 3; ++i) BOOST_TEST(selection({})->index() == 0U);
    BOOST_TEST(second.state->polls == 0);
    BOOST_TEST(select(std::ref(second), std::ref(first))({})->index() == 0U);
}

BOOST_AUTO_TEST_CASE(a20_the_value_is_a_variant_with_monostate_for_bool) {
    Interval interval = driver.interval(10);
    DelayQueue<std::string> queue(driver);
    auto selection = select(driver.sleep(10), std::ref(interval), std::ref(queue), first);
    static_assert(
        std::is_same_v<decltype(selection)::Value,
                       std::variant<std::monostate, jtimer::Date, Expired<std::string>, int>>);
    static_assert(
        std::is_same_v<decltype(selection),
                       Selection<Sleep, std::reference_wrapper<Interval>,
                                 std::reference_wrapper<DelayQueue<std::string>>, Scripted>>);
    BOOST_TEST(millis(std::get<1>(*selection({}))) == 0);
    auto moves = select([](const Waker&) { return std::optional(std::make_unique<int>(5)); });
    BOOST_TEST(*std::get<0>(*moves({})) == 5);
}

BOOST_AUTO_TEST_CASE(a20_what_was_not_chosen_has_lost_nothing) {
    Sleep deadline = driver.sleep(30);
    Interval interval = driver.intervalAt(at(10), 10);
    DelayQueue<std::string> queue(driver);
    queue.insert("a", 10);
    const Notify notify(driver);
    Notified notified = notify.notified();
    Completion<int> answer;
    auto selection = select(std::ref(deadline), std::ref(interval), std::ref(queue),
                            std::ref(notified), std::ref(answer));
    BOOST_TEST(!selection(waker("w")).has_value());
    notify.notifyOne();
    answer.set(7);
    turnAt(10);
    BOOST_TEST(millis(std::get<1>(*selection(waker("w")))) == 10);
    BOOST_TEST(std::get<2>(*selection(waker("w"))).value == "a");
    BOOST_TEST(selection(waker("w"))->index() == 3U);
    BOOST_TEST(selection(waker("w"))->index() == 3U);  // a Notified stays notified
    BOOST_TEST(answer({}).value() == 7);
    BOOST_TEST(!deadline.isElapsed());
    take();
    turnAt(30);
    BOOST_TEST(take() == "");  // no waker is left
    BOOST_TEST(selection({})->index() == 0U);
}

BOOST_AUTO_TEST_CASE(a17_a_selection_withdraws_the_wakers_of_those_not_chosen) {
    auto selection = select(first, std::ref(second), third);
    BOOST_TEST(!selection(waker("w")).has_value());
    second.state->value = 2;
    second.state->waker();
    BOOST_TEST(take() == "w@0");
    BOOST_TEST(selection(waker("w"))->index() == 1U);
    BOOST_TEST(first.state->drops == 1);
    BOOST_TEST(second.state->drops == 0);
    BOOST_TEST(third.state->drops == 1);
}

BOOST_AUTO_TEST_CASE(a17_a_selection_withdraws_only_what_it_has_left) {
    second(waker("another's"));
    first.state->value = 1;
    auto selection = select(first, std::ref(second));
    BOOST_TEST(selection(waker("w"))->index() == 0U);
    BOOST_TEST(second.state->drops == 0);
    first.state->value.reset();
    BOOST_TEST(!selection({}).has_value());  // without a waker, the earlier one stays
    selection.dropWaker();
    BOOST_TEST(second.state->drops == 0);
    BOOST_TEST(!selection(waker("w")).has_value());
    selection.dropWaker();
    selection.dropWaker();
    BOOST_TEST((first.state->drops == 1 && second.state->drops == 1));
}

BOOST_AUTO_TEST_CASE(a17_an_operation_that_throws_leaves_no_waker_of_the_selection) {
    second.state->fails = true;
    auto selection = select(first, second, third);
    CHECK_THROWS(selection(waker("w")), std::runtime_error, "broken");
    BOOST_TEST((first.state->drops == 1 && second.state->drops == 0 && third.state->drops == 0));
    second.state->fails = false;
    BOOST_TEST(!selection(waker("w")).has_value());
}

BOOST_AUTO_TEST_CASE(a19_a_selection_is_an_operation_of_a_timeout_and_of_a_selection) {
    const Completion<int> answer;
    auto limited = timeout(driver, 10, select(select(first, answer), second));
    BOOST_TEST((limited.poll(waker("w")) == TimeoutState::Pending));
    answer.set(7);
    BOOST_TEST(take() == "w@0");
    BOOST_TEST(std::get<1>(std::get<0>(limited.get())) == 7);
    BOOST_TEST((first.state->drops == 1 && second.state->drops == 1));
    auto late = timeout(driver, 10, select(first, answer));
    BOOST_TEST((late.poll(waker("w")) == TimeoutState::Pending));
    turnAt(10);
    CHECK_THROWS(late.get(), Elapsed, "deadline has elapsed");
    BOOST_TEST(first.state->drops == 2);
    BOOST_TEST(driver.size() == 0U);
}

BOOST_AUTO_TEST_SUITE_END()

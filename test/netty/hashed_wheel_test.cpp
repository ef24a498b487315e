// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "netty/hashed_wheel_model.hpp"
#include "support/choices.hpp"
#include "support/test.hpp"
#include "support/throws.hpp"

using jtimer::netty::Timeout;
using jtimer::netty::detail::HashedWheel;
using jtimer::netty::detail::Tick;
using jtimer::netty::detail::TimeoutAccess;
using jtimer::netty::detail::TimeoutList;

using test::dueIn;
using test::place;
using Handle = test::WheelHandle;

namespace {

std::vector<Timeout*> expiredIn(HashedWheel& wheel, Tick tick) {
    std::vector<Timeout*> expired;
    wheel.expire(tick, [&](const Handle& timeout) {
        expired.push_back(timeout.get());
        return true;
    });
    return expired;
}

}  // namespace

BOOST_AUTO_TEST_CASE(n73_n75_the_wheel_does_what_the_model_does) {
    const std::map<std::size_t, int> stepsOf{{1, 3000}, {2, 3000}, {4, 3000}, {512, 400}};
    for (const auto& [slots, steps] : stepsOf) {
        for (unsigned seed = 1; seed <= 3; ++seed) {
            BOOST_TEST_CONTEXT("slots " << slots << ", seed " << seed) {
                test::Choices choices(seed);
                test::HashedWheelModel model(slots, choices);
                for (int i = 0; i < steps; ++i) model.step();
                BOOST_TEST(model.expired() > 0);
                BOOST_TEST(model.clear());
            }
        }
    }
}

BOOST_AUTO_TEST_CASE(n75_a_sink_that_answers_false_ends_the_tick) {
    HashedWheel wheel(4);
    for (int i = 0; i < 3; ++i) place(wheel, dueIn(2), 0);
    int calls = 0;
    wheel.expire(2, [&](const Handle&) { return ++calls < 2; });
    BOOST_TEST(calls == 2);
    wheel.check(2);
    BOOST_TEST(expiredIn(wheel, 2).size() == 1U);
}

BOOST_AUTO_TEST_CASE(n75_what_is_cancelled_stays_until_it_is_removed_and_does_not_expire) {
    HashedWheel wheel(4);
    const Handle timeout = dueIn(1);
    place(wheel, timeout, 0);
    BOOST_TEST(TimeoutAccess::cancel(*timeout));
    BOOST_TEST(!TimeoutAccess::cancel(*timeout));
    BOOST_TEST(expiredIn(wheel, 1).empty());
    BOOST_TEST(wheel.slotAt(1).front() == timeout.get());
    BOOST_TEST(TimeoutList::remove(*timeout) == timeout);
    BOOST_TEST(wheel.slotAt(1).empty());
    wheel.check(2);
}

BOOST_AUTO_TEST_CASE(n75_the_wheel_owns_what_is_placed) {
    std::weak_ptr<Timeout> expired, dropped;
    {
        HashedWheel wheel(2);
        Handle first = dueIn(0), second = dueIn(1);
        expired = first;
        dropped = second;
        place(wheel, std::move(first), 0);
        place(wheel, std::move(second), 0);
        BOOST_TEST(!expired.expired());
        BOOST_TEST(expiredIn(wheel, 0).size() == 1U);
        BOOST_TEST(expired.expired());
        BOOST_TEST(!dropped.expired());
    }
    BOOST_TEST(dropped.expired());
}

BOOST_AUTO_TEST_CASE(n73_a_slot_of_200000_is_dropped_without_recursion) {
    std::weak_ptr<Timeout> last;
    {
        HashedWheel wheel(1);
        for (int i = 0; i < 200'000; ++i) {
            Handle timeout = dueIn(i);
            last = timeout;
            place(wheel, std::move(timeout), 0);
        }
    }
    BOOST_TEST(last.expired());
}

BOOST_AUTO_TEST_CASE(n75_check_finds_a_timeout_that_was_passed_by) {
    HashedWheel wheel(8);
    place(wheel, dueIn(5), 0);
    wheel.check(5);
    CHECK_THROWS(wheel.check(6), std::logic_error,
                 "HashedWheel: in slot 5 a timeout is due in tick 5");
}

BOOST_AUTO_TEST_CASE(n75_check_finds_a_timeout_that_has_expired) {
    HashedWheel wheel(8);
    const Handle timeout = dueIn(5);
    place(wheel, timeout, 0);
    BOOST_TEST(TimeoutAccess::expire(*timeout, 5));
    CHECK_THROWS(wheel.check(5), std::logic_error, "HashedWheel: in slot 5 a timeout has expired");
}

BOOST_AUTO_TEST_CASE(n75_check_finds_a_broken_link) {
    HashedWheel wheel(8);
    const Handle first = dueIn(5), second = dueIn(5);
    place(wheel, first, 0);
    place(wheel, second, 0);
    const auto previous = std::exchange(TimeoutAccess::links(*second).previous, nullptr);
    CHECK_THROWS(wheel.check(5), std::logic_error,
                 "TimeoutList: two neighbours do not know each other");
    TimeoutAccess::links(*second).previous = previous;
    wheel.check(5);
}

BOOST_AUTO_TEST_CASE(n73_check_finds_a_number_of_slots_that_is_no_power_of_two) {
    const HashedWheel wheel(3);
    CHECK_THROWS(wheel.check(0), std::logic_error,
                 "HashedWheel: the number of slots is not a power of two");
}

BOOST_AUTO_TEST_CASE(n73_lists_are_joined_and_taken_apart_in_order) {
    std::vector<Handle> all;
    for (int i = 0; i < 5; ++i) all.push_back(dueIn(i));
    TimeoutList list, other;
    list.append(other);  // nothing to nothing
    for (const int i : {0, 1}) list.append(all[static_cast<std::size_t>(i)]);
    for (const int i : {2, 3, 4}) other.append(all[static_cast<std::size_t>(i)]);
    list.append(other);
    list.check();
    other.check();
    BOOST_TEST(other.empty());
    BOOST_TEST(other.front() == nullptr);
    BOOST_TEST(TimeoutList::remove(*all[4]) == all[4]);  // the last, from what was another list
    BOOST_TEST(TimeoutList::remove(*all[1]) == all[1]);  // one in the middle
    list.check();
    other.append(all[1]);  // both can be used again
    list.append(all[4]);
    other.check();
    list.check();
    for (const int i : {0, 2, 3, 4}) {
        BOOST_TEST(list.popFront() == all[static_cast<std::size_t>(i)]);
        list.check();
    }
    BOOST_TEST(list.empty());
    BOOST_TEST(other.popFront() == all[1]);
    for (const Handle& timeout : all) BOOST_TEST(timeout.use_count() == 1);
}

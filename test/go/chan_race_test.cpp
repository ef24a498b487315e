// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "support/manual_timers.hpp"
#include "support/race.hpp"
#include "support/test.hpp"

#include <jtimer/go.hpp>

using jtimer::go::Event;
using jtimer::go::makeChan;
using jtimer::go::select;
using test::stateError;

namespace {

constexpr int kSenders = 3;
constexpr int kReceivers = 3;
constexpr int kValues = 2'000;

/// What the receivers got: each of the values of each sender once, and those of one sender in its
/// order.
struct Book {
    std::vector<std::atomic<int>> times = std::vector<std::atomic<int>>(kSenders * kValues);
    std::atomic<int> received{0}, outOfOrder{0};

    /// \param last by sender, what this receiver got last
    void write(int value, std::vector<int>& last) {
        ++times[static_cast<std::size_t>(value)];
        ++received;
        int& before = last[static_cast<std::size_t>(value / kValues)];
        if (value <= before) ++outOfOrder;
        before = value;
    }
    void check() {
        BOOST_TEST(received == kSenders * kValues);
        BOOST_TEST(outOfOrder == 0);
        int notOnce = 0;
        for (const auto& each : times) notOnce += each == 1 ? 0 : 1;
        BOOST_TEST(notOnce == 0);
    }
};

/// Calls one of the two, by the number.
template <class Do, class Select>
void oneWay(int number, const Do& directly, const Select& bySelect) {
    if (number % 2 == 0) {
        directly();
    } else {
        bySelect();
    }
}

}  // namespace

BOOST_FIXTURE_TEST_SUITE(go_chan_race, test::ManualTimers)

BOOST_AUTO_TEST_CASE(a69_each_value_of_several_senders_arrives_once_and_in_its_senders_order) {
    for (const std::size_t capacity : {0U, 1U, 7U}) {
        const auto c = makeChan<int>(capacity);
        const auto neverSent = makeChan<int>(), neverReceived = makeChan<int>();
        Book book;
        boost::thread_group senders, receivers;
        for (int s = 0; s < kSenders; ++s) {
            senders.create_thread([&, s] {
                for (int i = 0; i < kValues; ++i) {
                    int value = s * kValues + i;
                    std::optional<int> none;
                    oneWay(
                        i + s, [&] { c.send(value); },
                        [&] {
                            select({neverSent.receiveInto(none), c.sendFrom(value)});
                        });
                }
            });
        }
        for (int r = 0; r < kReceivers; ++r) {
            receivers.create_thread([&, r] {
                std::vector<int> last(kSenders, -1);
                for (std::optional<int> value = 0; value;) {
                    int never = -1;
                    oneWay(
                        r, [&] { value = c.receive(); },
                        [&] {
                            select({c.receiveInto(value), neverReceived.sendFrom(never)});
                        });
                    if (value) book.write(*value, last);
                }
            });
        }
        senders.join_all();
        c.close();
        receivers.join_all();
        book.check();
    }
}

BOOST_AUTO_TEST_CASE(a69_beside_a_close_what_was_sent_is_received_or_left) {
    auto c = makeChan<int>(2);
    std::atomic<int> sent{0}, received{0};
    int wrong = 0;
    test::race(1000,
               {[&](int) {
                    for (int i = 0; i < 4 && stateError([&] { c.send(i); }).empty(); ++i) ++sent;
                },
                [&](int) {
                    int value = 0;
                    std::optional<int> got;
                    stateError([&] {
                        if (select({c.sendFrom(value), c.receiveInto(got)}).index == 0) ++sent;
                    });
                    if (got) ++received;
                },
                [&](int) {
                    for (int i = 0; i < 2; ++i) received += c.receive() ? 1 : 0;
                },
                [&](int) { c.close(); }},
               [&](int) {
                   while (c.tryReceive()) ++received;
                   if (sent != received) ++wrong;
                   c = makeChan<int>(2);
               });
    BOOST_TEST(wrong == 0);
}

BOOST_AUTO_TEST_CASE(a71_two_selects_over_the_same_two_chans_in_opposite_orders_always_meet) {
    const auto a = makeChan<int>(), b = makeChan<int>();
    int wrong = 0;
    std::optional<int> fromA, fromB;
    int toA = 0, toB = 0;
    test::race(2000,
               {[&](int) {
                    select({a.sendFrom(toA), b.receiveInto(fromB)});
                },
                [&](int) {
                    select({b.sendFrom(toB), a.receiveInto(fromA)});
                }},
               [&](int round) {
                   // One of them sends, and the other receives that.
                   if (fromA.has_value() == fromB.has_value()) ++wrong;
                   if (fromA.value_or(round) != round || fromB.value_or(round) != round) ++wrong;
                   fromA.reset();
                   fromB.reset();
                   toA = toB = round + 1;
               });
    BOOST_TEST(wrong == 0);
}

BOOST_AUTO_TEST_CASE(a71_a_value_beside_an_event_and_a_timer_is_received_or_left) {
    const auto c = makeChan<int>(1);
    auto event = std::make_unique<Event>();
    int sent = 0, received = 0, others = 0;
    test::race(2000,
               {[&](int) {
                    int value = 0;
                    sent += c.trySend(std::move(value)) ? 1 : 0;
                },
                [&](int) { event->set(); },
                [&](int) {
                    std::optional<int> value;
                    const auto timer = timers.newTimer(1000);
                    if (select({c.receiveInto(value), *event, timer.C()}).index == 0) {
                        received += value ? 1 : 0;
                    } else {
                        ++others;
                    }
                }},
               [&](int) {
                   while (c.tryReceive()) ++received;
                   event = std::make_unique<Event>();
               });
    BOOST_TEST(sent == 2000);
    BOOST_TEST(received == sent);
    timers.check();
}

BOOST_AUTO_TEST_CASE(a72_what_came_before_a_send_or_a_receive_that_made_room_is_seen) {
    constexpr std::size_t count = 2'000;
    for (const std::size_t capacity : {0U, 1U, 3U}) {
        const auto c = makeChan<std::size_t>(capacity);
        // Plain data, which ThreadSanitizer watches.
        std::vector<int> beforeSend(count), beforeReceive(count);
        std::size_t seenByReceiver = 0, seenBySender = 0;
        boost::thread receiver([&] {
            for (std::size_t i = 0; i < count; ++i) {
                beforeReceive[i] = 1;
                if (c.receive() == i && beforeSend[i] == 1) ++seenByReceiver;
            }
        });
        for (std::size_t i = 0; i < count; ++i) {
            beforeSend[i] = 1;
            c.send(i);
            if (i < capacity || beforeReceive[i - capacity] == 1) ++seenBySender;
        }
        receiver.join();
        BOOST_TEST(seenByReceiver == count);
        BOOST_TEST(seenBySender == count);
    }
}

BOOST_AUTO_TEST_SUITE_END()

// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "support/race.hpp"
#include "support/test.hpp"
#include "tokio/driver_fixture.hpp"

#include <jtimer/tokio/notify.hpp>
#include <jtimer/tokio/timeout.hpp>

using namespace std::chrono_literals;
using jtimer::IllegalStateException;
using jtimer::tokio::Notified;
using jtimer::tokio::Notify;
using jtimer::tokio::TimeDriver;

BOOST_AUTO_TEST_SUITE(tokio_notify_threads)

BOOST_AUTO_TEST_CASE(t62_t64_every_notification_reaches_one_of_the_threads_that_drop_and_wait) {
    TimeDriver real;
    const Notify shared(real);
    constexpr int count = 3000;
    std::atomic<int> sent{0}, received{0};
    boost::thread_group threads;
    for (int i = 0; i < 3; ++i) {
        threads.create_thread([&] {
            // Until shutdown(), which each of them meets in a poll or in a wait.
            try {
                while (true) {
                    {
                        Notified dropped = shared.notified();
                        if (dropped.poll([] {})) ++received;
                    }
                    Notified notified = shared.notified();
                    jtimer::tokio::timeout(real, 1h, std::ref(notified)).get();
                    ++received;
                }
            } catch (const IllegalStateException&) {
                return;
            }
        });
    }
    // Each notification is sent when the one before has arrived, so that no permit is lost.
    for (; sent < count; ++sent) {
        shared.notifyOne();
        while (received <= sent) boost::this_thread::yield();
    }
    BOOST_TEST(received == count);
    real.shutdown();
    threads.join_all();
}

BOOST_AUTO_TEST_CASE(t63_notify_waiters_races_with_polls_and_drops_and_misses_none) {
    constexpr int rounds = 1000;
    std::atomic<int> woken{0};
    TimeDriver real;
    const Notify shared(real);
    std::vector<Notified> old, fresh;
    int wrong = 0;
    const auto prepare = [&] {
        old.clear();
        fresh.clear();
        for (int i = 0; i < 20; ++i) {
            old.push_back(shared.notified());
            if (i % 2 == 0) old.back().poll([&] { ++woken; });
        }
    };
    prepare();
    test::race(rounds,
               {[&](int) { shared.notifyWaiters(); },
                [&](int round) {
                    for (int i = 0; i < round % 5; ++i) old.pop_back();
                    for (Notified& each : old) each.poll([&] { ++woken; });
                },
                [&](int) {
                    for (int i = 0; i < 3; ++i) {
                        fresh.push_back(shared.notified());
                        fresh.back().poll([&] { ++woken; });
                    }
                }},
               [&](int) {
                   for (Notified& each : old) {
                       if (!each.poll()) ++wrong;
                   }
                   shared.notifyWaiters();
                   for (Notified& each : fresh) {
                       if (!each.poll()) ++wrong;
                   }
                   prepare();
               });
    BOOST_TEST(wrong == 0);
    old.clear();
    fresh.clear();
    real.check();
}

BOOST_AUTO_TEST_SUITE_END()

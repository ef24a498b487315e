// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "support/abilities.hpp"
#include "support/counter.hpp"
#include "support/system_threads.hpp"
#include "support/test.hpp"
#include "tokio/driver_fixture.hpp"

#include <jtimer/tokio/notify.hpp>
#include <jtimer/tokio/timeout.hpp>

#include <mutex>
#include <unistd.h>

using namespace std::chrono_literals;
using jtimer::IllegalStateException;
using jtimer::tokio::Notified;
using jtimer::tokio::Notify;
using jtimer::tokio::Sleep;
using jtimer::tokio::TimeDriver;

namespace {

struct Notifying : test::PolledDriver {
    Notify notify{driver};

    /// What the wakers note in the next turn.
    std::string turned() {
        driver.check();
        driver.turn();
        driver.check();
        return take();
    }
    /// As many Notified, which wait in this order, with wakers that note their numbers.
    std::vector<Notified> waiting(int count) {
        std::vector<Notified> all;
        for (int i = 0; i < count; ++i) {
            all.push_back(notify.notified());
            BOOST_TEST(!all.back().poll(waker(std::to_string(i))));
        }
        return all;
    }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(tokio_notify, Notifying)

// A permit, and the order.

BOOST_AUTO_TEST_CASE(t61_a_notification_that_nothing_waits_for_is_stored_once) {
    notify.notifyOne();
    notify.notifyOne();
    Notified first = notify.notified(), second = notify.notified();
    BOOST_TEST(first.poll(waker("first")));
    BOOST_TEST(first.poll());
    BOOST_TEST(!second.poll(waker("second")));
    BOOST_TEST(unparked == 0);
    BOOST_TEST(driver.size() == 0U);
    BOOST_TEST(turned() == "");
}

BOOST_AUTO_TEST_CASE(t61_one_that_was_never_polled_takes_no_place_in_the_queue) {
    Notified unpolled = notify.notified();
    auto waits = waiting(1);
    notify.notifyOne();
    BOOST_TEST(!unpolled.poll());
    BOOST_TEST(waits[0].poll());
}

BOOST_AUTO_TEST_CASE(t62_notify_one_wakes_in_the_order_of_the_first_polls) {
    auto waits = waiting(3);
    waits[0].poll(waker("again"));  // keeps its place
    waits[1].poll();
    for (const char* const woken : {"again@0", "1@0", "2@0"}) {
        notify.notifyOne();
        BOOST_TEST(turned() == woken);
    }
    for (Notified& each : waits) BOOST_TEST(each.poll());
}

BOOST_AUTO_TEST_CASE(t62_a_poll_without_a_waker_takes_a_place_too) {
    Notified first = notify.notified();
    BOOST_TEST(!first.poll());
    auto second = waiting(1);
    notify.notifyOne();
    BOOST_TEST(!second[0].poll());
    BOOST_TEST(first.poll());
    BOOST_TEST(unparked == 0);
}

BOOST_AUTO_TEST_CASE(t62_copies_share_the_queue_and_the_permit) {
    const Notify copy = notify;
    auto waits = waiting(1);
    copy.notifyOne();
    BOOST_TEST(waits[0].poll());
    notify.notifyOne();
    BOOST_TEST(copy.notified().poll());
}

// All of them.

BOOST_AUTO_TEST_CASE(t63_notify_waiters_reaches_all_that_exist_and_stores_nothing) {
    Notified unpolled = notify.notified();
    auto waits = waiting(3);
    notify.notifyWaiters();
    BOOST_TEST(unparked == 1);
    BOOST_TEST(turned() == "0@0 1@0 2@0");
    for (Notified& each : waits) BOOST_TEST(each.poll());
    BOOST_TEST(unpolled.poll());
    Notified later = notify.notified();
    BOOST_TEST(!later.poll());
}

BOOST_AUTO_TEST_CASE(t63_what_notify_waiters_has_reached_does_not_use_up_a_permit) {
    Notified unpolled = notify.notified();
    notify.notifyWaiters();
    notify.notifyOne();
    BOOST_TEST(unpolled.poll());
    BOOST_TEST(notify.notified().poll());
    BOOST_TEST(!notify.notified().poll());
}

BOOST_AUTO_TEST_CASE(t63_thousands_are_notified_in_order) {
    std::vector<Notified> all;
    std::size_t next = 0, wrong = 0;
    for (std::size_t i = 0; i < 3000; ++i) {
        all.push_back(notify.notified());
        all.back().poll([&, i] {
            if (i != next++) ++wrong;
        });
    }
    notify.notifyWaiters();
    BOOST_TEST(driver.size() == 3000U);
    BOOST_TEST(driver.turn() == 3000U);
    BOOST_TEST(next == 3000U);
    BOOST_TEST(wrong == 0U);
}

// Dropping.

BOOST_AUTO_TEST_CASE(t64_a_chosen_one_that_is_dropped_passes_the_notification_on) {
    auto waits = waiting(3);
    notify.notifyOne();
    waits.erase(waits.begin());
    BOOST_TEST(turned() == "1@0");
    waits.erase(waits.begin());  // woken, but it has not been polled since
    BOOST_TEST(turned() == "2@0");
    waits.clear();
    BOOST_TEST(notify.notified().poll());  // now it is a permit
    BOOST_TEST(!notify.notified().poll());
}

BOOST_AUTO_TEST_CASE(t64_what_has_been_used_or_was_not_chosen_passes_nothing_on) {
    auto waits = waiting(3);
    notify.notifyOne();
    BOOST_TEST(waits[0].poll());
    waits.erase(waits.begin());
    BOOST_TEST(turned() == "");
    waits.erase(waits.begin());
    BOOST_TEST(turned() == "");
    notify.notifyWaiters();
    waits.clear();
    BOOST_TEST(!notify.notified().poll());
    BOOST_TEST(turned() == "");
}

BOOST_AUTO_TEST_CASE(t64_one_that_waits_no_more_is_passed_over) {
    auto waits = waiting(3);
    waits[1] = std::move(waits[2]);
    waits.pop_back();
    notify.notifyOne();
    notify.notifyOne();
    BOOST_TEST(turned() == "0@0 2@0");
}

BOOST_AUTO_TEST_CASE(t64_moving_keeps_the_place_and_the_notification) {
    auto waits = waiting(2);
    Notified moved = std::move(waits[0]);
    notify.notifyOne();
    Notified again = std::move(moved);
    BOOST_TEST(turned() == "0@0");
    BOOST_TEST(again.poll());
}

BOOST_AUTO_TEST_CASE(t64_a_notified_outlives_its_notify_and_the_driver) {
    std::optional<Notify> other(std::in_place, driver);
    Notified waits = other->notified(), chosen = other->notified();
    chosen.poll();
    waits.poll();
    other->notifyOne();
    other.reset();
    owned.reset();
    BOOST_TEST(chosen.poll());
    CHECK_THROWS(waits.poll(), IllegalStateException, test::kShutDown);
}

// Wakers.

BOOST_AUTO_TEST_CASE(t65_wakers_run_in_the_next_turn_and_not_under_the_callers_lock) {
    std::mutex mutex;
    int woken = 0;
    const auto takesLock = [&] {
        const std::lock_guard<std::mutex> lock(mutex);
        ++woken;
    };
    Notified one = notify.notified(), all = notify.notified();
    one.poll(takesLock);
    all.poll(takesLock);
    {
        const std::lock_guard<std::mutex> lock(mutex);
        notify.notifyOne();
        BOOST_TEST(unparked == 1);
        BOOST_TEST(next() == 0);
        BOOST_TEST(driver.size() == 1U);
        notify.notifyWaiters();
        BOOST_TEST(unparked == 1);
        BOOST_TEST(woken == 0);
    }
    BOOST_TEST(driver.turn() == 2U);
    BOOST_TEST(woken == 2);
    BOOST_TEST(driver.size() == 0U);
}

BOOST_AUTO_TEST_CASE(t65_only_the_last_waker_counts_and_a_ready_poll_keeps_none) {
    const auto held = std::make_shared<int>();
    Notified notified = notify.notified();
    notified.poll([held] {});
    notified.poll(waker("second"));
    BOOST_TEST(held.use_count() == 1);
    notify.notifyOne();
    BOOST_TEST(turned() == "second@0");
    Notified early = notify.notified();
    early.poll([held] {});
    notify.notifyOne();
    BOOST_TEST(early.poll([held] {}));
    BOOST_TEST(held.use_count() == 1);
    BOOST_TEST(driver.turn() == 0U);
}

BOOST_AUTO_TEST_CASE(t65_a_waker_may_destroy_what_it_belongs_to_and_wait_again) {
    std::optional<Notified> notified = notify.notified();
    int woken = 0;
    const std::function<void()> again = [&] {
        if (++woken == 3) {
            notified.reset();
            return;
        }
        BOOST_TEST(notified->poll());
        notified = notify.notified();
        notified->poll(again);
    };
    notified->poll(again);
    for (int i = 0; i < 4; ++i) {
        notify.notifyOne();
        driver.turn();
    }
    BOOST_TEST(woken == 3);
    BOOST_TEST(!notified.has_value());
    BOOST_TEST(notify.notified().poll());  // two came after that, and one was stored
}

BOOST_AUTO_TEST_CASE(t65_what_a_waker_owns_may_notify_from_its_destructor) {
    struct Notifies {
        Notify notify;
        explicit Notifies(Notify called) : notify(std::move(called)) {}
        Notifies(const Notifies&) = delete;
        Notifies& operator=(const Notifies&) = delete;
        ~Notifies() {
            notify.notifyOne();
            notify.notifyWaiters();
        }
    };
    const auto owner = [&] { return [owned = std::make_shared<Notifies>(notify)] {}; };
    Notified notified = notify.notified();
    notified.poll(owner());
    notified.poll(owner());  // replaced: notifies the Notified itself
    BOOST_TEST(notified.poll(owner()));
    { Notified dropped = notify.notified(); }
    notified = notify.notified();
    BOOST_TEST(notified.poll());  // the others have left a permit
    Notified last = notify.notified();
    last.poll(owner());
    driver.shutdown();
}

// With a time, blocking, and the end.

BOOST_AUTO_TEST_CASE(t66_a_timeout_selects_over_a_deadline_and_a_notification) {
    const auto select = [&](int millis) {
        return jtimer::tokio::timeoutAt(driver, at(millis), notify.notified());
    };
    auto notified = select(10), elapsed = select(20);
    BOOST_TEST((notified.poll(waker("n")) == jtimer::tokio::TimeoutState::Pending));
    BOOST_TEST((elapsed.poll(waker("e")) == jtimer::tokio::TimeoutState::Pending));
    notify.notifyOne();
    BOOST_TEST(turned() == "n@0");
    notified.get();
    turnAt(20);
    BOOST_TEST(take() == "e@20");
    CHECK_THROWS(elapsed.get(), jtimer::tokio::Elapsed, "deadline has elapsed");
}

BOOST_AUTO_TEST_CASE(t66_a_notified_keeps_its_place_beyond_a_timeout_that_refers_to_it) {
    Notified own = notify.notified();
    auto first = jtimer::tokio::timeoutAt(driver, at(30), std::ref(own));
    first.poll();
    auto other = waiting(1);
    turnAt(30);
    CHECK_THROWS(first.get(), jtimer::tokio::Elapsed, "deadline has elapsed");
    notify.notifyOne();
    BOOST_TEST(!other[0].poll());
    jtimer::tokio::timeoutAt(driver, at(30), std::ref(own)).get();
}

BOOST_AUTO_TEST_CASE(t66_a_wait_needs_no_turn) {
    test::needThreadStates();
    Notified ready = notify.notified();
    notify.notifyOne();
    ready.wait();
    ready.wait();
    std::atomic<pid_t> thread{0};
    test::Counter ended;
    boost::thread waiting([&] {
        Notified notified = notify.notified();
        notified.poll();
        thread = test::idOfThisThread();
        notified.wait();
        ended.up();
    });
    test::awaitSleep(thread);
    notify.notifyOne();
    BOOST_TEST(ended.reaches(1));
    waiting.join();
    BOOST_TEST(driver.size() == 0U);
}

BOOST_AUTO_TEST_CASE(t66_a_wait_beside_a_waker_leaves_that_to_the_turn) {
    Notified notified = notify.notified();
    notified.poll(waker("w"));
    notify.notifyOne();
    notified.wait();
    BOOST_TEST(turned() == "w@0");
    notified = notify.notified();
    notified.poll(waker("dropped"));
    notify.notifyOne();
    notified.wait();
    BOOST_TEST(notified.poll());
    BOOST_TEST(driver.size() == 0U);
}

BOOST_AUTO_TEST_CASE(t66_a_wait_that_is_interrupted_stays_in_the_queue) {
    test::needInterruption();
    Notified notified = notify.notified();
    notified.poll();
    boost::thread waits([&] { notified.wait(); });
    waits.interrupt();
    waits.join();
    BOOST_TEST(!notified.poll());
    notify.notifyOne();
    BOOST_TEST(notified.poll());
}

BOOST_AUTO_TEST_CASE(t29_a_wait_in_a_turn_is_refused) {
    Sleep sleep = driver.sleep(10);
    sleep.poll([&] {
        CHECK_THROWS(notify.notified().wait(), IllegalStateException,
                     "Cannot wait inside a turn of the same TimeDriver.");
        notify.notifyOne();
        notify.notified().wait();  // does not have to wait
        note("woken");
    });
    turnAt(10);
    BOOST_TEST(take() == "woken");
}

BOOST_AUTO_TEST_CASE(t67_a_shutdown_calls_the_wakers_and_ends_the_waits) {
    auto waits = waiting(2);
    Notified chosen = std::move(waits[0]);
    notify.notifyOne();
    Notified unpolled = notify.notified();
    test::Counter begun;
    bool isRefused = false;
    boost::thread blocked([&] {
        Notified notified = notify.notified();
        notified.poll();
        begun.up();
        try {
            notified.wait();
        } catch (const IllegalStateException& e) {
            isRefused = e.what() == std::string(test::kShutDown);
        }
    });
    BOOST_TEST(begun.reaches(1));
    driver.shutdown();
    blocked.join();
    BOOST_TEST(isRefused);
    BOOST_TEST(take() == "0@0 1@0");
    BOOST_TEST(chosen.poll());
    CHECK_THROWS(waits[1].poll(waker("none")), IllegalStateException, test::kShutDown);
    CHECK_THROWS(waits[1].wait(), IllegalStateException, test::kShutDown);
    notify.notifyOne();  // nothing waits any more
    BOOST_TEST(unpolled.poll());
    notify.notifyWaiters();
    BOOST_TEST(waits[1].poll());
    driver.check();
}

BOOST_AUTO_TEST_SUITE_END()

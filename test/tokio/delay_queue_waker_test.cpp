// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "support/test.hpp"
#include "tokio/driver_fixture.hpp"

#include <jtimer/tokio/delay_queue.hpp>

#include <mutex>

using namespace std::chrono_literals;
using jtimer::tokio::DelayKey;
using jtimer::tokio::DelayQueue;

// When the waker of a DelayQueue is called: by a turn or a shutdown, and by no call of the queue.

namespace {

struct WakingQueue : test::PolledDriver {
    std::optional<DelayQueue<int>> own{std::in_place, driver};
    DelayQueue<int>& queue = *own;

    void poll(const std::string& name) {
        const bool expired = queue.pollExpired(waker(name)).has_value();
        queue.check();
        BOOST_TEST(!expired);
    }

    /// Checks that nothing has been noted yet, and that a turn is due. \returns what it notes
    std::string wokenByNextTurn() {
        BOOST_TEST(take() == "");
        BOOST_TEST(next() == now());
        driver.check();
        driver.turn();
        return take();
    }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(tokio_delay_queue_waker, WakingQueue)

BOOST_AUTO_TEST_CASE(t50_a_queue_is_woken_at_the_starts_of_slots_and_at_no_other_time) {
    for (const std::int64_t tick : {2, 10, 60, 234, 1000, 299'008}) queue.insert(1, tick);
    std::string turns;
    while (!queue.isEmpty()) {
        poll("w");
        clock->advanceTo(*driver.nextWake());
        driver.turn();
        turns += take() + ' ';
        static_cast<void>(queue.pollExpired());
    }
    BOOST_TEST(turns == "w@2 w@10 w@60 w@192 w@234 w@960 w@1000 w@262144 w@299008 ");
    BOOST_TEST(driver.size() == 0U);
}

BOOST_AUTO_TEST_CASE(t50_a_poll_has_its_waker_called_at_most_once) {
    queue.insert(1, 234);
    poll("w");
    turnAt(192);
    BOOST_TEST(take() == "w@192");
    turnAt(234);
    BOOST_TEST(take() == "");
}

BOOST_AUTO_TEST_CASE(t32_only_the_last_waker_counts_and_an_empty_one_leaves_it) {
    queue.insert(1, 10);
    poll("first");
    poll("second");
    BOOST_TEST(!queue.pollExpired().has_value());
    turnAt(10);
    BOOST_TEST(take() == "second@10");
}

BOOST_AUTO_TEST_CASE(t32_a_poll_that_returns_an_entry_keeps_no_waker) {
    queue.insert(1, 10);
    queue.insert(2, 20);
    poll("stale");
    clock->advance(10ms);
    BOOST_TEST(queue.pollExpired(waker("none"))->value == 1);
    BOOST_TEST(driver.size() == 0U);
    turnAt(100);
    BOOST_TEST(take() == "");
}

BOOST_AUTO_TEST_CASE(t50_an_earlier_insert_is_waited_for_and_does_not_wake) {
    queue.insert(1, 1000);
    poll("w");
    queue.insert(2, 20);
    BOOST_TEST(take() == "");
    BOOST_TEST(next() == 20);
    turnAt(20);
    BOOST_TEST(take() == "w@20");
}

BOOST_AUTO_TEST_CASE(t50_an_earlier_and_a_later_reset_are_waited_for) {
    const DelayKey key = queue.insert(1, 30);
    poll("w");
    queue.reset(key, 10);
    BOOST_TEST(next() == 10);
    queue.reset(key, 50);
    turnAt(10);
    BOOST_TEST(take() == "");
    turnAt(50);
    BOOST_TEST(take() == "w@50");
}

BOOST_AUTO_TEST_CASE(t50_the_removal_of_the_first_waits_for_the_second) {
    const DelayKey first = queue.insert(1, 10);
    queue.insert(2, 40);
    poll("w");
    queue.remove(first);
    turnAt(39);
    BOOST_TEST(take() == "");
    turnAt(40);
    BOOST_TEST(take() == "w@40");
}

BOOST_AUTO_TEST_CASE(t50_d5_woken_by_the_next_turn_when_an_insert_is_due) {
    poll("empty");
    queue.insert(1, 0);
    BOOST_TEST(wokenByNextTurn() == "empty@0");
    BOOST_TEST(queue.pollExpired().has_value());
    queue.insert(2, 100);
    poll("waiting");
    queue.insertAt(3, at(-7));
    BOOST_TEST(wokenByNextTurn() == "waiting@0");
    BOOST_TEST(queue.pollExpired()->value == 3);
}

BOOST_AUTO_TEST_CASE(t50_d5_woken_by_the_next_turn_when_a_reset_is_due) {
    const DelayKey key = queue.insert(1, 100);
    poll("w");
    queue.resetAt(key, at(0));
    BOOST_TEST(wokenByNextTurn() == "w@0");
    BOOST_TEST(queue.pollExpired()->value == 1);
}

BOOST_AUTO_TEST_CASE(t50_d5_woken_by_the_next_turn_when_the_last_is_removed) {
    const DelayKey first = queue.insert(1, 100);
    const DelayKey second = queue.insert(2, 100);
    poll("w");
    queue.remove(first);
    BOOST_TEST(next() == 64);
    queue.tryRemove(second);
    BOOST_TEST(wokenByNextTurn() == "w@0");
    BOOST_TEST(driver.size() == 0U);
}

BOOST_AUTO_TEST_CASE(t50_d5_woken_by_the_next_turn_after_a_clear_if_there_were_any) {
    poll("empty");
    queue.clear();
    BOOST_TEST(next() == -1);
    queue.insert(1, 100);
    queue.insert(2, 100);
    poll("w");
    queue.clear();
    queue.check();
    BOOST_TEST(wokenByNextTurn() == "w@0");
    BOOST_TEST(driver.size() == 0U);
}

BOOST_AUTO_TEST_CASE(t50_what_has_changed_before_the_turn_decides_when_the_waker_is_called) {
    const DelayKey key = queue.insert(1, 100);
    poll("w");
    queue.resetAt(key, at(0));
    queue.insert(2, 50);  // the first one is due nevertheless
    BOOST_TEST(next() == 0);
    queue.reset(key, 60);
    BOOST_TEST(next() == 50);
    queue.clear();
    BOOST_TEST(next() == 0);
    queue.insert(3, 70);
    BOOST_TEST(driver.turn() == 0U);
    driver.check();
    BOOST_TEST(take() == "");
    turnAt(70);
    BOOST_TEST(take() == "w@70");
}

BOOST_AUTO_TEST_CASE(t50_a_poll_before_the_turn_takes_the_place_of_the_waker) {
    poll("first");
    queue.insert(1, 0);
    BOOST_TEST(queue.pollExpired().has_value());
    BOOST_TEST(driver.size() == 0U);
    queue.insert(2, 50);
    poll("second");
    queue.clear();
    poll("third");  // has seen that the queue is empty
    BOOST_TEST(driver.turn() == 0U);
    BOOST_TEST(take() == "");
    queue.insert(3, 0);
    BOOST_TEST(wokenByNextTurn() == "third@0");
}

BOOST_AUTO_TEST_CASE(t50_a_queue_that_goes_away_before_the_turn_does_not_wake) {
    poll("w");
    queue.insert(1, 0);
    own.reset();
    BOOST_TEST(driver.size() == 0U);
    BOOST_TEST(driver.turn() == 0U);
    BOOST_TEST(take() == "");
}

BOOST_AUTO_TEST_CASE(t50_no_call_of_a_queue_runs_its_waker_under_the_callers_lock) {
    std::mutex mutex;
    int woken = 0;
    const std::function<void()> locks = [&] {
        const std::lock_guard<std::mutex> lock(mutex);
        ++woken;
        while (queue.pollExpired(locks)) {
        }
    };
    const auto underLock = [&](const auto& call) {
        {
            const std::lock_guard<std::mutex> lock(mutex);
            call();
        }
        const int before = std::exchange(woken, 0);
        driver.turn();
        BOOST_TEST(before == 0);
        BOOST_TEST(woken == 1);
        woken = 0;
    };
    static_cast<void>(queue.pollExpired(locks));
    DelayKey key;
    underLock([&] { queue.insert(1, 0); });
    key = queue.insert(2, 10);
    underLock([&] { queue.resetAt(key, at(0)); });
    key = queue.insert(3, 10);
    underLock([&] { queue.remove(key); });
    key = queue.insert(4, 10);
    underLock([&] { queue.tryRemove(key); });
    queue.insert(5, 10);
    underLock([&] { queue.clear(); });
}

BOOST_AUTO_TEST_CASE(t49_the_waker_of_an_empty_queue_is_kept_for_what_comes) {
    poll("w");
    BOOST_TEST(driver.size() == 0U);
    queue.insert(1, 10);
    BOOST_TEST(driver.size() == 1U);
    BOOST_TEST(take() == "");
    turnAt(10);
    BOOST_TEST(take() == "w@10");
}

BOOST_AUTO_TEST_CASE(t50_without_a_waker_nothing_is_registered) {
    queue.insert(1, 10);
    BOOST_TEST(!queue.pollExpired().has_value());
    BOOST_TEST(driver.size() == 0U);
}

BOOST_AUTO_TEST_CASE(t50_the_waker_may_poll_the_queue) {
    const auto polls = [this] {
        const auto expired = queue.pollExpired();
        note(expired ? std::to_string(expired->value) : "none");
    };
    const DelayKey key = queue.insert(1, 100);
    static_cast<void>(queue.pollExpired(polls));
    queue.insert(2, 0);
    BOOST_TEST(wokenByNextTurn() == "2");
    static_cast<void>(queue.pollExpired(polls));
    queue.resetAt(key, at(0));
    BOOST_TEST(wokenByNextTurn() == "1");
    const DelayKey last = queue.insert(3, 100);
    static_cast<void>(queue.pollExpired(polls));
    BOOST_TEST(queue.remove(last).value == 3);
    BOOST_TEST(wokenByNextTurn() == "none");
    queue.check();
}

BOOST_AUTO_TEST_CASE(t50_the_waker_may_destroy_the_queue) {
    static_cast<void>(queue.pollExpired([this] { own.reset(); }));
    queue.insert(1, 0);
    driver.turn();
    BOOST_TEST(!own.has_value());
    own.emplace(driver);
    const DelayKey key = own->insert(1, 10);
    static_cast<void>(own->pollExpired([this] { own.reset(); }));
    BOOST_TEST(own->remove(key).value == 1);
    driver.turn();
    BOOST_TEST(!own.has_value());
}

BOOST_AUTO_TEST_CASE(t51_a_removal_whose_value_cannot_be_moved_has_changed_nothing) {
    bool fails = false;
    struct Value {
        explicit Value(const bool& when) : fails(when) {}
        Value(Value&& other) : fails(other.fails) {
            if (fails) throw std::runtime_error("stays");
        }
        const bool& fails;
    };
    DelayQueue<Value> other(driver);
    const DelayKey key = other.insert(Value(fails), 10);
    static_cast<void>(other.pollExpired(waker("w")));
    fails = true;
    CHECK_THROWS(other.remove(key), std::runtime_error, "stays");
    CHECK_THROWS(other.tryRemove(key), std::runtime_error, "stays");
    fails = false;
    other.check();
    BOOST_TEST((other.peek() == key));
    turnAt(10);
    BOOST_TEST(take() == "w@10");
    BOOST_TEST((other.pollExpired()->key == key));
}

BOOST_AUTO_TEST_CASE(t27_the_waker_is_called_by_a_shutdown) {
    queue.insert(1, 10);
    poll("w");
    driver.shutdown();
    BOOST_TEST(take() == "w@0");
}

BOOST_AUTO_TEST_CASE(t27_the_waker_of_an_empty_queue_is_called_by_a_shutdown) {
    poll("w");
    driver.shutdown();
    BOOST_TEST(take() == "w@0");
}

BOOST_AUTO_TEST_CASE(t27_a_waker_that_waits_for_a_turn_is_called_by_a_shutdown) {
    poll("w");
    queue.insert(1, 0);
    driver.shutdown();
    BOOST_TEST(take() == "w@0");
    BOOST_TEST(queue.pollExpired().has_value());
}

BOOST_AUTO_TEST_CASE(t55_after_a_shutdown_no_waker_is_kept) {
    const auto held = std::make_shared<int>();
    driver.shutdown();
    BOOST_TEST(!queue.pollExpired([held] {}).has_value());
    BOOST_TEST(held.use_count() == 1);
    queue.insert(1, 10);  // could not be waited for
    CHECK_THROWS(queue.pollExpired([held] {}), jtimer::IllegalStateException, test::kShutDown);
    BOOST_TEST(held.use_count() == 1);
}

BOOST_AUTO_TEST_CASE(t50_a_driver_turned_ahead_of_the_clock_takes_the_queue_along) {
    queue.insert(1, 100);
    driver.turn(at(500));
    BOOST_TEST(queue.pollExpired(waker("w")).value().value == 1);
}

BOOST_AUTO_TEST_CASE(t57_a_threaded_driver_wakes_a_queue_on_its_thread) {
    auto with = options();
    with.polled = false;
    jtimer::tokio::TimeDriver threaded(std::move(with));
    DelayQueue<int> other(threaded);
    other.insert(1, 10);
    other.insert(2, 20);
    int expired = 0;
    const std::function<void()> drain = [&] {
        while (other.pollExpired(drain)) ++expired;
    };
    drain();
    clock->advance(15ms);
    BOOST_TEST(expired == 1);
    clock->advance(5ms);
    BOOST_TEST(expired == 2);
}

BOOST_AUTO_TEST_SUITE_END()

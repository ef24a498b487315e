// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "support/test.hpp"
#include "tokio/driver_fixture.hpp"

#include <jtimer/tokio/delay_queue.hpp>

using namespace std::chrono_literals;
using jtimer::Date;
using jtimer::IllegalArgumentException;
using jtimer::IllegalStateException;
using jtimer::tokio::DelayKey;
using jtimer::tokio::DelayQueue;
using jtimer::tokio::Sleep;

// What comes out of a DelayQueue, and its keys.

namespace {

struct Queue : test::PolledDriver {
    DelayQueue<std::string> queue{driver};

    /// All that is due at a time: "a b", each checked by its deadline where it is not past.
    std::string due(std::int64_t millis) {
        turnAt(millis);
        std::string text;
        while (auto expired = queue.pollExpired()) {
            queue.check();
            text += (text.empty() ? "" : " ") + expired->value;
        }
        queue.check();
        return text;
    }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(tokio_delay_queue, Queue)

BOOST_AUTO_TEST_CASE(t48_one_entry_a_call_in_the_order_of_ticks) {
    queue.insert("c", 300);
    queue.insert("a", 5);
    queue.insert("b", 70);
    BOOST_TEST(due(4) == "");
    clock->advanceTo(at(400));
    BOOST_TEST(queue.pollExpired()->value == "a");
    BOOST_TEST(queue.len() == 2U);
    BOOST_TEST(due(400) == "b c");
    BOOST_TEST(queue.isEmpty());
}

BOOST_AUTO_TEST_CASE(t48_the_ticks_are_counted_from_its_own_construction) {
    clock->advance(500us);
    DelayQueue<int> later(driver);
    later.insert(1, 1);
    clock->advance(999us);
    BOOST_TEST(!later.pollExpired().has_value());
    clock->advance(1us);
    BOOST_TEST(later.pollExpired()->value == 1);
}

BOOST_AUTO_TEST_CASE(t48_what_was_due_when_it_was_inserted_may_overtake) {
    queue.insert("first", 10);
    turnAt(20);
    queue.insertAt("second", at(15));
    BOOST_TEST(due(20) == "second first");
}

BOOST_AUTO_TEST_CASE(t49_a_poll_returns_nothing_if_none_is_due_or_the_queue_is_empty) {
    BOOST_TEST(!queue.pollExpired().has_value());
    BOOST_TEST(queue.isEmpty());
    queue.insert("a", 10);
    BOOST_TEST(!queue.pollExpired().has_value());
    BOOST_TEST(!queue.isEmpty());
}

BOOST_AUTO_TEST_CASE(t51_entries_are_removed_wherever_they_are) {
    const DelayKey inWheel = queue.insert("wheel", 10);
    const DelayKey due = queue.insertAt("due", at(0));
    const DelayKey other = queue.insert("other", 10);
    BOOST_TEST(queue.remove({due.id}).value == "due");
    queue.check();
    const auto removed = queue.remove(inWheel);
    BOOST_TEST(removed.value == "wheel");
    BOOST_TEST((removed.deadline == at(10)));
    BOOST_TEST((removed.key == inWheel));
    queue.check();
    clock->advance(10ms);
    BOOST_TEST(queue.tryRemove(other)->value == "other");  // due by the clock, not yet delivered
    BOOST_TEST(queue.isEmpty());
    queue.check();
}

BOOST_AUTO_TEST_CASE(t51_d6_due_and_undelivered_entries_are_removed_and_reset) {
    const DelayKey a = queue.insert("a", 64);
    const DelayKey b = queue.insert("b", 64);
    const DelayKey c = queue.insert("c", 64);
    clock->advanceTo(at(100));
    BOOST_TEST(queue.pollExpired()->value == "a");  // b and c are pending now
    BOOST_TEST((queue.remove(b).key == b));
    queue.check();
    queue.reset(c, 50);
    queue.check();
    BOOST_TEST(due(149) == "");
    BOOST_TEST(due(150) == "c");
    BOOST_TEST(!queue.tryRemove(a).has_value());
}

BOOST_AUTO_TEST_CASE(t51_a_reset_moves_an_entry_both_ways) {
    const DelayKey a = queue.insert("a", 100);
    const DelayKey b = queue.insert("b", 200);
    queue.resetAt(a, at(300));
    queue.reset(b, 50);
    BOOST_TEST((queue.deadline(a) == at(300)));
    BOOST_TEST(due(50) == "b");
    BOOST_TEST(due(299) == "");
    queue.resetAt(a, at(10));
    BOOST_TEST(due(299) == "a");
}

BOOST_AUTO_TEST_CASE(t52_an_unknown_or_used_key_is_refused) {
    const DelayKey removed = queue.insert("removed", 10);
    const DelayKey delivered = queue.insert("delivered", 0);
    queue.remove(removed);
    static_cast<void>(queue.pollExpired());
    for (const DelayKey key : {removed, delivered, DelayKey{}, DelayKey{77}}) {
        CHECK_THROWS(queue.remove(key), IllegalArgumentException, "invalid key");
        CHECK_THROWS(queue.reset(key, 5), IllegalArgumentException, "invalid key");
        CHECK_THROWS(queue.resetAt(key, at(5)), IllegalArgumentException, "invalid key");
        CHECK_THROWS(queue.deadline(key), IllegalArgumentException, "invalid key");
        BOOST_TEST(!queue.tryRemove(key).has_value());
    }
}

BOOST_AUTO_TEST_CASE(t52_d3_a_key_never_comes_back) {
    std::set<std::uint64_t> used;
    for (int i = 0; i < 1000; ++i) {
        const DelayKey a = queue.insert("a", 10);
        const DelayKey b = queue.insert("b", 0);
        BOOST_TEST(used.insert(a.id).second);
        BOOST_TEST(used.insert(b.id).second);
        BOOST_TEST((a != b));
        static_cast<void>(queue.pollExpired());
        queue.remove(a);
    }
    BOOST_TEST(used.count(0) == 0U);
    queue.insert("kept", 10);
    for (const std::uint64_t id : used) BOOST_TEST(!queue.tryRemove(DelayKey{id}).has_value());
    BOOST_TEST(queue.len() == 1U);
}

BOOST_AUTO_TEST_CASE(t52_d3_a_key_never_comes_back_after_clear) {
    std::set<std::uint64_t> used;
    for (int round = 0; round < 50; ++round) {
        for (int i = 0; i < 40; ++i) BOOST_TEST(used.insert(queue.insert("a", 10 + i).id).second);
        if (round % 2 == 0) {
            clock->advance(15ms);
            while (queue.pollExpired()) {
            }
            for (int i = 0; i < 20; ++i) BOOST_TEST(used.insert(queue.insert("b", 5).id).second);
        }
        queue.clear();
        queue.check();
    }
    queue.insert("kept", 10);
    for (const std::uint64_t id : used) BOOST_TEST(!queue.tryRemove(DelayKey{id}).has_value());
    BOOST_TEST(queue.len() == 1U);
}

BOOST_AUTO_TEST_CASE(t53_the_deadline_is_the_time_asked_for_to_the_nanosecond) {
    clock->advance(333us);
    const DelayKey a = queue.insert("a", 1500us);
    BOOST_TEST((queue.deadline(a) == kOrigin + 1833us));
    const DelayKey past = queue.insertAt("past", at(-5000));
    BOOST_TEST((queue.deadline(past) == at(-5000)));
    const auto expired = queue.pollExpired();
    BOOST_TEST((expired->deadline == at(-5000)));
    BOOST_TEST((expired->key == past));
}

BOOST_AUTO_TEST_CASE(t53_d4_any_distance_is_accepted) {
    const DelayKey never = queue.insert("never", std::chrono::hours::max());
    constexpr std::int64_t years = std::int64_t{100} * 365 * 86'400'000;
    queue.insert("century", years);
    queue.insert("second", 1000);
    BOOST_TEST((queue.deadline(never) == Date::max()));
    BOOST_TEST(due(1000) == "second");
    BOOST_TEST(due(years - 1) == "");
    BOOST_TEST(due(years) == "century");
    BOOST_TEST(queue.remove(never).value == "never");
}

BOOST_AUTO_TEST_CASE(t54_peek_names_what_comes_next) {
    BOOST_TEST(!queue.peek().has_value());
    const DelayKey late = queue.insert("late", 127);
    BOOST_TEST((queue.peek() == late));
    const DelayKey early = queue.insert("early", 65);  // of the same slot
    BOOST_TEST((queue.peek() == early));
    const DelayKey far = queue.insert("far", std::int64_t{70} << 30);
    const DelayKey sooner = queue.insert("sooner", std::int64_t{40} << 30);
    queue.remove(early);
    queue.remove(late);
    BOOST_TEST((queue.peek() == sooner));
    const DelayKey due = queue.insertAt("due", at(0));
    BOOST_TEST((queue.peek() == due));
    queue.remove(due);
    queue.remove(sooner);
    BOOST_TEST((queue.peek() == far));
}

BOOST_AUTO_TEST_CASE(t54_peek_agrees_with_what_comes_next_always) {
    unsigned random = 1;
    for (int i = 0; i < 300; ++i) {
        random = random * 1'664'525 + 1'013'904'223;
        queue.insert("x", random % (1U << (random % 25)));
    }
    for (std::int64_t time = 0; !queue.isEmpty();) {
        const DelayKey next = queue.peek().value();
        time = std::max(time, millis(queue.deadline(next)));
        turnAt(time);
        BOOST_TEST((queue.pollExpired()->key == next));
    }
}

BOOST_AUTO_TEST_CASE(t55_after_shutdown_due_entries_still_come_out) {
    queue.insert("due", 10);
    queue.insert("later", 20);
    turnAt(10);
    driver.shutdown();
    BOOST_TEST(queue.next()->value == "due");
    CHECK_THROWS(queue.pollExpired(), IllegalStateException, test::kShutDown);
    CHECK_THROWS(queue.next(), IllegalStateException, test::kShutDown);
    queue.insertAt("past", at(0));
    BOOST_TEST(queue.pollExpired()->value == "past");
    clock->advance(10ms);
    BOOST_TEST(queue.pollExpired()->value == "later");
    BOOST_TEST(!queue.next().has_value());
}

BOOST_AUTO_TEST_CASE(t55_a_queue_outlives_its_driver) {
    queue.insert("a", 10);
    static_cast<void>(queue.pollExpired(waker("woken")));
    owned.reset();
    BOOST_TEST(take() == "woken@0");
    clock->advance(10ms);
    BOOST_TEST(queue.pollExpired()->value == "a");
}

BOOST_AUTO_TEST_CASE(t56_next_blocks_and_returns_nothing_if_the_queue_is_empty) {
    BOOST_TEST(!queue.next().has_value());
    queue.insert("a", 10);
    boost::thread turning([&] {
        while (driver.size() != 1) boost::this_thread::yield();
        turnAt(10);
    });
    BOOST_TEST(queue.next()->value == "a");
    turning.join();
    BOOST_TEST(!queue.next().has_value());
}

BOOST_AUTO_TEST_CASE(t29_next_on_the_thread_that_turns_is_refused) {
    queue.insert("a", 100);
    static_cast<void>(queue.pollExpired(waker("polled")));
    Sleep sleep = driver.sleep(10);
    sleep.poll([&] {
        CHECK_THROWS(queue.next(), IllegalStateException,
                     "Cannot wait inside a turn of the same TimeDriver.");
        note("refused");
    });
    turnAt(10);
    BOOST_TEST(take() == "refused");
    turnAt(100);
    BOOST_TEST(take() == "polled@100");
}

BOOST_AUTO_TEST_CASE(t37_negative_delays_are_refused) {
    const DelayKey key = queue.insert("a", 10);
    CHECK_THROWS(queue.insert("b", -1), IllegalArgumentException, "Negative duration.");
    CHECK_THROWS(queue.reset(key, -1ns), IllegalArgumentException, "Negative duration.");
    BOOST_TEST(queue.len() == 1U);
    BOOST_TEST((queue.deadline(key) == at(10)));
}

BOOST_AUTO_TEST_CASE(t56_values_may_be_move_only_and_the_queue_moves) {
    DelayQueue<std::unique_ptr<int>> first(driver);
    const DelayKey key = first.insert(std::make_unique<int>(1), 10);
    first.insert(std::make_unique<int>(2), 20);
    static_cast<void>(first.pollExpired(waker("woken")));
    DelayQueue<std::unique_ptr<int>> second(std::move(first));
    turnAt(10);
    BOOST_TEST(take() == "woken@10");
    BOOST_TEST(*second.pollExpired()->value == 1);
    first = std::move(second);
    BOOST_TEST(!first.tryRemove(key).has_value());
    BOOST_TEST(first.len() == 1U);
    first.check();
}

BOOST_AUTO_TEST_CASE(a_value_is_destroyed_when_it_has_left_or_the_queue_is_gone) {
    const auto held = std::make_shared<int>();
    {
        DelayQueue<std::shared_ptr<int>> values(driver);
        const DelayKey key = values.insert(held, 10);
        values.insert(held, 0);
        values.insert(held, 20);
        BOOST_TEST(held.use_count() == 4);
        values.remove(key);
        static_cast<void>(values.pollExpired());
        BOOST_TEST(held.use_count() == 2);
    }
    BOOST_TEST(held.use_count() == 1);
    DelayQueue<std::shared_ptr<int>> cleared(driver);
    cleared.insert(held, 0);
    cleared.insert(held, 50);
    cleared.clear();
    cleared.check();
    BOOST_TEST(held.use_count() == 1);
    BOOST_TEST(cleared.isEmpty());
}

BOOST_AUTO_TEST_CASE(what_a_value_destroys_with_it_finds_the_queue_in_order) {
    struct Uses {
        std::function<void()> call;
        explicit Uses(std::function<void()> used) : call(std::move(used)) {}
        ~Uses() { call(); }
    };
    DelayQueue<std::shared_ptr<Uses>> values(driver);
    std::size_t seen = 0;
    const auto uses = [&] {
        return std::make_shared<Uses>([&] {
            values.check();
            seen = 100 * seen + values.len();
            values.insert(nullptr, 30);
        });
    };
    values.insert(uses(), 10);
    values.insert(uses(), 20);
    values.clear();
    BOOST_TEST(seen == 1U);  // 0, then 1
    BOOST_TEST(values.len() == 2U);
    values.insert(uses(), 10);
    DelayQueue<std::shared_ptr<Uses>> other(driver);
    other.insert(nullptr, 10);
    seen = 0;
    values = std::move(other);
    BOOST_TEST(seen == 1U);
    BOOST_TEST(values.len() == 2U);
    values.check();
    // A waker that a poll replaces, or makes superfluous.
    const auto waker = [&] { return [held = uses()] {}; };
    seen = 0;
    static_cast<void>(values.pollExpired(waker()));
    static_cast<void>(values.pollExpired([] {}));
    BOOST_TEST(seen == 2U);
    static_cast<void>(values.pollExpired(waker()));
    clock->advance(10ms);
    BOOST_TEST(values.pollExpired().has_value());
    BOOST_TEST(seen == 202U);
    values.check();
    static_cast<void>(values.pollExpired(waker()));
    other = std::move(values);
    values = std::move(other);
    values.clear();
    driver.turn();  // calls the waker and destroys it, while there is a queue
}

BOOST_AUTO_TEST_CASE(t21_random_resets_of_entries_end_at_the_last_deadline) {
    unsigned random = 7;
    const auto below = [&](unsigned n) {
        random = random * 1'664'525 + 1'013'904'223;
        return (random >> 8) % n;
    };
    std::vector<DelayKey> keys;
    for (int i = 0; i < 50; ++i) keys.push_back(queue.insert(std::to_string(i), 1 + below(5000)));
    for (int i = 0; i < 2000; ++i) {
        queue.reset(keys[below(50)], 1 + below(1U << below(16)));
        queue.check();
    }
    while (!queue.isEmpty()) {
        const auto expired = queue.pollExpired();
        if (expired) {
            BOOST_TEST((expired->deadline == clock->now()));
        } else {
            clock->advance(1ms);
        }
    }
}

BOOST_AUTO_TEST_CASE(t56_a_value_need_only_be_movable_and_not_assignable) {
    struct Job {
        const int number;
        std::unique_ptr<int> owned;
    };
    DelayQueue<Job> jobs(driver);
    const DelayKey removed = jobs.insert({1, std::make_unique<int>(10)}, 30);
    const DelayKey tried = jobs.insert({2, std::make_unique<int>(20)}, 30);
    jobs.insert({3, std::make_unique<int>(30)}, 1);
    jobs.insertAt({4, std::make_unique<int>(40)}, at(0));
    jobs.insert({5, nullptr}, 30);
    BOOST_TEST(*jobs.remove(removed).value.owned == 10);
    BOOST_TEST(*jobs.tryRemove(tried)->value.owned == 20);
    BOOST_TEST(jobs.next()->value.number == 4);
    clock->advance(1ms);
    BOOST_TEST(*jobs.pollExpired()->value.owned == 30);
    jobs = DelayQueue<Job>(std::move(jobs));
    BOOST_TEST(jobs.len() == 1U);
    jobs.clear();
    BOOST_TEST(!jobs.next().has_value());
    int number = 6;
    auto call = [&number] { return number; };
    DelayQueue<decltype(call)> calls(driver);
    calls.insert(call, 0);
    BOOST_TEST(calls.next()->value() == 6);
}

BOOST_AUTO_TEST_SUITE_END()

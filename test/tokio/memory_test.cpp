// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
//
// Running out of memory, and clocks that fail: this program's operator new fails when a case says
// so.
// A program of its own, for it replaces operator new.
#include "support/failing_new.hpp"
#include "support/test.hpp"
#include "tokio/driver_fixture.hpp"

#include <jtimer/tokio/delay_queue.hpp>
#include <jtimer/tokio/timeout.hpp>

using namespace std::chrono_literals;
using jtimer::tokio::Completion;
using jtimer::tokio::DelayKey;
using jtimer::tokio::DelayQueue;
using jtimer::tokio::Interval;
using jtimer::tokio::Sleep;
using jtimer::tokio::TimeDriver;
using jtimer::tokio::Waker;

namespace {

/// The calling thread can allocate `count` times. \returns whether `call` got along with that
template <class Call>
bool getsAlongWith(int count, const Call& call) {
    const test::AllocationsLeft left(count);
    try {
        call();
    } catch (const std::bad_alloc&) {
        return false;
    }
    return true;
}

struct Memory : test::PolledDriver {
    int woken = 0;

    /// Too large for a std::function's own memory, so that to copy it allocates.
    Waker largeWaker() {
        return [this, padding = std::array<long, 8>{}] { woken += 1 + (padding[0] != 0 ? 1 : 0); };
    }

    /// As often as something fails for want of memory, beginning with the first allocation: calls
    /// `call` and then `check`, on fresh objects. \returns how often
    template <class Make, class Call, class Check>
    static int failEachAllocation(const Make& make, const Call& call, const Check& check) {
        for (int n = 0;; ++n) {
            BOOST_REQUIRE(n < 50);
            auto made = make();
            if (getsAlongWith(n, [&] { call(*made); })) return n;
            check(*made);
        }
    }
};

using Strings = DelayQueue<std::string>;
const std::string kLong(100, 'x');

}  // namespace

BOOST_FIXTURE_TEST_SUITE(tokio_memory, Memory)

BOOST_AUTO_TEST_CASE(an_insert_that_fails_changes_nothing_in_an_empty_queue_and_keeps_its_waker) {
    const int failed = failEachAllocation(
        [&] {
            auto queue = std::make_unique<Strings>(driver);
            static_cast<void>(queue->pollExpired(largeWaker()));
            woken = 0;
            return queue;
        },
        [](Strings& queue) { queue.insert(kLong, 10); },
        [&](Strings& queue) {
            queue.check();
            BOOST_TEST(queue.isEmpty());
            BOOST_TEST(driver.size() == 0U);
            BOOST_TEST(woken == 0);
            queue.insert(kLong, 0);
            driver.turn();
            BOOST_TEST(woken == 1);
            BOOST_TEST(queue.pollExpired()->value == kLong);
        });
    BOOST_TEST(failed > 2);
}

BOOST_AUTO_TEST_CASE(an_insert_that_fails_changes_nothing_in_a_queue_that_is_waited_for) {
    std::int64_t promised = 0;
    const int failed = failEachAllocation(
        [&] {
            auto queue = std::make_unique<Strings>(driver);
            for (int i = 0; i < 16; ++i) queue->insert(kLong, 20);  // the next one needs a block
            static_cast<void>(queue->pollExpired(largeWaker()));
            woken = 0;
            promised = next();
            return queue;
        },
        [](Strings& queue) { queue.insert(kLong, 10); },
        [&](Strings& queue) {
            queue.check();
            BOOST_TEST(queue.len() == 16U);
            BOOST_TEST(next() == promised);
            BOOST_TEST(woken == 0);
            turnAt(now() + 20);
            BOOST_TEST(woken == 1);
            BOOST_TEST(queue.pollExpired().has_value());
            queue.check();
        });
    BOOST_TEST(failed > 2);
}

BOOST_AUTO_TEST_CASE(the_first_poll_that_fails_changes_nothing) {
    const auto waker = std::make_shared<Waker>();
    const int failed = failEachAllocation(
        [&] {
            *waker = largeWaker();
            return std::make_unique<Strings>(driver);
        },
        [&](Strings& queue) { static_cast<void>(queue.pollExpired(std::move(*waker))); },
        [](Strings& queue) {
            queue.check();
            queue.insert(kLong, 10);
            BOOST_TEST(queue.len() == 1U);
        });
    BOOST_TEST(failed > 0);
}

BOOST_AUTO_TEST_CASE(only_new_entries_and_the_first_waker_of_a_queue_need_memory) {
    Strings queue(driver);
    DelayKey keys[5];
    for (DelayKey& key : keys) key = queue.insert(kLong, 100);
    Waker wakers[4];
    for (Waker& waker : wakers) waker = largeWaker();
    BOOST_TEST(getsAlongWith(0, [&] {
        static_cast<void>(queue.pollExpired(std::move(wakers[0])));
        queue.reset(keys[0], 50);   // earlier
        queue.reset(keys[0], 200);  // later
        queue.remove(keys[1]);
        queue.tryRemove(keys[2]);
        queue.resetAt(keys[3], at(0));
        driver.turn();
    }));
    BOOST_TEST(woken == 1);
    BOOST_TEST(getsAlongWith(0, [&] {
        static_cast<void>(queue.pollExpired());
        static_cast<void>(queue.pollExpired(std::move(wakers[1])));
        static_cast<void>(queue.pollExpired(std::move(wakers[2])));
        Strings moved(std::move(queue));
        queue = std::move(moved);
        queue.clear();
        driver.turn();
    }));
    BOOST_TEST(woken == 2);
    queue.check();
}

BOOST_AUTO_TEST_CASE(an_insert_whose_clock_throws_changes_nothing) {
    struct Broken final : jtimer::WallClock {
        mutable int readingsLeft = -1;
        std::int64_t nanos() const override {
            if (readingsLeft == 0) throw std::runtime_error("the clock is broken");
            if (readingsLeft > 0) --readingsLeft;
            return 1'000'000'000;
        }
    };
    const auto broken = std::make_shared<Broken>();
    auto with = options();
    with.clock = broken;
    jtimer::tokio::TimeDriver another(std::move(with));
    for (const std::int64_t delay : {0, 5, 50}) {
        DelayQueue<int> values(another);
        woken = 0;
        int inserted = 0;
        const DelayKey key = values.insert(1, 20);
        static_cast<void>(values.pollExpired([&] { ++woken; }));
        for (int readings = 0; inserted == 0; ++readings) {
            BOOST_REQUIRE(readings < 10);
            broken->readingsLeft = readings;
            try {
                values.insert(2, delay);
                ++inserted;
            } catch (const std::runtime_error&) {
                BOOST_TEST(values.len() == 1U);
                BOOST_TEST(woken == 0);
            }
            broken->readingsLeft = -1;
            values.check();
        }
        BOOST_TEST(values.len() == 2U);
        another.turn();
        BOOST_TEST(woken == (delay == 0 ? 1 : 0));
        broken->readingsLeft = 0;
        BOOST_TEST(values.remove(key).value == 1);
        values.clear();
        broken->readingsLeft = -1;
        another.turn();
        BOOST_TEST(woken == 1);
    }
}

BOOST_AUTO_TEST_CASE(an_empty_queue_has_no_memory) {
    BOOST_TEST(getsAlongWith(0, [&] {
        Strings queue(driver);
        static_cast<void>(queue.pollExpired());
        queue.next();
        queue.tryRemove(DelayKey{1});
        queue.peek();
        queue.clear();
        queue.check();
        Strings moved(std::move(queue));
        queue = std::move(moved);
    }));
}

BOOST_AUTO_TEST_CASE(clear_frees_what_the_entries_took) {
    Strings queue(driver);
    queue.insert(kLong, 10);
    static_cast<void>(queue.pollExpired(largeWaker()));
    queue.clear();
    driver.turn();  // calls the waker
    long most[3] = {}, kept[3] = {};
    for (std::size_t round = 0; round < 3; ++round) {
        const auto before = test::livingAllocations();
        for (int i = 0; i < 1000; ++i) queue.insertAt(kLong, at(round == 1 ? 0 : i));
        most[round] = test::livingAllocations() - before;
        if (round == 1) {  // also of a queue that has become empty
            while (queue.pollExpired()) {
            }
        }
        queue.clear();
        kept[round] = test::livingAllocations() - before;
    }
    queue.check();
    for (const long each : most) BOOST_TEST(each > 1000);
    for (const long each : kept) BOOST_TEST(each == 0);
}

BOOST_AUTO_TEST_CASE(a_sleep_needs_memory_only_when_it_is_made) {
    Sleep sleep = driver.sleep(10);
    Interval interval = driver.interval(10);
    Waker wakers[3];
    for (Waker& waker : wakers) waker = largeWaker();
    BOOST_TEST(getsAlongWith(0, [&] {
        sleep.poll(std::move(wakers[0]));
        sleep.reset(at(5));
        sleep.resetAfter(20);
        sleep.poll(std::move(wakers[1]));
        Sleep moved(std::move(sleep));
        sleep = std::move(moved);
        static_cast<void>(interval.pollTick());
        static_cast<void>(interval.pollTick(std::move(wakers[2])));
    }));
    clock->advanceTo(at(20));
    BOOST_TEST(getsAlongWith(0, [&] {
        driver.turn();
        sleep.wait();
    }));
    BOOST_TEST(woken == 2);
}

BOOST_AUTO_TEST_CASE(what_cannot_be_made_leaves_nothing_behind) {
    long before = 0;
    const auto begin = [&] {
        before = test::livingAllocations();
        return std::make_unique<int>();
    };
    const auto end = [&](int&) {
        const auto after = test::livingAllocations();
        BOOST_TEST(after == before + 1);  // what begin() has made
        BOOST_TEST(driver.size() == 0U);
    };
    { TimeDriver first; }  // what the process makes once
    const auto makeTimeout = [&](int&) {
        auto limited = timeout(driver, 10, Completion<int>());
        limited.poll(largeWaker());
    };
    BOOST_TEST(failEachAllocation(
                   begin, [&](int&) { driver.sleep(10).poll(); }, end) == 1);
    BOOST_TEST(failEachAllocation(
                   begin, [](int&) { TimeDriver another; }, end) > 2);
    BOOST_TEST(failEachAllocation(begin, makeTimeout, end) > 2);
}

BOOST_AUTO_TEST_SUITE_END()

// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "support/test.hpp"
#include "tokio/driver_fixture.hpp"

using jtimer::tokio::Sleep;

// A great many entries keep other threads from the driver for short times only.

namespace {

struct Crowd : test::PolledDriver {
    std::vector<Sleep> sleeps;
    /// More than the driver handles before it lets others have its lock.
    std::size_t many = 10'000;

    /// They are registered in one slot, which starts at 4096, and lie in many slots after that.
    /// Twice as many each time: where the threads share a processor, the observer runs only if the
    /// work takes longer than a time slice.
    void registerMany() {
        sleeps.clear();
        if (many < 640'000) many *= 2;
        sleeps.reserve(many);
        for (std::size_t i = 0; i < many; ++i) {
            sleeps.push_back(
                driver.sleepUntil(at(now() + 4096 + static_cast<std::int64_t>(i % 3000))));
            sleeps.back().poll();
        }
    }

    /// Whether another thread ever sees `halfDone` while `work` is going on. The work is one of
    /// many rounds, as that thread may have no processor all the time.
    static bool isSeenHalfDone(const std::function<void()>& prepare,
                               const std::function<void()>& work,
                               const std::function<bool()>& halfDone) {
        std::atomic<bool> isSeen{false};
        for (int round = 0; round < 300 && !isSeen; ++round) {
            prepare();
            std::atomic<bool> looks{false}, isOver{false};
            boost::thread observer([&] {
                while (!isOver && !isSeen) {
                    if (halfDone()) isSeen = true;
                    looks = true;
                }
            });
            while (!looks) boost::this_thread::yield();
            work();
            isOver = true;
            observer.join();
        }
        return isSeen;
    }

    /// Others see some of the entries, but not all.
    bool someAreLeft() const {
        const std::size_t size = driver.size();
        return size != 0 && size != many;
    }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(tokio_holds, Crowd)

BOOST_AUTO_TEST_CASE(t12_other_threads_use_the_driver_while_a_slot_is_dealt) {
    std::int64_t start = 0;
    const bool isSeen = isSeenHalfDone(
        [&] {
            driver.turn(at((start / 4096 + 1) * 4096));
            clock->advanceTo(at(driver.elapsed().count()));
            start = now() + 4096;
            registerMany();
        },
        [&] {
            clock->advanceTo(at(start));
            driver.turn();
            driver.check();
            BOOST_REQUIRE(driver.size() == many - many / 3000 - 1);
        },
        [&] {
            // The slot's time has come, and it is still what comes next.
            return driver.elapsed().count() == start && next() == start && driver.size() == many;
        });
    BOOST_TEST(isSeen);
    BOOST_TEST(driver.turn(at(start + 2999)) == many - many / 3000 - 1);
}

BOOST_AUTO_TEST_CASE(t24_other_threads_use_the_driver_while_a_turn_fires_what_has_no_wakers) {
    BOOST_TEST(isSeenHalfDone([&] { registerMany(); },
                              [&] {
                                  clock->advance(10'000);
                                  BOOST_REQUIRE(driver.turn() == many);
                              },
                              [&] { return someAreLeft(); }));
}

BOOST_AUTO_TEST_CASE(t27_other_threads_use_the_driver_while_it_is_shut_down) {
    BOOST_TEST(isSeenHalfDone(
        [&] {
            owned.emplace(options());
            registerMany();
        },
        [&] {
            driver.shutdown();
            BOOST_REQUIRE(driver.size() == 0U);
        },
        [&] { return someAreLeft(); }));
}

BOOST_AUTO_TEST_SUITE_END()

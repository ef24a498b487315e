// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "base/small_mutex.hpp"

#include "support/gate.hpp"

#include <boost/test/unit_test.hpp>
#include <boost/thread/lock_guard.hpp>
#include <boost/thread/thread.hpp>

#include <array>
#include <memory>

using jtimer::detail::SmallMutex;

static_assert(sizeof(SmallMutex) == 4);

BOOST_AUTO_TEST_SUITE(small_mutex)

BOOST_AUTO_TEST_CASE(it_can_be_taken_once_until_it_is_released) {
    SmallMutex mutex;
    BOOST_TEST(mutex.try_lock());
    BOOST_TEST(!mutex.try_lock());
    mutex.unlock();
    BOOST_TEST(mutex.try_lock());
    mutex.unlock();
}

BOOST_AUTO_TEST_CASE(a_thread_waits_until_it_is_released) {
    SmallMutex mutex;
    bool released = false;
    mutex.lock();
    test::Gate begun;
    boost::thread other([&] {
        begun.open();
        const boost::lock_guard<SmallMutex> lock(mutex);
        BOOST_TEST(released);
    });
    begun.wait();
    // Long enough for the other one to go to sleep, most of the time; right in either case.
    for (int i = 0; i < 10000; ++i) boost::this_thread::yield();
    released = true;
    mutex.unlock();
    other.join();
}

BOOST_AUTO_TEST_CASE(threads_exclude_each_other_on_mutexes_that_share_a_room) {
    // In an array of these, four lie within what the rooms tell apart.
    std::array<SmallMutex, 4> mutexes;
    std::array<int, 4> counts{};
    constexpr int rounds = 20000;
    boost::thread_group threads;
    for (std::size_t t = 0; t < 8; ++t) {
        threads.create_thread([&, t] {
            for (int i = 0; i < rounds; ++i) {
                const std::size_t which = (t + static_cast<std::size_t>(i)) % 2;
                const boost::lock_guard<SmallMutex> lock(mutexes[which]);
                ++counts[which];
                if (i % 100 == 0) boost::this_thread::yield();  // makes the others wait
            }
        });
    }
    threads.join_all();
    BOOST_TEST(counts[0] + counts[1] == 8 * rounds);
}

BOOST_AUTO_TEST_CASE(it_may_be_destroyed_by_the_next_who_takes_it) {
    for (int i = 0; i < 2000; ++i) {
        auto mutex = std::make_unique<SmallMutex>();
        mutex->lock();
        boost::thread next([&] {
            mutex->lock();
            mutex->unlock();
            mutex.reset();
        });
        SmallMutex* const held = mutex.get();
        held->unlock();
        next.join();
    }
}

BOOST_AUTO_TEST_SUITE_END()

// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "sync/process_mutex.hpp"

#include "support/abilities.hpp"
#include "support/forked_child.hpp"
#include "support/long_run.hpp"
#include "support/test.hpp"
#include "sync/never_destroyed.hpp"

using jtimer::detail::Lock;
using jtimer::detail::ProcessMutex;

BOOST_AUTO_TEST_SUITE(process_mutex)

BOOST_AUTO_TEST_CASE(a_fork_waits_for_its_holder_and_leaves_it_free_in_both_processes) {
    test::needFork();
    static jtimer::detail::NeverDestroyed<ProcessMutex> mutex;
    const auto isFree = [&] { return Lock(mutex.get(), boost::try_to_lock).owns_lock(); };
    std::atomic<bool> released{false};
    Lock lock(mutex.get());
    const auto fork = [&] {
        BOOST_TEST(test::inForkedChild([&] { return released && isFree() ? 0 : 1; }) == 0);
    };
    test::during(fork, [&](boost::thread&) {
        released = true;
        lock.unlock();
    });
    BOOST_TEST(isFree());
}

BOOST_AUTO_TEST_SUITE_END()

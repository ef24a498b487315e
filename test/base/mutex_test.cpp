// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "base/mutex.hpp"

#include "base/process_mutex.hpp"
#include "support/forked_child.hpp"
#include "support/gate.hpp"

#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>
#include <boost/thread/lock_guard.hpp>
#include <boost/thread/thread.hpp>

#include <array>
#include <atomic>
#include <cstddef>
#include <memory>

#if defined(__linux__)
#include <cerrno>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

using jtimer::detail::Mutex;

static_assert(sizeof(Mutex) == 1);

namespace {

/// Made before anybody waits for a mutex.
jtimer::detail::ProcessMutex ofProcess;

/// Who sees to it that a waiter does not miss its release: itself, by the kernel's barrier, where
/// there is one; or who releases.
struct WithBarrier {
    explicit WithBarrier(bool ofWaiters) : before(Mutex::waitersHaveBarrier) {
        Mutex::waitersHaveBarrier = before && ofWaiters;
    }
    WithBarrier(const WithBarrier&) = delete;
    WithBarrier& operator=(const WithBarrier&) = delete;
    ~WithBarrier() { Mutex::waitersHaveBarrier = before; }
    const bool before;
};

const auto bothWays = boost::unit_test::data::make({true, false});

/// Long enough for another thread to go to sleep, most of the time; right in either case.
void letSleep() {
    for (int i = 0; i < 10000; ++i) boost::this_thread::yield();
}

/// A thread that finds the mutex taken until `released`. \returns whether it has taken it then
bool takesItWhenReleased() {
    Mutex mutex;
    bool released = false;
    bool taken = false;
    mutex.lock();
    test::Gate begun;
    boost::thread other([&] {
        begun.open();
        const boost::lock_guard<Mutex> lock(mutex);
        taken = released;
    });
    begun.wait();
    letSleep();
    released = true;
    mutex.unlock();
    other.join();
    return taken;
}

#if defined(__linux__)
/// From now on the kernel refuses membarrier.
void enterSandbox() {
    std::array<sock_filter, 4> filter{{
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_membarrier, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    }};
    sock_fprog program{filter.size(), filter.data()};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
        prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0) {
        _exit(3);
    }
}
#endif

}  // namespace

BOOST_AUTO_TEST_SUITE(mutex)

BOOST_AUTO_TEST_CASE(it_can_be_taken_once_until_it_is_released) {
    Mutex mutex;
    BOOST_TEST(mutex.try_lock());
    BOOST_TEST(!mutex.try_lock());
    mutex.unlock();
    BOOST_TEST(mutex.try_lock());
    mutex.unlock();
}

BOOST_DATA_TEST_CASE(a_thread_waits_until_it_is_released, bothWays, ofWaiters) {
    const WithBarrier barrier(ofWaiters);
    BOOST_TEST(takesItWhenReleased());
}

BOOST_DATA_TEST_CASE(threads_exclude_each_other_on_mutexes_that_share_a_room, bothWays, ofWaiters) {
    const WithBarrier barrier(ofWaiters);
    // In an array of these, sixteen lie within what the rooms tell apart.
    std::array<Mutex, 16> mutexes;
    std::array<int, 2> counts{};
    constexpr int rounds = 20000;
    boost::thread_group threads;
    for (std::size_t t = 0; t < 8; ++t) {
        threads.create_thread([&, t] {
            for (int i = 0; i < rounds; ++i) {
                const std::size_t which = (t + static_cast<std::size_t>(i)) % 2;
                const boost::lock_guard<Mutex> lock(mutexes[which]);
                ++counts[which];
                if (i % 100 == 0) boost::this_thread::yield();  // makes the others wait
            }
        });
    }
    threads.join_all();
    BOOST_TEST(counts[0] + counts[1] == 8 * rounds);
}

/// Releases the mutex once, at any moment of the other thread's way to sleep: one that misses it
/// sleeps for ever.
BOOST_DATA_TEST_CASE(no_waiter_misses_its_release, bothWays, ofWaiters) {
    const WithBarrier barrier(ofWaiters);
    constexpr int rounds = 20'000;
    Mutex mutex;
    std::atomic<int> begun{0};
    std::atomic<int> ended{0};
    const auto await = [](const std::atomic<int>& counter, int value) {
        while (counter != value) boost::this_thread::yield();
    };
    boost::thread other([&] {
        for (int round = 1; round <= rounds; ++round) {
            await(begun, round);
            mutex.lock();
            mutex.unlock();
            ended = round;
        }
    });
    for (int round = 1; round <= rounds; ++round) {
        mutex.lock();
        begun = round;
        for (std::atomic<int> i{0}; i < round % 1000; ++i) {
        }
        mutex.unlock();
        await(ended, round);
    }
    other.join();
    BOOST_TEST(ended == rounds);
}

BOOST_AUTO_TEST_CASE(it_may_be_destroyed_by_the_next_who_takes_it) {
    for (int i = 0; i < 2000; ++i) {
        auto mutex = std::make_unique<Mutex>();
        mutex->lock();
        boost::thread next([&] {
            mutex->lock();
            mutex->unlock();
            mutex.reset();
        });
        Mutex* const held = mutex.get();
        held->unlock();
        next.join();
    }
}

#if defined(__linux__)
BOOST_AUTO_TEST_CASE(a_waiter_looks_again_and_again_where_a_sandbox_refuses_the_barrier) {
    const int exitCode = test::inForkedChild([] {
        enterSandbox();
        return takesItWhenReleased() ? 0 : 1;
    });
    BOOST_TEST(exitCode == 0);
}

BOOST_AUTO_TEST_CASE(a_child_that_is_forked_while_others_wait_finds_that_nobody_does) {
    std::array<Mutex, 2> inOneRoom;
    inOneRoom[0].lock();
    boost::thread other([&] { const boost::lock_guard<Mutex> lock(inOneRoom[0]); });
    letSleep();
    const int exitCode = test::inForkedChild([&] {
        inOneRoom[0].unlock();
        if (!inOneRoom[0].try_lock()) return 1;
        const boost::lock_guard<Mutex> lock(inOneRoom[1]);
        return 0;
    });
    inOneRoom[0].unlock();
    other.join();
    BOOST_TEST(exitCode == 0);
}

BOOST_AUTO_TEST_CASE(fork_waits_for_a_mutex_before_it_takes_what_it_waits_with) {
    BOOST_TEST(takesItWhenReleased());  // so that the latter is there
    ofProcess.lock();
    test::Gate begun;
    test::Gate forked;
    boost::thread releasing([&] {
        begun.wait();
        letSleep();
        ofProcess.unlock();
        forked.wait();  // a thread that has ended would be one that the child has not joined
    });
    begun.open();
    BOOST_TEST(test::inForkedChild([] { return 0; }) == 0);
    forked.open();
    releasing.join();
}
#endif

BOOST_AUTO_TEST_SUITE_END()

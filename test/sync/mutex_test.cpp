// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "sync/mutex.hpp"

#include "support/forked_child.hpp"
#include "support/gate.hpp"
#include "support/refused_membarrier.hpp"
#include "support/system_threads.hpp"
#include "support/test.hpp"
#include "sync/process_mutex.hpp"

#include <boost/test/data/test_case.hpp>
#include <boost/thread/lock_guard.hpp>

#if defined(__linux__)
#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

using jtimer::detail::Mutex;

static_assert(sizeof(Mutex) == 1);

namespace {

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

#if defined(__linux__)
/// A thread that waits for the mutex until `released`. \returns whether it has taken it then
bool takesItWhenReleased() {
    Mutex mutex;
    bool released = false;
    bool taken = false;
    mutex.lock();
    std::atomic<pid_t> id{0};
    boost::thread other([&] {
        id = test::idOfThisThread();
        const boost::lock_guard<Mutex> lock(mutex);
        taken = released;
    });
    test::awaitSleep(id);
    released = true;
    mutex.unlock();
    other.join();
    return taken;
}

/// A thread that waits for a mutex, and sleeps, when the constructor returns.
class Sleeper {
  public:
    explicit Sleeper(Mutex& mutex)
        : thread_([this, &mutex] {
              id_ = test::idOfThisThread();
              const boost::lock_guard<Mutex> lock(mutex);
              hasTakenIt_ = true;
              mayRelease_.wait();
          }) {
        // Waiting for the mutex, not for its parking lot's: with no other thread there.
        test::awaitSleep(id_);
        sleeps_ = test::sleepsOf(id_);
    }
    Sleeper(const Sleeper&) = delete;
    Sleeper& operator=(const Sleeper&) = delete;
    ~Sleeper() { release(); }

    bool hasWokenUp() const { return hasTakenIt_ || test::sleepsOf(id_) != sleeps_; }
    void awaitLock() const {
        while (!hasTakenIt_) boost::this_thread::yield();
    }
    void release() {
        mayRelease_.open();
        if (thread_.joinable()) thread_.join();
    }

  private:
    std::atomic<pid_t> id_{0};
    std::atomic<bool> hasTakenIt_{false};
    test::Gate mayRelease_;
    long sleeps_ = 0;
    boost::thread thread_;
};

void lockAndRelease(Mutex& mutex, int times) {
    for (int i = 0; i < times; ++i) {
        mutex.lock();
        mutex.unlock();
    }
}
#endif

}  // namespace

BOOST_AUTO_TEST_SUITE(mutex)

BOOST_AUTO_TEST_CASE(a_mutex_can_be_locked_once_until_it_is_unlocked) {
    Mutex mutex;
    BOOST_TEST(mutex.try_lock());
    BOOST_TEST(!mutex.try_lock());
    mutex.unlock();
    BOOST_TEST(mutex.try_lock());
    mutex.unlock();
}

#if defined(__linux__)
BOOST_DATA_TEST_CASE(a_thread_waits_until_the_mutex_is_unlocked, bothWays, ofWaiters) {
    const WithBarrier barrier(ofWaiters);
    BOOST_TEST(takesItWhenReleased());
}
#endif

BOOST_DATA_TEST_CASE(threads_exclude_each_other_on_mutexes_that_share_a_parking_lot, bothWays,
                     ofWaiters) {
    const WithBarrier barrier(ofWaiters);
    alignas(16) std::array<Mutex, 2> mutexes;  // the lots tell apart what is 16 bytes apart
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

#if defined(__linux__)
BOOST_AUTO_TEST_CASE(to_release_another_mutex_of_the_parking_lot_wakes_no_waiter) {
    alignas(16) std::array<Mutex, 2> inOneLot;
    inOneLot[0].lock();
    Sleeper sleeper(inOneLot[0]);
    lockAndRelease(inOneLot[1], 1000);
    BOOST_TEST(!sleeper.hasWokenUp());
    inOneLot[0].unlock();
    sleeper.awaitLock();
}

BOOST_AUTO_TEST_CASE(of_waiters_for_several_mutexes_of_a_parking_lot_a_release_wakes_its_own) {
    alignas(16) std::array<Mutex, 3> inOneLot;
    inOneLot[0].lock();
    inOneLot[1].lock();
    Sleeper first(inOneLot[0]);
    {
        Sleeper second(inOneLot[1]);
        lockAndRelease(inOneLot[2], 1000);
        BOOST_TEST(!second.hasWokenUp());
        inOneLot[1].unlock();
        second.awaitLock();
    }
    // Now all waiters of the lot wait for one mutex again.
    lockAndRelease(inOneLot[1], 1000);
    BOOST_TEST(!first.hasWokenUp());
    inOneLot[0].unlock();
    first.awaitLock();
}

BOOST_AUTO_TEST_CASE(a_release_wakes_the_waiter_that_came_first_and_no_other) {
    Mutex mutex;
    mutex.lock();
    Sleeper first(mutex);
    Sleeper second(mutex);
    mutex.unlock();
    first.awaitLock();
    BOOST_TEST(!second.hasWokenUp());
    first.release();
    second.awaitLock();
}
#endif

BOOST_AUTO_TEST_CASE(a_mutex_may_be_destroyed_by_its_next_owner) {
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
BOOST_AUTO_TEST_CASE(waiters_have_the_barrier_where_the_kernel_grants_it) {
    const long granted = syscall(SYS_membarrier, MEMBARRIER_CMD_QUERY, 0, 0);
    const bool hasBarrier = granted > 0 && (granted & MEMBARRIER_CMD_PRIVATE_EXPEDITED) != 0;
    BOOST_TEST(Mutex::waitersHaveBarrier == hasBarrier);
}

BOOST_AUTO_TEST_CASE(a_waiter_looks_again_and_again_where_a_sandbox_refuses_the_barrier) {
    test::needFilter();
    const int exitCode = test::inForkedChild([] {
        test::refuseMembarrier();
        return takesItWhenReleased() ? 0 : 1;
    });
    BOOST_TEST(exitCode == 0);
}

BOOST_AUTO_TEST_CASE(in_a_child_forked_while_threads_wait_the_waiter_counts_are_zero) {
    alignas(16) std::array<Mutex, 2> inOneLot;
    inOneLot[0].lock();
    std::atomic<pid_t> id{0};
    boost::thread other([&] {
        id = test::idOfThisThread();
        const boost::lock_guard<Mutex> lock(inOneLot[0]);
    });
    test::awaitSleep(id);
    const int exitCode = test::inForkedChild([&] {
        inOneLot[0].unlock();
        if (!inOneLot[0].try_lock()) return 1;
        const boost::lock_guard<Mutex> lock(inOneLot[1]);
        return 0;
    });
    inOneLot[0].unlock();
    other.join();
    BOOST_TEST(exitCode == 0);
}

BOOST_AUTO_TEST_CASE(fork_waits_for_a_mutex_of_the_process_that_is_taken) {
    ofProcess.lock();
    const std::atomic<pid_t> forking{test::idOfThisThread()};
    test::Gate forked;
    boost::thread releasing([&] {
        test::awaitSleep(forking);
        ofProcess.unlock();
        forked.wait();  // a thread that has ended would be one that the child has not joined
    });
    BOOST_TEST(test::inForkedChild([] { return 0; }) == 0);
    forked.open();
    releasing.join();
}
#endif

BOOST_AUTO_TEST_SUITE_END()

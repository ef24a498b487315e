// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#if defined(_WIN32)

#include "support/abilities.hpp"

// No process forks.
namespace test {

struct SharedCount {
    SharedCount() {}
    void up() const {}
    int get() const { return 0; }
};

/// Skips the case.
struct ForksOnce {
    ForksOnce() { needFork(); }
    bool operator()() { return false; }
    int childsExitCode() { return 0; }
};

}  // namespace test

#define FORKING_CASES(Fixture)

#else

#include "support/counter.hpp"
#include "support/faults.hpp"
#include "support/forked_child.hpp"

#include <boost/test/unit_test.hpp>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <functional>
#include <memory>
#include <new>
#include <sys/mman.h>
#include <system_error>
#include <unistd.h>
#include <utility>

// User code that forks on a timer's thread and returns in the child too. FORKING_CASES(Fixture)
// tries each kind of user code that all five timers call; the test of a timer adds its own. A
// Fixture is that of support/faults.hpp.

namespace test {

/// A number that this process shares with its forked children.
class SharedCount {
  public:
    SharedCount()
        : memory_(::mmap(nullptr, sizeof(std::atomic<int>), PROT_READ | PROT_WRITE,
                         MAP_SHARED | MAP_ANONYMOUS, -1, 0)) {
        if (memory_ == MAP_FAILED) throw std::system_error(errno, std::generic_category(), "mmap");
        count_ = new (memory_) std::atomic<int>(0);
    }
    SharedCount(const SharedCount&) = delete;
    SharedCount& operator=(const SharedCount&) = delete;
    ~SharedCount() { ::munmap(memory_, sizeof(std::atomic<int>)); }

    void up() const { ++*count_; }
    int get() const { return *count_; }

  private:
    void* const memory_;
    std::atomic<int>* count_ = nullptr;
};

/// Forks when it is called for the first time, and returns in both processes.
class ForksOnce {
  public:
    /// \returns whether this is the child
    bool operator()() {
        if (hasForked_.exchange(true)) return false;
        const pid_t child = fork();
        if (child == 0) {
            alarm(60);
            return true;
        }
        child_ = child;
        forked_.up();
        return false;
    }

    /// Waits for the child, which must have been forked or be about to. \returns as exitCodeOf()
    int childsExitCode() {
        BOOST_REQUIRE(forked_.reaches(1));
        return exitCodeOf(child_);
    }

  private:
    std::atomic<bool> hasForked_{false};
    std::atomic<pid_t> child_{0};
    Counter forked_;
};

namespace forking {

using namespace std::chrono_literals;

/// A timer with something that forks, due at 1 ms, and with a task that is due at 20 ms, which the
/// child must not run.
template <class Fixture>
struct Forking {
    Faulty<Fixture> f;
    SharedCount ran;
    ForksOnce forks;

    void addPending() {
        f.fixture->after(20ms, [this] { ran.up(); });
    }
    /// \param runs the pending task's
    void check(int runs) {
        f.clock->advance(200);
        BOOST_TEST(forks.childsExitCode() == 0);
        BOOST_TEST(ran.get() == runs);
        f.end();
    }
};

template <class Fixture>
void inATask() {
    Forking<Fixture> forking;
    forking.f.fixture->after(1ms, [&] { forking.forks(); });
    forking.addPending();
    forking.check(1);
}

template <class Fixture>
void inATaskThatThrowsInTheChild() {
    Forking<Fixture> forking;
    forking.f.fixture->after(1ms, [&] {
        if (forking.forks()) throw 1;
    });
    forking.addPending();
    forking.check(1);
}

template <class Fixture>
void inADestructor() {
    Forking<Fixture> forking;
    std::shared_ptr<void> captured(nullptr, [&](void*) { forking.forks(); });
    forking.f.fixture->after(1ms, [captured = std::move(captured)] {});
    forking.addPending();
    forking.check(1);
}

/// The exception handler. Where an exception ends the timer, the parent has discarded the task.
template <class Fixture>
void inAHandler() {
    Forking<Fixture> forking;
    forking.f.fixture->reports.call([&] { forking.forks(); });
    forking.f.fixture->after(1ms, [] { throw 1; });
    forking.addPending();
    forking.check(Fixture::traits.endsByException ? 0 : 1);
}

/// The clock, at the n-th reading of the thread, for some n.
template <class Fixture>
void inTheClock() {
    for (const int n : {1, 2, 3}) {
        Forking<Fixture> forking;
        forking.f.add(1ms);
        forking.addPending();
        forking.f.clock->waitUntilIdle();
        std::atomic<int> readings{0};
        forking.f.clock->callElsewhere([&] {
            if (++readings == n) forking.forks();
        });
        forking.f.clock->advance(200);
        BOOST_TEST(readings >= 1);
        if (readings >= n) BOOST_TEST(forking.forks.childsExitCode() == 0);
        BOOST_TEST(forking.ran.get() == 1);
        forking.f.end();
    }
}

}  // namespace forking

}  // namespace test

// AddressSanitizer finds leaks in a child that ends as its last thread does, since it lacks the
// stacks of the parent's other threads. ThreadSanitizer's runtime crashes when the thread ends
// there.
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define CHILDREN_MAY_END_THEIR_THREAD
#endif

#if !defined(CHILDREN_MAY_END_THEIR_THREAD)
#define FORKING_CASES(Fixture)
#else
#define FORKING_CASES(Fixture)                                                                     \
    BOOST_AUTO_TEST_CASE(fault_a_task_forks) { test::forking::inATask<Fixture>(); }                \
    BOOST_AUTO_TEST_CASE(fault_a_task_forks_and_throws_in_the_child) {                             \
        test::forking::inATaskThatThrowsInTheChild<Fixture>();                                     \
    }                                                                                              \
    BOOST_AUTO_TEST_CASE(fault_a_destructor_forks) { test::forking::inADestructor<Fixture>(); }    \
    BOOST_AUTO_TEST_CASE(fault_an_exception_handler_forks) {                                       \
        test::forking::inAHandler<Fixture>();                                                      \
    }                                                                                              \
    BOOST_AUTO_TEST_CASE(fault_the_clock_forks_on_the_timers_thread) {                             \
        test::forking::inTheClock<Fixture>();                                                      \
    }
#endif

#endif

// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
//
// Only for POSIX: forked children that abort.
#include "sync/assert.hpp"

#include "go/quad_heap.hpp"
#include "support/forked_child.hpp"
#include "support/test.hpp"
#include "sync/lock.hpp"
#include "thread/monitor.hpp"

#include <jtimer/manual_clock.hpp>

#include <csignal>
#include <cstdio>
#include <sys/resource.h>

using jtimer::detail::holds;
using jtimer::detail::Lock;
using jtimer::detail::Monitor;
using jtimer::detail::Mutex;
using jtimer::go::detail::HeapItem;
using jtimer::go::detail::QuadHeap;

namespace {

struct Item : HeapItem {};

#if defined(JTIMER_ASSERTIONS) && !defined(NDEBUG)
constexpr int kAborted = -SIGABRT;
#endif

/// How a child ends that calls `function`: silently, without a core file, and without Boost.Test,
/// which would catch the signal.
template <class Function>
int endOf(const Function& function) {
    return test::inForkedChild([&] {
        std::signal(SIGABRT, SIG_DFL);
        const rlimit none{0, 0};
        setrlimit(RLIMIT_CORE, &none);
        std::fclose(stderr);
        function();
        return 0;
    });
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_lock_holds_its_own_mutex_and_only_while_it_is_locked) {
    Mutex mutex;
    Mutex other;
    Lock lock(mutex);
    BOOST_TEST(holds(lock, mutex));
    BOOST_TEST(!holds(lock, other));
    lock.unlock();
    BOOST_TEST(!holds(lock, mutex));
    BOOST_TEST(!holds(Lock(), mutex));
}

BOOST_AUTO_TEST_CASE(a_promise_that_is_kept_ends_nothing) {
    QuadHeap heap;
    heap.reserve(1);
    BOOST_TEST(endOf([&] {
                   Item item;
                   heap.add(1, item);
                   heap.front();
                   heap.remove(item);
               }) == 0);
}

#if defined(JTIMER_ASSERTIONS) && !defined(NDEBUG)

BOOST_AUTO_TEST_CASE(a_promise_broken_in_a_header_ends_the_process) {
    const QuadHeap heap;
    BOOST_TEST(endOf([&] { heap.front(); }) == kAborted);
}

BOOST_AUTO_TEST_CASE(a_promise_broken_in_the_library_ends_the_process) {
    QuadHeap heap;
    Item item;
    BOOST_TEST(endOf([&] { heap.add(1, item); }) == kAborted);  // without room
    BOOST_TEST(endOf([&] { heap.remove(item); }) == kAborted);
}

BOOST_AUTO_TEST_CASE(a_lock_that_is_not_held_or_of_another_mutex_ends_the_process) {
    const auto clock = std::make_shared<jtimer::ManualClock>();
    Monitor monitor(clock);
    Monitor other(clock);
    BOOST_TEST(endOf([&] {
                   Lock lock = monitor.enter();
                   lock.unlock();
                   monitor.leaveAndWake(lock);
               }) == kAborted);
    BOOST_TEST(endOf([&] {
                   Lock lock = other.enter();
                   monitor.leaveAndWake(lock);
               }) == kAborted);
    BOOST_TEST(endOf([&] {
                   Lock lock = monitor.enter();
                   monitor.leaveAndWake(lock);
               }) == 0);
}

#endif

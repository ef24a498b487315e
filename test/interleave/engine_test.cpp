// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
//
// What the engine must find, and what it must not.

#include "interleave/explored.hpp"

#include <boost/thread/condition_variable.hpp>
#include <boost/thread/mutex.hpp>
#include <boost/thread/thread.hpp>

#include <atomic>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>

namespace {

using explore::check;
using explore::together;

constexpr explore::Bounds kSmall{2, 1, 0, 10'000, 100};
constexpr explore::Bounds kWithDelays{2, 1, 1, 10'000, 100};

/// Fails unless the search finds this, and finds it again by the trace.
void mustFind(const std::string& what, const explore::Bounds& bounds,
              const std::function<void()>& body) {
    const explore::Result found = explore::search(bounds, body);
    BOOST_TEST(found.failure.find(what) != std::string::npos, "found: " << found.failure);
    const explore::Result again = explore::replay(bounds, body, found.trace);
    BOOST_TEST(again.failure == found.failure);
    BOOST_TEST(again.events == found.events);
}

void mustFindNothing(const explore::Bounds& bounds, const std::function<void()>& body) {
    const explore::Result result = explore::search(bounds, body);
    BOOST_TEST(result.failure == "");
    BOOST_TEST(result.complete);
}

void passMessage(std::memory_order stored, std::memory_order loaded) {
    int data = 0;
    std::atomic<bool> isReady{false};
    together({[&] {
                  data = 1;
                  isReady.store(true, stored);
              },
              [&] {
                  if (isReady.load(loaded)) check(data == 1, "data of before");
              }});
}

/// Whether neither of two threads sees the other's store.
void storeThenLoad(std::memory_order stored, std::memory_order loaded) {
    std::atomic<int> a{0};
    std::atomic<int> b{0};
    int seenByA = 0;
    int seenByB = 0;
    together({[&] {
                  a.store(1, stored);
                  seenByA = b.load(loaded);
              },
              [&] {
                  b.store(1, stored);
                  seenByB = a.load(loaded);
              }});
    check(seenByA + seenByB != 0, "both were late");
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_released_message_is_acquired_with_its_data) {
    mustFindNothing(kSmall,
                    [] { passMessage(std::memory_order_release, std::memory_order_acquire); });
}

BOOST_AUTO_TEST_CASE(a_relaxed_store_or_load_of_a_message_is_a_race) {
    mustFind("data race", kSmall,
             [] { passMessage(std::memory_order_relaxed, std::memory_order_acquire); });
    mustFind("data race", kSmall,
             [] { passMessage(std::memory_order_release, std::memory_order_relaxed); });
}

BOOST_AUTO_TEST_CASE(only_sequential_consistency_orders_a_store_before_a_later_load) {
    mustFindNothing(kWithDelays,
                    [] { storeThenLoad(std::memory_order_seq_cst, std::memory_order_seq_cst); });
    mustFind("both were late", kSmall,
             [] { storeThenLoad(std::memory_order_release, std::memory_order_acquire); });
    mustFind("both were late", kWithDelays,
             [] { storeThenLoad(std::memory_order_release, std::memory_order_seq_cst); });
}

BOOST_AUTO_TEST_CASE(a_load_never_sees_an_older_store_than_an_earlier_load) {
    mustFindNothing({3, 2, 0, 10'000, 0}, [] {
        std::atomic<int> a{0};
        together({[&] {
                      a.store(1, std::memory_order_relaxed);
                      a.store(2, std::memory_order_relaxed);
                  },
                  [&] {
                      const int first = a.load(std::memory_order_relaxed);
                      check(first <= a.load(std::memory_order_relaxed), "backwards");
                  }});
    });
}

BOOST_AUTO_TEST_CASE(increments_are_lost_only_without_an_atomic_one) {
    const auto count = [](bool atomically) {
        std::atomic<int> counter{0};
        const auto add = [&] {
            if (atomically) {
                counter.fetch_add(1, std::memory_order_relaxed);
            } else {
                counter.store(counter.load() + 1);
            }
        };
        together({add, add});
        check(counter == 2, "lost");
    };
    mustFindNothing(kSmall, [&] { count(true); });
    mustFind("lost", kSmall, [&] { count(false); });
}

BOOST_AUTO_TEST_CASE(a_shared_ptr_frees_its_object_once_after_all_use) {
    mustFindNothing(kSmall, [] {
        auto shared = std::make_shared<int>(1);
        together({[copy = shared] { ++*std::make_shared<int>(*copy); },
                  [copy = std::move(shared)] { check(*copy == 1, "freed"); }});
    });
}

BOOST_AUTO_TEST_CASE(a_mutex_excludes_and_its_absence_is_a_race) {
    const auto count = [](bool locks) {
        boost::mutex mutex;
        int counter = 0;
        const auto add = [&] {
            boost::unique_lock<boost::mutex> lock(mutex, boost::defer_lock);
            if (locks) lock.lock();
            ++counter;
        };
        together({add, add, add});
        check(counter == 3, "lost");
    };
    mustFindNothing(kSmall, [&] { count(true); });
    mustFind("data race", kSmall, [&] { count(false); });
}

BOOST_AUTO_TEST_CASE(a_lost_wake_up_and_a_cycle_of_locks_are_deadlocks) {
    mustFind("deadlock", kSmall, [] {
        boost::mutex mutex;
        boost::condition_variable changed;
        std::atomic<bool> isReady{false};
        together({[&] {
                      boost::unique_lock<boost::mutex> lock(mutex);
                      while (!isReady) changed.wait(lock);
                  },
                  [&] {
                      isReady = true;  // without the mutex
                      changed.notify_one();
                  }});
    });
    mustFind("deadlock", kSmall, [] {
        boost::mutex a;
        boost::mutex b;
        const auto lockBoth = [](boost::mutex& first, boost::mutex& second) {
            const boost::unique_lock<boost::mutex> outer(first);
            const boost::unique_lock<boost::mutex> inner(second);
        };
        together({[&] { lockBoth(a, b); }, [&] { lockBoth(b, a); }});
    });
}

BOOST_AUTO_TEST_CASE(memory_that_is_used_after_it_was_freed_or_is_never_freed_is_found) {
    mustFind("use of memory that was freed", kSmall, [] {
        auto* const number = new std::atomic<int>(1);
        std::atomic<bool> isFreed{false};
        together({[&] {
                      delete number;
                      isFreed.store(true);
                  },
                  [&] {
                      if (isFreed.load()) number->store(2);
                  }});
    });
    mustFind("were not freed", kSmall, [] {
        auto* const number = new std::atomic<int>(1);
        together({[&] { number->store(2); }});
    });
    mustFind("use of memory that was freed", kSmall, [] {
        auto* const number = new std::atomic<int>(1);
        together({[&] { delete number; }, [&] { number->store(2); }});
    });
}

BOOST_AUTO_TEST_CASE(threads_of_boost_start_end_throw_and_have_their_own_data) {
    mustFindNothing(kSmall, [] {
        static thread_local int own = 7;
        int sum = 0;
        boost::thread thread([&] {
            try {
                own += 1;
                throw std::runtime_error("x");
            } catch (const std::exception& e) {
                sum = own + (e.what()[0] == 'x' ? 1 : 0);
            }
        });
        own += 10;
        thread.join();
        check(sum == 9 && own == 17, "mixed up");
    });
}

BOOST_AUTO_TEST_CASE(a_failing_random_execution_is_repeated_by_its_trace) {
    explore::Bounds bounds = kSmall;
    bounds.most = 0;
    bounds.random = 10'000;
    mustFind("data race", bounds,
             [] { passMessage(std::memory_order_relaxed, std::memory_order_acquire); });
}

// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "interleave/explored.hpp"
#include "sync/mutex.hpp"

#include <array>
#include <cstddef>
#include <functional>
#include <memory>

namespace {

using explore::together;
using jtimer::detail::Mutex;

constexpr explore::Bounds kBounds{2, 1, 1, 20'000, 2'000};

/// With the kernel's barrier for waiters, or without.
class WithBarrier {
  public:
    explicit WithBarrier(bool has) : before_(Mutex::waitersHaveBarrier) {
        Mutex::waitersHaveBarrier = has;
    }
    WithBarrier(const WithBarrier&) = delete;
    WithBarrier& operator=(const WithBarrier&) = delete;
    ~WithBarrier() { Mutex::waitersHaveBarrier = before_; }

  private:
    const bool before_;
};

/// Two mutexes of one parking lot, a count for each.
struct Counts {
    struct alignas(16 * 64) Counted {
        Mutex mutex;
        int count = 0;

        void add() {
            mutex.lock();
            ++count;
            mutex.unlock();
        }
    };
    std::array<Counted, 2> of;
};

/// Plays `body` with the kernel's barrier, where there is one, and without.
void withAndWithoutBarrier(const explore::Bounds& bounds, const std::function<void()>& body) {
    for (const bool hasBarrier : {true, false}) {
        if (hasBarrier && !Mutex::waitersHaveBarrier) continue;
        BOOST_TEST_CONTEXT("hasBarrier " << hasBarrier) {
            const WithBarrier barrier(hasBarrier);
            everyInterleaving(bounds, body);
        }
    }
}

}  // namespace

BOOST_AUTO_TEST_CASE(two_threads_exclude_each_other_and_miss_no_release) {
    withAndWithoutBarrier(kBounds, [] {
        Counts counts;
        const auto add = [&] { counts.of[0].add(); };
        together({add, add});
        explore::check(counts.of[0].count == 2, "lost");
    });
}

BOOST_AUTO_TEST_CASE(the_waiters_of_two_mutexes_share_a_parking_lot) {
    withAndWithoutBarrier({2, 0, 0, 5'000, 3'000}, [] {
        Counts counts;
        const auto addTo = [&](std::size_t which) {
            return [&, which] { counts.of[which].add(); };
        };
        together({addTo(0), addTo(1), addTo(0), addTo(1)});
        explore::check(counts.of[0].count == 2 && counts.of[1].count == 2, "lost");
    });
}

BOOST_AUTO_TEST_CASE(a_free_mutex_may_be_destroyed_while_another_thread_still_unlocks_it) {
    withAndWithoutBarrier(kBounds, [] {
        auto counted = std::make_unique<Counts::Counted>();
        int left = 2;
        const auto leave = [&] {
            Counts::Counted& mine = *counted;
            mine.mutex.lock();
            const bool isLast = --left == 0;
            mine.mutex.unlock();
            if (isLast) counted.reset();
        };
        together({leave, leave});
    });
}

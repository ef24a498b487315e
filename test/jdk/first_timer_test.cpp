// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
//
// What only the first Timer of a process does. This program itself makes none.
// A program of its own, for it replaces operator new.
#include "support/abilities.hpp"
#include "support/failing_new.hpp"
#include "support/forked_child.hpp"
#include "support/system_threads.hpp"
#include "support/test.hpp"

#include <jtimer/timer.hpp>

namespace {

/// Whether the calling thread is the only one.
bool isAlone() {
#if defined(__SANITIZE_THREAD__)
    return true;  // ThreadSanitizer starts a thread of its own beside the first
#else
    return test::numberOfThreads() == 1;
#endif
}

}  // namespace

BOOST_AUTO_TEST_CASE(wherever_memory_runs_out_the_first_timer_of_a_process_leaves_nothing_behind) {
    test::needNumberOfThreads();
    constexpr int throws = 1, leavesThread = 2, leavesClock = 4, is = 8;
    for (const bool hasThreadStart : {false, true}) {
        const auto firstTimer = [hasThreadStart](long allocations) {
            const auto clock = std::make_shared<jtimer::ManualClock>();
            jtimer::TimerOptions options;
            options.daemon = true;
            options.clock = clock;
            if (hasThreadStart) options.onThreadStart = [] {};
            bool thrown = false;
            {
                const test::AllocationsLeft left(allocations);
                try {
                    const jtimer::Timer timer(std::move(options));
                } catch (const std::bad_alloc&) {
                    thrown = true;
                }
            }
            options = {};
            return (thrown ? throws : is) | (isAlone() ? 0 : leavesThread) |
                   (clock.use_count() == 1 ? 0 : leavesClock);
        };
        int failures = 0;
        for (int result = throws; result == throws; ++failures) {
            result = test::inForkedChild([&] { return firstTimer(failures); });
            BOOST_TEST((result == throws || result == is));
        }
        BOOST_TEST(failures > 3);
    }
}

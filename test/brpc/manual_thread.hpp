// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "support/manual_timer.hpp"

#include <jtimer/brpc/timer_thread.hpp>

#include <boost/test/unit_test.hpp>

#include <exception>
#include <memory>
#include <string>
#include <utility>

namespace test {

/// Counts the calls: for tasks that are a function and its argument.
inline void countUp(void* count) { ++*static_cast<int*>(count); }

/// Makes a task in vain; for tests whose tasks are far away.
inline void doNothing(void*) {}

/// A running TimerThread on a manual clock of its own, whose thread waits. As a base class of a
/// test suite's fixture, it gives each case `clock` and `timer`.
struct ManualThread {
    const std::shared_ptr<jtimer::ManualClock> clock =
        std::make_shared<jtimer::ManualClock>(kStart);
    jtimer::brpc::TimerThread timer;
    Log log{clock};

    ManualThread() : ManualThread(jtimer::brpc::TimerThreadOptions{}) {}
    explicit ManualThread(jtimer::brpc::TimerThreadOptions options) {
        options.clock = clock;
        if (options.name.empty()) options.name = "test";
        BOOST_REQUIRE_EQUAL(timer.start(options), 0);
        clock->waitUntilIdle();
    }

    /// Milliseconds from kStart to now.
    std::int64_t now() const { return clock->nanos() / 1'000'000 - kStartMillis; }

    /// Far away, and `millis` more.
    static jtimer::Date far(std::int64_t millis = 0) { return at(3'600'000 + millis); }

    /// Has the thread empty the buckets, and wait again.
    void pull() {
        timer.schedule(doNothing, nullptr, jtimer::Date{});
        clock->waitUntilIdle();
    }
};

}  // namespace test

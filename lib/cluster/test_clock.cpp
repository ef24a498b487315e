// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include <jtimer/cluster/test_clock.hpp>

#include "cluster/checks.hpp"
#include "cluster/micros.hpp"
#include "cluster/store.hpp"

#include <jtimer/exceptions.hpp>

#include <chrono>
#include <thread>

namespace jtimer::cluster {

namespace detail {

class TestClockState {
  public:
    explicit TestClockState(const Options& options) : store((check(options), options)) {}

    Store store;
};

}  // namespace detail

TestClock::TestClock(const Options& options)
    : state_(std::make_unique<detail::TestClockState>(options)) {
    if (!state_->store.forTests()) {
        throw IllegalStateException("Schema \"" + options.schema + "\" is not for tests");
    }
}

TestClock::~TestClock() = default;

Date TestClock::now() { return detail::toDate(state_->store.now()); }

void TestClock::advance(TimeSpan span) {
    detail::checkWhen(span.value().millis);
    detail::Store& store = state_->store;
    store.advance(detail::toMicros(span));
    store.notify();
    // Only the nodes know when they are done, and they do not know that somebody waits.
    while (true) {
        const Backlog backlog = store.backlog();
        if (backlog.due + backlog.running == 0) return;
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
}

}  // namespace jtimer::cluster

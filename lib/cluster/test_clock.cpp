// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include <jtimer/cluster/test_clock.hpp>

#include "cluster/checks.hpp"
#include "cluster/micros.hpp"
#include "cluster/store.hpp"

#include <jtimer/exceptions.hpp>

#include <chrono>
#include <thread>

namespace jtimer::cluster {

TestClock::TestClock(const Options& options)
    : store_((detail::check(options), std::make_unique<detail::Store>(options))) {
    if (!store_->forTests()) {
        throw IllegalStateException("Schema \"" + options.schema + "\" is not for tests");
    }
}

TestClock::~TestClock() = default;

Date TestClock::now() { return detail::toDate(store_->now()); }

void TestClock::advance(TimeSpan span) {
    detail::checkWhen(span.value().millis);
    store_->advance(detail::toMicros(span));
    store_->notify();
    // Only the nodes know when they are done, and they do not know that somebody waits.
    while (true) {
        const Backlog backlog = store_->backlog();
        if (backlog.due + backlog.running == 0) return;
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
}

}  // namespace jtimer::cluster

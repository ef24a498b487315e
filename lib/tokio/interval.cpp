// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include <jtimer/tokio/interval.hpp>

#include "tokio/missed_tick.hpp"
#include "tokio/sleep_access.hpp"

#include <utility>

namespace jtimer::tokio {

using detail::Nanos;
using detail::SleepAccess;

Interval::Interval(Sleep sleep, std::int64_t period) : sleep_(std::move(sleep)), period_(period) {}

Date Interval::tick() {
    detail::SleepEntry& entry = SleepAccess::entryOf(sleep_);
    entry.driver->wait(entry, SleepAccess::storedDeadlineOf(sleep_), "Interval::tick()");
    return taken();
}

std::optional<Date> Interval::pollTick(Waker waker) {
    detail::SleepEntry& entry = SleepAccess::entryOf(sleep_);
    const Nanos deadline = SleepAccess::deadlineOf(sleep_);
    if (!entry.driver->poll(entry, deadline, waker, "Interval")) return std::nullopt;
    return taken();
}

/// Takes the tick that has come: chooses the next one, which the next poll registers.
Date Interval::taken() {
    const Nanos scheduled = SleepAccess::deadlineOf(sleep_);
    const Nanos now = SleepAccess::entryOf(sleep_).driver->now();
    SleepAccess::restart(sleep_, detail::nextTick(behavior_, scheduled, period_, now));
    return detail::dateOf(scheduled);
}

void Interval::reset() { resetAfter(period()); }

void Interval::resetImmediately() { resetAfter(0); }

void Interval::resetAfter(TimeSpan duration) { sleep_.resetAfter(duration); }

void Interval::resetAt(Date deadline) { sleep_.reset(deadline); }

}  // namespace jtimer::tokio

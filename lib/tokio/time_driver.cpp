// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include <jtimer/tokio/time_driver.hpp>

#include "tokio/driver.hpp"
#include "tokio/sleep_access.hpp"

#include <utility>

namespace jtimer::tokio {

using detail::Driver;
using detail::DriverRef;
using detail::Nanos;
using detail::SleepAccess;
using jtimer::detail::toNanos;

namespace {

Nanos requirePeriod(TimeSpan period) {
    const Nanos nanos = toNanos(period.value());
    if (nanos <= 0) throw IllegalArgumentException("`period` must be non-zero.");
    return nanos;
}

}  // namespace

DriverShutdown::~DriverShutdown() = default;

TimeDriver::TimeDriver() : TimeDriver(TimeDriverOptions{}) {}

TimeDriver::TimeDriver(TimeDriverOptions options) {
    DriverRef driver(new Driver(std::move(options)));
    driver->start();
    driver_ = driver.detach();
}

TimeDriver::~TimeDriver() {
    const DriverRef released(driver_, false);
    released->close();
}

Sleep TimeDriver::sleep(TimeSpan duration) & {
    const Nanos deadline = detail::deadlineAfter(*driver_, duration);
    driver_->requireRunning();
    return SleepAccess::make(*driver_, deadline);
}

Sleep TimeDriver::sleepUntil(Date deadline) & {
    driver_->requireRunning();
    return SleepAccess::make(*driver_, toNanos(deadline));
}

Interval TimeDriver::interval(TimeSpan period) & {
    const Nanos nanos = requirePeriod(period);
    return Interval(sleep(0), nanos);
}

Interval TimeDriver::intervalAt(Date start, TimeSpan period) & {
    const Nanos nanos = requirePeriod(period);
    return Interval(sleepUntil(start), nanos);
}

// A waker may destroy this TimeDriver before these calls return; the Driver keeps itself alive.

std::size_t TimeDriver::turn() { return driver_->turn(std::nullopt); }

std::size_t TimeDriver::turn(Date now) { return driver_->turn(toNanos(now)); }

std::size_t TimeDriver::advance(TimeSpan span) {
    return driver_->advance(detail::requireDuration(span));
}

void TimeDriver::shutdown() { driver_->shutdown(); }

std::optional<Date> TimeDriver::nextWake() const {
    const std::optional<Nanos> next = driver_->nextWake();
    if (!next) return std::nullopt;
    return detail::dateOf(*next);
}

std::size_t TimeDriver::size() const { return driver_->size(); }

TimeDriverStats TimeDriver::stats() const { return driver_->stats(); }

std::chrono::milliseconds TimeDriver::elapsed() const {
    return std::chrono::milliseconds(driver_->elapsed());
}

Date TimeDriver::start() const noexcept { return detail::dateOf(driver_->ticks().start()); }

Date TimeDriver::now() const { return driver_->clock()->now(); }

const std::shared_ptr<Clock>& TimeDriver::clock() const noexcept { return driver_->clock(); }

const std::string& TimeDriver::name() const noexcept { return driver_->name(); }

bool TimeDriver::isShutdown() const noexcept { return driver_->isShutdown(); }

void TimeDriver::check() const { driver_->check(); }

}  // namespace jtimer::tokio

// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include <jtimer/detail/compiler.hpp>
#include <jtimer/jdk/timer.hpp>

#include "clock/default_clocks.hpp"
#include "jdk/timer_impl.hpp"

#include <atomic>
#include <cstdint>
#include <limits>
#include <optional>
#include <ratio>
#include <string>
#include <utility>
#include <vector>

namespace jtimer {

using detail::addOverflows;
using detail::floorDivide;
using detail::kNanosPerMilli;
using detail::MillisAndNanos;
using detail::Nanos;
using detail::Schedule;
using detail::splitCount;
using detail::TimerImpl;
using detail::TimerThread;
using detail::toNanos;

namespace {

/// Only unnamed timers use up a number (J3), and no number is used twice (J4).
std::string nextDefaultName() {
    static std::atomic<int> nextSerialNumber{0};
    return "Timer-" + std::to_string(nextSerialNumber.fetch_add(1, std::memory_order_relaxed));
}

Nanos requireNotNegative(TimeSpan span, const char* name) {
    const MillisAndNanos value = span.value();
    if (value.millis < 0) {
        throw IllegalArgumentException("TimerOptions::" + std::string(name) + " is " +
                                       std::to_string(toNanos(value)) +
                                       " ns, and must not be negative.");
    }
    return toNanos(value);
}

TimerThread::Settings toSettings(TimerOptions& options) {
    TimerThread::Settings settings;
    settings.tolerance = requireNotNegative(options.tolerance, "tolerance");
    std::optional<Nanos> timerSlack;
    if (options.timerSlack) timerSlack = requireNotNegative(*options.timerSlack, "timerSlack");
    settings.thread = detail::LoopThread::Settings::of(
        "Timer", options.name ? std::move(*options.name) : nextDefaultName(),
        std::move(options.uncaughtExceptionHandler), std::move(options.clock),
        detail::defaultClock<WallClock>);
    settings.thread.timerSlack = timerSlack;
    settings.thread.onThreadStart = std::move(options.onThreadStart);
    if (options.slowTaskThreshold) {
        settings.slowTaskThreshold =
            requireNotNegative(*options.slowTaskThreshold, "slowTaskThreshold");
    }
    settings.options = std::move(options);
    return settings;
}

/// A point in time: saturated, for the queue, and exact.
struct Moment {
    Nanos nanos;
    MillisAndNanos exact;
};

/// The time `delay` after `now`. Java computes it in milliseconds and rejects a sum beyond 64 bits,
/// or before 1970, as an illegal time (J18).
MillisAndNanos exactlyAfter(Nanos now, MillisAndNanos delay) {
    MillisAndNanos time = splitCount<std::nano>(now);
    time.nanos += delay.nanos;
    const bool carry = time.nanos >= kNanosPerMilli;
    if (carry) time.nanos -= static_cast<std::int32_t>(kNanosPerMilli);
    if (addOverflows(time.millis, delay.millis, &time.millis) ||
        addOverflows(time.millis, carry ? 1 : 0, &time.millis)) {
        throw IllegalArgumentException("Illegal execution time.");
    }
    return time;
}

/// The same, with the time for the queue. If the sum fits into 64 bits of nanoseconds, as it nearly
/// always does, the queue's time takes one addition that does not wait for a division.
Moment timeAfter(Nanos now, MillisAndNanos delay) {
    constexpr std::int64_t century = std::int64_t{100} * 365 * 86'400 * 1000;
    constexpr Nanos half = std::numeric_limits<Nanos>::max() / 2;
    if (now >= 0 && now <= half && delay.millis >= 0 && delay.millis <= century) {
        const Nanos time = now + (delay.millis * kNanosPerMilli + delay.nanos);
        return {time, {time / kNanosPerMilli, static_cast<std::int32_t>(time % kNanosPerMilli)}};
    }
    const MillisAndNanos time = exactlyAfter(now, delay);
    return {toNanos(time), time};
}

/// The milliseconds of `first - period`: the scheduledExecutionTime() of a repeating task before
/// its first run. Java halves the longest periods, rounding towards minus infinity, after negating
/// the period of a fixed delay (J114).
std::int64_t beforeFirst(MillisAndNanos first, MillisAndNanos period, bool fixedDelay) noexcept {
    if (period.millis > std::numeric_limits<std::int64_t>::max() / 2) {
        period.millis = fixedDelay ? -floorDivide(-period.millis, 2) : period.millis / 2;
    }
    return first.millis - period.millis - (first.nanos < period.nanos ? 1 : 0);
}

}  // namespace

Timer::Timer() : Timer(TimerOptions{}) {}

Timer::Timer(bool isDaemon) : Timer(optionsFor(nextDefaultName(), isDaemon)) {}

Timer::Timer(const char* name) : Timer(name, false) {}

Timer::Timer(const char* name, bool isDaemon) : Timer(name, isDaemon, nullptr) {}

Timer::Timer(const char* name, bool isDaemon, std::shared_ptr<Clock> clock)
    : Timer(detail::OptionalName::required(name), isDaemon, std::move(clock)) {}

TimerOptions Timer::optionsFor(std::string name, bool isDaemon, std::shared_ptr<Clock> clock) {
    TimerOptions options;
    options.name = std::move(name);
    options.daemon = isDaemon;
    options.clock = std::move(clock);
    return options;
}

Timer::Timer(TimerOptions options)
    : impl_(std::make_shared<TimerImpl>(toSettings(options))), isDaemon_(options.daemon) {
    impl_->start();
}

Timer::~Timer() { impl_->close(isDaemon_); }

std::shared_ptr<TimerTask> Timer::sched(detail::TaskArgument& task, When when, Repeat repeat,
                                        MillisAndNanos period, MissedRuns missed) {
    if (!when.isDate() && when.value().millis < 0)
        throw IllegalArgumentException("Negative delay.");
    const bool repeats = repeat != Repeat::Once;
    if (repeats && (period.millis < 0 || (period.millis == 0 && period.nanos == 0))) {
        throw IllegalArgumentException("Non-positive period.");
    }
    const auto [nanos, time] = when.isDate() ? Moment{toNanos(when.value()), when.value()}
                                             : timeAfter(impl_->clock()->nanos(), when.value());
    if (time.millis < 0) throw IllegalArgumentException("Illegal execution time.");

    const bool fixedDelay = repeat == Repeat::FixedDelay;
    Schedule schedule;
    schedule.time = nanos;
    if (repeats) {
        schedule.period = fixedDelay ? -toNanos(period) : toNanos(period);
        schedule.scheduledExecutionTime = beforeFirst(time, period, fixedDelay);
        schedule.missed = missed;
    } else {
        schedule.scheduledExecutionTime = time.millis;
    }
    schedule.ofNewTask = task.isNew();
    impl_->schedule(task.task(), schedule);
    return std::move(task.task());
}

std::shared_ptr<TimerTask> Timer::schedule(detail::TaskArgument task, When when) {
    return sched(task, when, Repeat::Once, {});
}

std::shared_ptr<TimerTask> Timer::schedule(detail::TaskArgument task, When firstTime,
                                           TimeSpan period) {
    return sched(task, firstTime, Repeat::FixedDelay, period.value());
}

std::shared_ptr<TimerTask> Timer::scheduleAtFixedRate(detail::TaskArgument task, When firstTime,
                                                      TimeSpan period) {
    return sched(task, firstTime, Repeat::FixedRate, period.value());
}

std::shared_ptr<TimerTask> Timer::scheduleAtFixedRate(detail::TaskArgument task, When firstTime,
                                                      TimeSpan period, MissedRuns missed) {
    return sched(task, firstTime, Repeat::FixedRate, period.value(), missed);
}

std::shared_ptr<TimerTask> Timer::scheduleBy(detail::TaskArgument task, Rule rule,
                                             MissedRuns missed) {
    if (!rule) throw NullPointerException("rule cannot be null");
    Schedule schedule;
    schedule.rule = std::make_shared<detail::RuleTimes>(std::move(rule), impl_->clock()->nanos(),
                                                        impl_->ruleTasks());
    schedule.time = schedule.rule->due();
    if (schedule.time < 0) throw IllegalArgumentException("Illegal execution time.");
    schedule.period = 1;
    schedule.missed = missed;
    schedule.scheduledExecutionTime = floorDivide(schedule.time, kNanosPerMilli);
    schedule.ofNewTask = task.isNew();
    impl_->schedule(task.task(), schedule);
    return std::move(task.task());
}

// A task that cancel() or purge() destroys may hold the last reference to this Timer. So these
// functions first copy impl_, and do not use the Timer after that.

void Timer::cancel() {
    const std::shared_ptr<TimerImpl> impl = impl_;
    impl->cancel();
}

std::vector<std::shared_ptr<TimerTask>> Timer::shutdownNow() {
    const std::shared_ptr<TimerImpl> impl = impl_;
    return impl->shutdownNow();
}

bool Timer::awaitTermination(TimeSpan timeout) {
    const std::shared_ptr<TimerImpl> impl = impl_;
    return impl->awaitEnd(toNanos(timeout.value()));
}

int Timer::purge() {
    const std::shared_ptr<TimerImpl> impl = impl_;
    return static_cast<int>(impl->purge());
}

void Timer::detach() { impl_->detach(); }

const std::string& Timer::name() const noexcept { return impl_->name(); }

const std::shared_ptr<Clock>& Timer::clock() const noexcept { return impl_->clock(); }

TimerStats Timer::stats() const { return impl_->stats(); }

}  // namespace jtimer

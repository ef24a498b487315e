// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include <jtimer/netty/hashed_wheel_timer.hpp>

#include "clock/default_clocks.hpp"
#include "netty/worker.hpp"
#include "thread/uncaught_exception.hpp"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>

namespace jtimer::netty {

using detail::Worker;
using jtimer::detail::kNanosPerMilli;
using jtimer::detail::Nanos;
using jtimer::detail::toNanos;

namespace {

/// Only timers without a given name use a number, and no number is used twice.
std::string nextDefaultName() {
    static std::atomic<int> nextNumber{0};
    return "HashedWheel-" + std::to_string(nextNumber.fetch_add(1, std::memory_order_relaxed));
}

std::size_t powerOfTwo(int atLeast) {
    std::size_t power = 1;
    while (power < static_cast<std::size_t>(atLeast)) power *= 2;
    return power;
}

/// Checks the sizes, in the order of the original. \returns the number of slots
std::size_t requireSizes(TimeSpan tickDuration, int ticksPerWheel) {
    constexpr int mostTicks = 1 << 30;
    const Nanos nanos = toNanos(tickDuration.value());
    const std::string millis = std::to_string(tickDuration.value().millis);
    const std::string ticks = std::to_string(ticksPerWheel);
    if (nanos <= 0) {
        throw IllegalArgumentException("tickDuration : " + millis + " (expected: > 0)");
    }
    if (ticksPerWheel <= 0) {
        throw IllegalArgumentException("ticksPerWheel : " + ticks + " (expected: > 0)");
    }
    if (ticksPerWheel > mostTicks) {
        throw IllegalArgumentException("ticksPerWheel may not be greater than 2^30: " + ticks);
    }
    const std::size_t slots = powerOfTwo(ticksPerWheel);
    const Nanos limit = std::numeric_limits<Nanos>::max() / static_cast<Nanos>(slots);
    if (nanos >= limit) {
        throw IllegalArgumentException("tickDuration: " + millis +
                                       " (expected: 0 < tickDuration in nanos < " +
                                       std::to_string(limit) + ')');
    }
    return slots;
}

Nanos atLeastOneMilli(Nanos tickDuration) {
    if (tickDuration >= kNanosPerMilli) return tickDuration;
    jtimer::detail::printLine({"Configured tickDuration ", std::to_string(tickDuration),
                               " smaller than 1000000, using 1ms."});
    return kNanosPerMilli;
}

/// The limit, under either of its names; 0: none.
std::int64_t limitOf(const HashedWheelTimerOptions& options) {
    constexpr auto most = std::numeric_limits<std::int64_t>::max();
    const auto limit = static_cast<std::int64_t>(
        std::min(std::uint64_t{options.maxPending}, static_cast<std::uint64_t>(most)));
    const std::int64_t alias = std::max(options.maxPendingTimeouts, std::int64_t{0});
    if (limit != 0 && alias != 0 && limit != alias) {
        throw IllegalArgumentException("maxPending: " + std::to_string(limit) +
                                       ", but maxPendingTimeouts: " + std::to_string(alias));
    }
    return std::max(limit, alias);
}

/// The executor, under either of its names. They cannot be compared.
Executor executorOf(HashedWheelTimerOptions& options) {
    if (options.executor && options.taskExecutor)
        throw IllegalArgumentException("executor and taskExecutor are the same option");
    return std::move(options.executor ? options.executor : options.taskExecutor);
}

Worker::Settings toSettings(HashedWheelTimerOptions& options) {
    Worker::Settings settings;
    settings.slots = requireSizes(options.tickDuration, options.ticksPerWheel);
    settings.maxPendingTimeouts = limitOf(options);
    settings.taskExecutor = executorOf(options);
    settings.tickDuration = atLeastOneMilli(toNanos(options.tickDuration.value()));
    settings.thread = jtimer::detail::LoopThread::Settings::of(
        "HashedWheelTimer", options.name ? std::move(*options.name) : nextDefaultName(),
        std::move(options.uncaughtExceptionHandler), std::move(options.clock),
        jtimer::detail::defaultClock<jtimer::SteadyClock>);
    settings.thread.startsLater = true;
    settings.thread.onThreadStart = std::move(options.onThreadStart);
    settings.thread.optionsType = "HashedWheelTimerOptions";
    return settings;
}

}  // namespace

HashedWheelTimer::HashedWheelTimer() : HashedWheelTimer(HashedWheelTimerOptions{}) {}

HashedWheelTimer::HashedWheelTimer(HashedWheelTimerOptions options)
    : worker_(std::make_shared<Worker>(toSettings(options), *this)) {}

HashedWheelTimer::~HashedWheelTimer() { worker_->close(); }

void HashedWheelTimer::start() & { worker_->start(); }

std::shared_ptr<Timeout> HashedWheelTimer::newTimeout(detail::TaskArgument task, TimeSpan delay) & {
    return worker_->newTimeout(task.timeout(), toNanos(delay.value()));
}

// Keeps the worker: stop() may drop a task that holds the last reference to this timer.
std::vector<std::shared_ptr<Timeout>> HashedWheelTimer::stop() {
    const std::shared_ptr<Worker> worker = worker_;
    return worker->stop();
}

std::int64_t HashedWheelTimer::pendingTimeouts() const { return worker_->pendingTimeouts(); }

HashedWheelTimerStats HashedWheelTimer::stats() const { return worker_->stats(); }

const std::string& HashedWheelTimer::name() const noexcept { return worker_->name(); }

const std::shared_ptr<Clock>& HashedWheelTimer::clock() const noexcept { return worker_->clock(); }

}  // namespace jtimer::netty

// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "clock/default_clocks.hpp"
#include "go/access.hpp"
#include "go/channel_cell.hpp"
#include "go/function_cell.hpp"
#include "go/receive.hpp"
#include "go/runtime.hpp"
#include "sync/process_number.hpp"
#include "sync/threads.hpp"

#include <jtimer/exceptions.hpp>
#include <jtimer/go/timers.hpp>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

namespace jtimer::go {

using detail::ChannelCell;
using detail::FunctionCell;
using detail::Nanos;
using detail::Runtime;
using detail::Shard;
using detail::toNanos;

namespace {

constexpr unsigned kMostShards = 1024;

unsigned shardsFor(const TimersOptions& options) {
    if (options.shards > kMostShards) {
        throw IllegalArgumentException("shards: " + std::to_string(options.shards) +
                                       " is more than " + std::to_string(kMostShards));
    }
    if (options.shards != 0) return options.shards;
    return std::clamp(jtimer::detail::threads::thread::hardware_concurrency(), 1U, kMostShards);
}

std::shared_ptr<Runtime> startRuntime(TimersOptions options) {
    const unsigned shards = shardsFor(options);
    if (options.name.empty()) options.name = TimersOptions().name;
    auto settings = Runtime::Settings::of(
        "Timers", std::move(options.name), std::move(options.uncaughtExceptionHandler),
        std::move(options.clock), jtimer::detail::defaultClock<jtimer::SteadyClock>);
    settings.onThreadStart = std::move(options.onThreadStart);
    settings.optionsType = Runtime::kOptions;
    auto runtime =
        std::make_shared<Runtime>(std::move(settings), std::move(options.executor), shards);
    runtime->start();
    return runtime;
}

/// Starts a channel's cell that is first due in `d`. The caller makes the handle or the channel.
ChannelCell& startChannel(Runtime& runtime, Nanos d, Nanos period, bool hasHandle) {
    runtime.requireNotOver();
    const Nanos when = runtime.timeIn(d);
    ChannelCell& cell = ChannelCell::create(runtime.shardOfThisThread(), period, hasHandle);
    cell.startFirst(when);
    return cell;
}

}  // namespace

Timers::Timers() : Timers(TimersOptions()) {}

Timers::Timers(TimersOptions options) : runtime_(startRuntime(std::move(options))) {}

Timers::~Timers() { runtime_->close(); }

Timer Timers::newTimer(TimeSpan d) & {
    return Access::timer(startChannel(*runtime_, toNanos(d), 0, true));
}

Timer Timers::startFunction(TimeSpan d, const jtimer::detail::FunctionMaker& maker) {
    runtime_->requireNotOver();
    const Nanos when = runtime_->timeIn(toNanos(d));
    return Access::timer(
        FunctionCell::createAndStart(*runtime_, when, maker, FunctionCell::RunsOn::FunctionThread));
}

Channel Timers::after(TimeSpan d) & {
    return Access::channel(startChannel(*runtime_, toNanos(d), 0, false));
}

Ticker Timers::newTicker(TimeSpan d) & {
    const Nanos period = toNanos(d);
    if (period <= 0) throw IllegalArgumentException("non-positive interval for NewTicker");
    return Access::ticker(startChannel(*runtime_, period, period, true));
}

Channel Timers::tick(TimeSpan d) & {
    const Nanos period = toNanos(d);
    if (period <= 0) return {};
    return Access::channel(startChannel(*runtime_, period, period, false));
}

void Timers::sleep(TimeSpan d) {
    const Nanos span = toNanos(d);
    detail::Sources none;
    if (span > 0) detail::receiveAny(none, runtime_.get(), span);
}

Date Timers::now() const { return detail::toDate(runtime_->now()); }

const std::shared_ptr<Clock>& Timers::clock() const noexcept { return runtime_->clock(); }

unsigned Timers::shards() const noexcept {
    return static_cast<unsigned>(runtime_->shards().size());
}

const std::string& Timers::name() const noexcept { return runtime_->name(); }

TimersStats Timers::stats() const { return runtime_->stats(); }

void Timers::check() const { runtime_->check(); }

namespace {

/// The default Timers of a process. Never destroyed; a forked child also keeps those of the parent,
/// because the program may still refer to them.
struct DefaultTimers {
    explicit DefaultTimers(DefaultTimers* parents) : former(parents) {}

    const std::uint32_t process = jtimer::detail::numberOfThisProcess();
    DefaultTimers* const former;
    Timers timers;
};

}  // namespace

/// If two threads make the default at the same time, one of them wins. Uses no lock, as a forked
/// child could inherit it locked.
Timers& defaultTimers() {
    static std::atomic<DefaultTimers*> current{nullptr};
    DefaultTimers* found = current.load(std::memory_order_acquire);
    while (found == nullptr || found->process != jtimer::detail::numberOfThisProcess()) {
        auto made = std::make_unique<DefaultTimers>(found);
        if (current.compare_exchange_strong(found, made.get(), std::memory_order_acq_rel)) {
            return made.release()->timers;
        }
    }
    return found->timers;
}

}  // namespace jtimer::go

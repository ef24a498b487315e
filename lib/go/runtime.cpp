// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "go/runtime.hpp"

#include "go/errors.hpp"
#include "go/function_cell.hpp"
#include "sync/assert.hpp"
#include "sync/uninterruptible.hpp"
#include "thread/thread_number.hpp"
#include "thread/uncaught_exception.hpp"

#include <jtimer/go/channel.hpp>

#include <functional>
#include <utility>

namespace jtimer::go::detail {

using jtimer::detail::saturatingAdd;

namespace {

Shards makeShards(Runtime& runtime, unsigned count) {
    Shards shards;
    for (unsigned i = 0; i < count; ++i) shards.push_back(std::make_unique<Shard>(runtime));
    return shards;
}

}  // namespace

Runtime::Runtime(Settings settings, Executor executor, unsigned shards)
    : LoopThread(settings), onThreadStart_(std::move(settings.onThreadStart)),
      executor_(std::move(executor)), shards_(makeShards(*this, shards)), functionThreads_(*this) {}

void Runtime::start() {
    LoopThread::start(shared_from_this());
    for (const auto& shard : shards_) shard->keepAlive(shared_from_this());
}

Shard& Runtime::shardOfThisThread() const noexcept {
    if (shards_.size() == 1) return *shards_.front();
    return *shards_[jtimer::detail::numberOfThisThread<Runtime>() % shards_.size()];
}

LoopThread::Settings Runtime::threadSettings() const {
    Settings settings;
    settings.reporter = reporter_;
    settings.clock = clock();
    settings.onThreadStart = onThreadStart_;
    settings.optionsType = kOptions;
    return settings;
}

Nanos Runtime::timeIn(Nanos d) const {
    if (d == kNever) return kNever;
    const Nanos present = now();
    return d <= 0 ? present : saturatingAdd(present, d);
}

TimersStats Runtime::stats() const {
    TimersStats stats;
    stats.signals = signals_.load(std::memory_order_relaxed);
    stats.failed = failedRuns();
    stats.lateness = lateness_.read();
    if (!isOfAnotherProcess()) {
        for (const auto& shard : shards_) shard->addTo(stats);
    }
    stats.executed = stats.lateness.count();
    return stats;
}

void Runtime::check() const {
    if (isOfAnotherProcess()) return;
    for (const auto& shard : shards_) {
        for (const auto& cell : shard->check()) static_cast<const Cell&>(*cell).check();
    }
}

void Runtime::handOver(Run run) {
    if (!executor_) return functionThreads_.handOver(std::move(run));
    const auto thrown = jtimer::detail::exceptionOf([&] {
        const auto given = std::make_shared<GivenRun>(std::move(run));
        executor_([given] { given->call(); });
    });
    if (thrown != nullptr) reportRun(thrown);
}

void Runtime::throwOver() const {
    throw TimersDestroyed(isOfAnotherProcess() ? kForked : kDestroyed);
}

/// From now on nothing fires or begins to wait.
///
/// 1. isOver() becomes true, which the cells check: nothing fires, and nothing is received or
///    stopped any more.
/// 2. No more calls begin to wait, and those that already wait are claimed and woken.
/// 3. The shards are closed, one by one: nothing can be added to them, and what they held never
///    fires. The functions among that are destroyed with no lock held.
void Runtime::end() noexcept {
    JTIMER_ASSERT(!isOfAnotherProcess());
    runsIn_.store(0, std::memory_order_release);
    ended_->set();
    for (const auto& shard : shards_) {
        while (const Ref<Scheduled> function = shard->close())
            static_cast<FunctionCell&>(*function).abandon();
    }
}

void Runtime::close() noexcept {
    if (isOfAnotherProcess()) return;  // it has no threads to wait for
    const jtimer::detail::Uninterruptible uninterruptible;
    const bool waits = !isPoller() && ofThisThread() != this;
    end();
    Lock lock = monitor_.enter();
    stopping_ = true;
    monitor_.leaveAndWake(lock);
    jtimer::detail::RunReport report(title(), "its destructor", hasExecutor());
    if (waits) {
        thread_.finish(report);
    } else {
        thread_.letGo();
    }
    functionThreads_.stop(waits ? &report : nullptr);
    for (const auto& shard : shards_) shard->release();
}

}  // namespace jtimer::go::detail

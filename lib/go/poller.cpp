// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "go/poller.hpp"

#include "go/channel_cell.hpp"
#include "go/function_cell.hpp"
#include "go/runtime.hpp"
#include "go/wait.hpp"

#include <algorithm>
#include <utility>

namespace jtimer::go::detail {

namespace {

/// A time-out has come. A value that was due by then takes precedence.
void timeOut(Wait& wait) {
    for (const Case& c : wait) c.cell->catchUp();
    if (wait.claim(Wait::Outcome::TimedOut)) wait.wake();
}

std::vector<const ShardOrder::Head*> headsOf(const Shards& shards) {
    std::vector<const ShardOrder::Head*> heads;
    heads.reserve(shards.size());
    for (const auto& shard : shards) heads.push_back(&shard->head());
    return heads;
}

void fire(const Shard::Popped& popped) {
    if (popped.wait != nullptr) return timeOut(*popped.wait);
    if (popped.item->kind() == Scheduled::Kind::Function)
        return static_cast<FunctionCell*>(popped.item)->fire(popped.start);
    const std::unique_ptr<Scheduled, Shard::ReleaseCell> retained(popped.item);
    static_cast<ChannelCell*>(popped.item)->fire(popped.start);
}

/// Set while the main loop runs.
thread_local Runtime* runtimeOfPoller = nullptr;

}  // namespace

Runtime* Poller::runtimeOfThisThread() noexcept { return runtimeOfPoller; }

Poller::Poller(Settings settings, Runtime& runtime, const Shards& shards)
    : LoopThread(std::move(settings)), runtime_(runtime), shards_(shards), order_(headsOf(shards)) {
}

void Poller::end() { runtime_.end(); }

/// Also ends in a child that an inline executor, and so this thread, has forked.
void Poller::mainLoop() {
    struct Current {
        explicit Current(Runtime& runtime) noexcept { runtimeOfPoller = &runtime; }
        ~Current() { runtimeOfPoller = nullptr; }
    } const current(runtime_);
    while (!isStopping()) {
        fireDue(now());
        if (runtime_.isOfAnotherProcess()) return;
        sleep();
    }
}

/// Fires what is due at `now`, in the order of time over all shards. A timer that is started
/// meanwhile is not due before `now`, unless the clock has been set back. So as long as the head of
/// the first shard is not later than the next one's, the other shards need not be checked again.
void Poller::fireDue(Nanos now) {
    const jtimer::Clock* const settable = monitor_.settableClock();
    lastReading_.store(now, std::memory_order_relaxed);
    for (;;) {
        if (settable != nullptr) now = std::min(now, settable->nanos());
        order_.update();
        if (order_.earliest() > now) return;
        Shard& first = *shards_[order_.first()];
        const Nanos limit = std::min(order_.next(), now);
        for (;;) {
            const Shard::Popped popped = first.pop(limit, settable);
            if (popped.item == nullptr) break;
            fire(popped);
            if (runtime_.isOfAnotherProcess()) return;
        }
        order_.updateFirst();
    }
}

void Poller::sleep() {
    Lock lock = monitor_.enter();
    if (stopping_) return;
    while (order_.updateFirst()) {
    }
    const Nanos deadline = order_.earliest();
    woken_ = false;
    sleepsUntil_.store(deadline, std::memory_order_seq_cst);
    if (!order_.hasMarks()) {
        if (deadline == kNever) {
            monitor_.wait(lock);
        } else if (const Nanos present = now(); present < deadline) {
            monitor_.waitUntil(lock, deadline, present);
        }
    }
    sleepsUntil_.store(kAwake, std::memory_order_relaxed);
}

/// Does not say here that the poller is awake: a caller who sees that does not come here, and must
/// find that a ManualClock has been told of the wake-up, which leaveAndWake() does.
void Poller::wakeFor(Nanos when) {
    Lock lock = monitor_.enter();
    if (when >= sleepsUntil_.load(std::memory_order_relaxed)) return;
    if (!std::exchange(woken_, true)) signals_.fetch_add(1, std::memory_order_relaxed);
    monitor_.leaveAndWake(lock);
}

bool Poller::isStopping() {
    const Lock lock = monitor_.enter();
    return stopping_;
}

void Poller::stop() {
    Lock lock = monitor_.enter();
    stopping_ = true;
    monitor_.leaveAndWake(lock);
}

void Poller::finish(bool wait) {
    if (wait) {
        thread_.finish();
    } else {
        thread_.letGo();
    }
}

}  // namespace jtimer::go::detail

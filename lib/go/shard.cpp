// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "go/shard.hpp"

#include "go/errors.hpp"
#include "go/runtime.hpp"
#include "sync/assert.hpp"
#include "sync/threads.hpp"

#include <jtimer/go/channel.hpp>

#include <chrono>
#include <mutex>
#include <stdexcept>
#include <utility>

namespace jtimer::go::detail {

/// There must be room in the heap.
bool Shard::insert(Lock& lock, Scheduled& item, Nanos when) noexcept {
    JTIMER_ASSERT(holds(lock, mutex_));
    ++item.start_;
    heap_.add(when, item);
    updateHead(lock);
    return heap_.front().item == &item;
}

/// A store is expensive, and most operations do not change the head.
void Shard::updateHead(Lock& lock) noexcept {
    JTIMER_ASSERT(holds(lock, mutex_));
    const Nanos head = heap_.empty() ? kNever : heap_.front().when;
    if (head != head_.load(std::memory_order_relaxed)) {
        head_.store(head, std::memory_order_seq_cst);
    }
}

/// Reserves two places: one is for the poller, which holds at most one popped item, so that it can
/// put a ticker back without allocating memory.
bool Shard::move(Scheduled& item, Shard& from, Nanos when) {
    Lock lock(mutex_, jtimer::detail::threads::defer_lock);
    Lock lockOfOther(from.mutex_, jtimer::detail::threads::defer_lock);
    const bool isOther = &from != this;
    if (isOther) {
        std::lock(lock, lockOfOther);
    } else {
        lock.lock();
    }
    if (closed_) throw TimersDestroyed(kDestroyed);
    if (!isOther && item.isInHeap()) {
        heap_.remove(item);
        return insert(lock, item, when);
    }
    heap_.reserve(2);
    if (isOther) {
        from.removeFrom(lockOfOther, item);
        references_.fetch_add(1, std::memory_order_relaxed);
    }
    if (item.kind() == Scheduled::Kind::Function) item.retain();
    return insert(lock, item, when);
}

/// Releases the heap's reference to a function's cell, which is not the last.
void Shard::removeFrom(Lock& lock, Scheduled& item) noexcept {
    JTIMER_ASSERT(holds(lock, mutex_));
    if (!item.isInHeap()) return;
    heap_.remove(item);
    updateHead(lock);
    if (item.kind() == Scheduled::Kind::Function) item.release();
}

void Shard::remove(Scheduled& item) {
    Lock lock(mutex_);
    removeFrom(lock, item);
}

void Shard::cancel(Scheduled& item) {
    Lock lock(mutex_);
    ++cancelled_;
    removeFrom(lock, item);
}

void Shard::fire(Scheduled& item, Nanos lateness) {
    Lock lock(mutex_);
    fired_.add(std::chrono::nanoseconds(lateness));
    removeFrom(lock, item);
}

void Shard::countFired(Nanos lateness) {
    const Lock lock(mutex_);
    fired_.add(std::chrono::nanoseconds(lateness));
}

bool Shard::restart(Scheduled& item, Nanos when, Nanos lateness) noexcept {
    Lock lock(mutex_);
    fired_.add(std::chrono::nanoseconds(lateness));
    if (closed_) return false;
    if (item.isInHeap()) heap_.remove(item);
    return insert(lock, item, when);
}

/// The limit may be older than a start whose clock has been set back before it. That start took
/// this lock after reading the clock, so a reading under the lock is no older.
Shard::Popped Shard::pop(Nanos limit, const jtimer::Clock* settable) {
    Lock lock(mutex_);
    while (!heap_.empty() && heap_.front().when <= limit) {
        const QuadHeap::Entry entry = heap_.front();
        if (settable != nullptr && entry.when > settable->nanos()) return {};
        auto& item = static_cast<Scheduled&>(*entry.item);
        heap_.remove(item);
        updateHead(lock);
        // A function's cell comes with the heap's reference. A channel's that is being freed counts
        // as removed. With the lock held, it cannot be freed: it is removed from the heap first.
        if (item.kind() == Scheduled::Kind::Function || item.retainIfAlive())
            return {Ref<Scheduled>(&item, false), item.start()};
    }
    return {};
}

Ref<Scheduled> Shard::close() {
    Lock lock(mutex_);
    closed_ = true;
    Ref<Scheduled> function;
    while (function == nullptr && !heap_.empty()) {
        auto& last = static_cast<Scheduled&>(*heap_[heap_.size() - 1].item);
        heap_.remove(last);
        if (last.kind() == Scheduled::Kind::Function) function.reset(&last, false);
    }
    updateHead(lock);
    return function;
}

void Shard::addTo(CommonStats& stats) const {
    const Lock lock(mutex_);
    stats.pending += heap_.size();
    stats.cancelled += cancelled_;
    stats.lateness.add(fired_);
}

std::vector<Ref<Scheduled>> Shard::check() const {
    const Lock lock(mutex_);
    heap_.check();
    if (head_.load(std::memory_order_relaxed) != (heap_.empty() ? kNever : heap_.front().when)) {
        throw std::logic_error("Shard: the head is not that of its heap");
    }
    std::vector<Ref<Scheduled>> cells;
    cells.reserve(heap_.size());  // can fail, so call it before the first reference is taken
    for (std::size_t i = 0; i < heap_.size(); ++i) {
        auto& item = static_cast<Scheduled&>(*heap_[i].item);
        if (item.kind() != Scheduled::Kind::Wait && item.retainIfAlive())
            cells.emplace_back(&item, false);
    }
    return cells;
}

bool Shard::contains(const Scheduled& item) const {
    const Lock lock(mutex_);
    return item.isInHeap();
}

void Shard::keepAlive(std::shared_ptr<Runtime> runtime) noexcept {
    keptAlive_ = std::move(runtime);
}

void Shard::retain() {
    if (!addUnlessZero(references_)) throw TimersDestroyed(kDestroyed);
}

void Shard::release() noexcept {
    if (references_.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
    const std::shared_ptr<Runtime> runtime =
        std::move(keptAlive_);  // may be the last reference: then it destroys *this
}

}  // namespace jtimer::go::detail

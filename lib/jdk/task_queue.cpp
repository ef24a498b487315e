// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "jdk/task_queue.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>

namespace jtimer {

TaskQueue::TaskQueue(TaskQueue&& other) noexcept
    : heap_(std::move(other.heap_)), size_(std::exchange(other.size_, 0)) {}

TaskQueue::~TaskQueue() { clear(); }

void TaskQueue::reserveOne() {
    constexpr std::size_t initialSlots = 128;
    if (size_ + 1 < heap_.size()) return;
    heap_.grow(heap_.size() < initialSlots ? initialSlots : 2 * heap_.size());
}

void TaskQueue::add(std::shared_ptr<TimerTask> task, Nanos time) noexcept {
    TimerTask& added = *task;
    added.self_ = std::move(task);
    heap_[++size_] = {time, &added};
    fixUp(size_);
}

TaskQueue::Removed TaskQueue::removeMin() noexcept {
    // Of equal times the last entry is the next minimum, and so on backwards.
    constexpr std::size_t ahead = 8;
    if (size_ > ahead) prefetch(heap_[size_ - ahead].task);
    Removed removed = quickRemove(1);
    fixDown(1);  // of an empty queue too: entry 1 exists
    return removed;
}

TaskQueue::Removed TaskQueue::quickRemove(std::size_t i) noexcept {
    Removed removed(heap_[i].task);
    heap_[i] = heap_[size_--];
    return removed;
}

void TaskQueue::rescheduleMin(Nanos time) noexcept {
    heap_[1].time = time;
    fixDown(1);
}

void TaskQueue::clear() noexcept {
    // The destructor of a task may call anything, but finds this queue empty.
    const std::size_t size = std::exchange(size_, 0);
    for (std::size_t i = 1; i <= size; ++i) DropReference()(heap_[i].task);
}

void TaskQueue::heapify() noexcept {
    for (std::size_t i = size_ / 2; i >= 1; --i) {
        // Most are in order, and need no sift to find that out.
        if (heap_[i].time > heap_[2 * i].time ||
            heap_[i].time > heap_[std::min(2 * i + 1, size_)].time)
            fixDown(i);
    }
}

// Both sifts move a hole instead of swapping: half of the writes, the same result.

/// Starts to load entry i, which a sift may look at soon: a large heap is not in the cache.
void TaskQueue::prefetchEntry(std::size_t i) const noexcept {
    __builtin_prefetch(heap_.data() + std::min(i, size_));
}

void TaskQueue::fixUp(std::size_t i) noexcept {
    const Entry moving = heap_[i];
    while (i > 1 && heap_[i / 2].time > moving.time) {
        heap_[i] = heap_[i / 2];
        i /= 2;
    }
    heap_[i] = moving;
}

void TaskQueue::fixDown(std::size_t i) noexcept {
    const Entry moving = heap_[i];
    std::size_t child = 2 * i;
    for (; child < size_; child = 2 * i) {
        prefetchEntry(4 * child);
        prefetchEntry(4 * child + 4);
        // The right child only if it is strictly less, and stop at an equal one: the order of ties
        // (J94). Which child it is cannot be predicted, hence an addition and no branch.
        child += static_cast<std::size_t>(heap_[child].time > heap_[child + 1].time);
        if (moving.time <= heap_[child].time) {
            heap_[i] = moving;
            return;
        }
        // After this move a task needs at least four more removals to become the minimum, most need
        // more: time to load it.
        constexpr std::size_t levelOfLoading = 5;
        if (child >> levelOfLoading == 1) prefetch(heap_[child].task);
        heap_[i] = heap_[child];
        i = child;
    }
    if (child == size_ && moving.time > heap_[child].time) {
        heap_[i] = heap_[child];
        i = child;
    }
    heap_[i] = moving;
}

void TaskQueue::check() const {
    const auto fail = [](std::size_t i, const std::string& rule) {
        throw std::logic_error("TaskQueue: entry " + std::to_string(i) + ' ' + rule);
    };
    if (size_ != 0 && size_ >= heap_.size()) fail(size_, "lies outside of the array");
    for (std::size_t i = 1; i <= size_; ++i) {
        if (heap_[i].task == nullptr) fail(i, "has no task");
        if (heap_[i].task->self_.get() != heap_[i].task) fail(i, "holds no reference to its task");
        if (i > 1 && heap_[i].time < heap_[i / 2].time) fail(i, "is due before its parent");
    }
}

}  // namespace jtimer

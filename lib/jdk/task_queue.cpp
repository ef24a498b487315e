// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "jdk/task_queue.hpp"

#include <jtimer/detail/compiler.hpp>

#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>

namespace jtimer::detail {

TaskQueue::TaskQueue(Extended extended) : knowsPositions_(extended.knowsPositions) {
    if (extended.fifo || extended.knowsPositions)
        extras_ = std::make_unique<QueueExtras>(extended.fifo);
}

TaskQueue::TaskQueue(TaskQueue&& other) noexcept
    : heap_(std::move(other.heap_)), size_(std::exchange(other.size_, 0)),
      extras_(std::move(other.extras_)), knowsPositions_(other.knowsPositions_) {}

TaskQueue::~TaskQueue() { clear(); }

void TaskQueue::grow() {
    constexpr std::size_t initialSlots = 128;
    const std::size_t slots = std::max(initialSlots, heap_.nextSize());
    if (isExtended()) extras_->reserve(slots);
    heap_.grow(slots);
}

void TaskQueue::removeMinEntry() noexcept {
    replaceByLast(1);
    fixDown(1);  // even if the queue is now empty: entry 1 exists
}

std::shared_ptr<TimerTask> TaskQueue::remove(std::size_t i) noexcept {
    JTIMER_ASSERT(isExtended() && i >= 1 && i <= size_);
    std::shared_ptr<TimerTask> removed = quickRemove(i);
    if (i <= size_) {
        fixUp(i);
        fixDown(i);  // if it went up, its former parent is there, which stays
    }
    return removed;
}

void TaskQueue::rescheduleMin(Nanos time) noexcept {
    JTIMER_ASSERT(!empty());
    heap_[1].time = time;
    if (isExtended()) extras_->arriveAgain(1);
    fixDown(1);
}

void TaskQueue::clear() noexcept {
    // A task's destructor may call anything, and must find this queue empty.
    const std::size_t size = std::exchange(size_, 0);
    for (std::size_t i = 1; i <= size; ++i) {
        const std::shared_ptr<TimerTask> dropped =
            std::move(stateOf(*heap_[i].task).queueReference);
    }
}

void TaskQueue::heapify() noexcept {
    if (!isExtended()) return detail::heapify(heap_.data(), size_, PrefetchTask());
    for (std::size_t i = size_ / 2; i >= 1; --i) extras_->fixDown(heap_.data(), size_, i);
}

void TaskQueue::fixDown(std::size_t i) noexcept {
    if (unlikely(isExtended())) return extras_->fixDown(heap_.data(), size_, i);
    detail::fixDown(heap_.data(), size_, i, PrefetchTask());
}

void TaskQueue::check() const {
    const auto fail = [](std::size_t i, const std::string& rule) {
        throw std::logic_error("TaskQueue: entry " + std::to_string(i) + ' ' + rule);
    };
    if (size_ != 0 && size_ >= heap_.size()) fail(size_, "lies outside of the array");
    for (std::size_t i = 1; i <= size_; ++i) {
        if (heap_[i].task == nullptr) fail(i, "has no task");
        if (stateOf(*heap_[i].task).queueReference.get() != heap_[i].task)
            fail(i, "holds no reference to its task");
        if (i > 1 && heap_[i].time < heap_[i / 2].time) fail(i, "is due before its parent");
    }
    if (isExtended()) extras_->check(heap_.data(), size_);
}

}  // namespace jtimer::detail

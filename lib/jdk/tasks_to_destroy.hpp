// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "jdk/prefetch.hpp"
#include "jdk/task_queue.hpp"

#include <array>
#include <cstddef>
#include <memory>
#include <new>
#include <utility>
#include <vector>

namespace jtimer::detail {

/// Leaves the reference to a task that leaves the queue to the task's cancel(), if that is in
/// progress and will look for it in this link. \returns false if not, which a null link means
inline bool goesWithLink(TaskQueue::RemovedTask& task, TaskLink* link) noexcept {
    if (__builtin_expect(link == nullptr, 1) != 0) return false;
    link->removed = TaskQueue::takeReference(std::move(task));
    return true;
}

/// Cancelled tasks that have left the queue under the monitor and are to be destroyed outside of
/// it, where their destructors may do anything. Collecting them never fails: tasks for which the
/// array has no room are chained through queueReference, which the queue no longer needs.
class TasksToDestroy {
  public:
    TasksToDestroy() = default;
    TasksToDestroy(const TasksToDestroy&) = delete;
    TasksToDestroy& operator=(const TasksToDestroy&) = delete;
    ~TasksToDestroy() { destroyAll(); }

    void swap(TasksToDestroy& other) noexcept {
        array_.swap(other.array_);
        first_.swap(other.first_);
        std::swap(last_, other.last_);
    }

    bool empty() const noexcept { return array_.empty() && first_ == nullptr; }

    /// Makes room for `count` tasks if there is memory for it. This makes destroying them faster,
    /// because a chain reveals the address of its next task too late to prefetch it.
    void reserve(std::size_t count) noexcept {
        try {
            array_.reserve(count);
        } catch (const std::bad_alloc&) {  // then the tasks are chained
        }
    }

    /// \param task cancelled, so that it cannot be scheduled again
    /// \param link see goesWithLink()
    void push(TaskQueue::RemovedTask task, TaskLink* link) noexcept {
        if (goesWithLink(task, link)) return;
        if (array_.size() < array_.capacity()) {
            array_.push_back(std::move(task));
            return;
        }
        std::shared_ptr<TimerTask> reference = TaskQueue::takeReference(std::move(task));
        TimerTask* const pushed = reference.get();
        (first_ == nullptr ? first_ : stateOf(*last_).queueReference) = std::move(reference);
        last_ = pushed;
    }

    /// Destroys up to `count` of the chained tasks, in the order in which they were added, in a
    /// loop: with recursion, a long chain would overflow the stack.
    void destroyChained(std::size_t count) noexcept {
        for (; count != 0 && first_ != nullptr; --count) {
            std::shared_ptr<TimerTask> next = std::move(stateOf(*first_).queueReference);
            first_ = std::move(next);
        }
    }

    void destroyAll() noexcept {
        constexpr std::size_t ahead = 8;
        for (std::size_t i = 0; i != array_.size(); ++i) {
            if (i + ahead < array_.size()) prefetch(array_[i + ahead].get());
            array_[i].reset();
        }
        array_.clear();
        while (first_ != nullptr) destroyChained(1);
    }

  private:
    std::vector<TaskQueue::RemovedTask> array_;
    std::shared_ptr<TimerTask> first_;
    TimerTask* last_ = nullptr;  // of the chain; valid only while first_ is not null
};

/// The same for the tasks that a purge removes in one hold of the monitor: so few that they are
/// still in the cache when the purge drops them.
class SweptBatch {
  public:
    static constexpr std::size_t kRoom = 16;

    SweptBatch() = default;
    SweptBatch(const SweptBatch&) = delete;
    SweptBatch& operator=(const SweptBatch&) = delete;
    ~SweptBatch() { destroyAll(); }

    void reserve(std::size_t) noexcept {}  // there is always room for kRoom tasks

    /// The parameters are those of TasksToDestroy::push().
    void push(TaskQueue::RemovedTask task, TaskLink* link) noexcept {
        if (!goesWithLink(task, link)) tasks_[size_++] = task.release();
    }

    void destroyAll() noexcept {
        for (std::size_t i = 0; i != size_; ++i) TaskQueue::DropReference()(tasks_[i]);
        size_ = 0;
    }

  private:
    std::array<TimerTask*, kRoom> tasks_;  // the first size_ are valid
    std::size_t size_ = 0;
};

}  // namespace jtimer::detail

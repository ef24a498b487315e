// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "jdk/prefetch.hpp"
#include "jdk/task_queue.hpp"

#include <cstddef>
#include <memory>
#include <new>
#include <utility>
#include <vector>

namespace jtimer {

/// Tasks that have left the queue under the monitor and are to be dropped outside of it, where
/// their destructors may do anything. Collecting them never fails: those for which no room was
/// made are chained, each by its self_, which the queue needs no more.
class DroppedTasks {
  public:
    DroppedTasks() = default;
    DroppedTasks(const DroppedTasks&) = delete;
    DroppedTasks& operator=(const DroppedTasks&) = delete;
    ~DroppedTasks() { clear(); }

    /// Makes room for `count` tasks if there is memory for it. Dropping them is faster then, as
    /// a chain shows the address of its next task too late to load it beforehand.
    void reserve(std::size_t count) noexcept {
        try {
            array_.reserve(count);
        } catch (const std::bad_alloc&) {  // then they are chained
        }
    }

    /// \param task cancelled, so that nobody can schedule it again
    void push(TaskQueue::Removed task) noexcept {
        if (array_.size() < array_.capacity()) {
            array_.push_back(std::move(task));
            return;
        }
        std::shared_ptr<TimerTask> reference = TaskQueue::takeReference(std::move(task));
        TimerTask& pushed = *reference;
        pushed.self_ = std::move(chained_);
        chained_ = std::move(reference);
    }

    /// Drops the tasks one after another: by recursion, a long chain would overflow the stack.
    void clear() noexcept {
        constexpr std::size_t ahead = 8;
        for (std::size_t i = 0; i != array_.size(); ++i) {
            if (i + ahead < array_.size()) prefetch(array_[i + ahead].get());
            array_[i].reset();
        }
        array_.clear();
        while (chained_ != nullptr) {
            std::shared_ptr<TimerTask> next = std::move(chained_->self_);
            chained_ = std::move(next);
        }
    }

  private:
    std::vector<TaskQueue::Removed> array_;
    std::shared_ptr<TimerTask> chained_;
};

}  // namespace jtimer

// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "support/jdk_heap.hpp"

#include <algorithm>
#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <utility>

namespace test {

/// java.util.Timer written down once more, as literally as possible and without a thread: the judge
/// of random tests. Its time is a number, and its thread is look(), which goes on until it would
/// wait. A task is a number, an index into `tasks`.
class ReferenceTimer {
  public:
    enum State { kVirgin, kScheduled, kExecuted, kCancelled };
    struct Task {
        std::function<void()> run;
        State state = kVirgin;
        std::int64_t next = 0;
        std::int64_t period = 0;
    };

    std::int64_t now = 0;
    std::deque<Task> tasks;  // a running one may add others and must stay where it is

    /// \param period > 0: fixed rate; < 0: fixed delay, negated; 0: one-shot
    void schedule(int task, std::int64_t time, std::int64_t period) {
        Task& t = at(task);
        t.next = time;
        t.period = period;
        t.state = kScheduled;
        queue_.add(task);
        if (queue_.entries[1] == task) look();
    }

    bool cancel(int task) { return std::exchange(at(task).state, kCancelled) == kScheduled; }

    std::int64_t scheduledExecutionTime(int task) {
        const Task& t = at(task);
        return t.period < 0 ? t.next + t.period : t.next - t.period;
    }

    int purge() {
        int count = 0;
        for (std::size_t i = queue_.size(); i > 0; --i) {
            if (at(queue_.entries[i]).state != kCancelled) continue;
            queue_.quickRemove(i);
            ++count;
        }
        if (count != 0) queue_.heapify();
        return count;
    }

    void advanceTo(std::int64_t time) {
        while (wakeUp_ && *wakeUp_ <= time) {
            now = *wakeUp_;
            look();
        }
        now = std::max(now, time);
    }

  private:
    Task& at(int task) { return tasks[static_cast<std::size_t>(task)]; }

    void look() {
        if (std::exchange(running_, true)) return;
        wakeUp_.reset();
        while (queue_.size() > 0) {
            const int head = queue_.entries[1];
            if (at(head).state == kCancelled) {
                queue_.removeMin();
                continue;
            }
            if (at(head).next > now) {
                wakeUp_ = at(head).next;
                break;
            }
            fire(head);
        }
        running_ = false;
    }

    void fire(int head) {
        Task& t = at(head);
        if (t.period == 0) {
            queue_.removeMin();
            t.state = kExecuted;
        } else {
            t.next = t.period < 0 ? now - t.period : t.next + t.period;
            queue_.fixDown(1);
        }
        t.run();
    }

    JdkHeap<int> queue_{[this](int task) { return at(task).next; }};
    bool running_ = false;
    std::optional<std::int64_t> wakeUp_;
};

}  // namespace test

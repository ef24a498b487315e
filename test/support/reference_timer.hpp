// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

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
        queue_.push_back(task);
        for (std::size_t k = size(); k > 1 && next(k / 2) > next(k); k /= 2) {
            std::swap(queue_[k / 2], queue_[k]);
        }
        if (queue_[1] == task) look();
    }

    bool cancel(int task) { return std::exchange(at(task).state, kCancelled) == kScheduled; }

    std::int64_t scheduledExecutionTime(int task) {
        const Task& t = at(task);
        return t.period < 0 ? t.next + t.period : t.next - t.period;
    }

    int purge() {
        int count = 0;
        for (std::size_t i = size(); i > 0; --i) {
            if (at(queue_[i]).state != kCancelled) continue;
            quickRemove(i);
            ++count;
        }
        if (count != 0) {
            for (std::size_t i = size() / 2; i >= 1; --i) fixDown(i);
        }
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
    std::size_t size() const { return queue_.size() - 1; }
    std::int64_t next(std::size_t i) { return at(queue_[i]).next; }

    void look() {
        if (std::exchange(running_, true)) return;
        wakeUp_.reset();
        while (size() > 0) {
            const int head = queue_[1];
            if (at(head).state == kCancelled) {
                removeMin();
                continue;
            }
            if (next(1) > now) {
                wakeUp_ = next(1);
                break;
            }
            fire(head);
        }
        running_ = false;
    }

    void fire(int head) {
        Task& t = at(head);
        if (t.period == 0) {
            removeMin();
            t.state = kExecuted;
        } else {
            t.next = t.period < 0 ? now - t.period : t.next + t.period;
            fixDown(1);
        }
        t.run();
    }

    void removeMin() {
        quickRemove(1);
        fixDown(1);
    }
    void quickRemove(std::size_t i) {
        queue_[i] = queue_.back();
        queue_.pop_back();
    }
    void fixDown(std::size_t k) {
        for (std::size_t j = 2 * k; j <= size(); k = j, j = 2 * k) {
            if (j < size() && next(j) > next(j + 1)) ++j;
            if (next(k) <= next(j)) return;
            std::swap(queue_[j], queue_[k]);
        }
    }

    std::vector<int> queue_{-1};  // entry 0 is not used
    bool running_ = false;
    std::optional<std::int64_t> wakeUp_;
};

}  // namespace test

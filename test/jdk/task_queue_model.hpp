// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "jdk/task_queue.hpp"
#include "support/choices.hpp"
#include "support/jdk_heap.hpp"
#include "support/manual_timer.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <utility>
#include <vector>

namespace test {

using jtimer::TimerTask;
using jtimer::detail::TaskQueue;

/// A queue of numbered tasks.
struct NumberedQueue {
    TaskQueue queue;
    std::map<const TimerTask*, int> numbers;

    std::shared_ptr<TimerTask> add(int number, std::int64_t time) {
        const auto task = test::makeTask();
        numbers[task.get()] = number;
        queue.reserveOne();
        queue.add(task, time);
        return task;
    }

    std::vector<int> drain() {
        std::vector<int> order;
        while (!queue.empty()) order.push_back(numbers.at(queue.removeMin().get()));
        return order;
    }
};

/// The same tasks in the JDK's heap.
struct ReferenceTaskQueue {
    struct Node {
        std::int64_t time = 0;
        int number = 0;
    };
    JdkHeap<Node> heap{[](const Node& node) { return node.time; }};

    void rescheduleMin(std::int64_t time) {
        heap.entries[1].time = time;
        heap.fixDown(1);
    }
};

/// Does the same to a queue and to the reference, and compares them entry by entry.
class TaskQueueModel {
  public:
    void step(Choices& choices) {
        const std::size_t size = reference_.heap.size();
        const int move = choices.below(100);
        if (size == 0 || (move < 45 && size < 300)) {
            const auto time = choices.below<std::int64_t>(50);  // few times, many ties
            q_.add(++last_, time);
            reference_.heap.add({time, last_});
        } else if (move < 80) {
            MODEL_REQUIRE(q_.numbers.at(q_.queue.removeMin().get()) ==
                          reference_.heap.removeMin().number);
        } else if (move < 97) {
            const std::int64_t time = q_.queue.getMinTime() + choices.below(50);
            q_.queue.rescheduleMin(time);
            reference_.rescheduleMin(time);
        } else {
            for (std::size_t i = size; i >= 1; --i) {
                if (!choices.oneIn(4)) continue;
                q_.queue.quickRemove(i);
                reference_.heap.quickRemove(i);
            }
            q_.queue.heapify();
            reference_.heap.heapify();
        }
        compare();
    }

  private:
    void compare() const {
        q_.queue.check();
        MODEL_REQUIRE(q_.queue.size() == reference_.heap.size());
        for (std::size_t i = 1; i <= reference_.heap.size(); ++i) {
            MODEL_REQUIRE(q_.numbers.at(&q_.queue.get(i)) == reference_.heap.entries[i].number);
        }
    }

    NumberedQueue q_;
    ReferenceTaskQueue reference_;
    int last_ = 0;
};

}  // namespace test

// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "jdk/task_queue.hpp"
#include "support/choices.hpp"
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

/// The JDK's TaskQueue with its tests left out: pointers to nodes, swaps, no hole. What J94 says,
/// again and as literally as possible.
class ReferenceTaskQueue {
  public:
    struct Node {
        std::int64_t time;
        int number;
    };

    std::vector<Node> nodes{{0, 0}};  // entry 0 is not used

    std::size_t size() const { return nodes.size() - 1; }

    void add(Node node) {
        nodes.push_back(node);
        for (std::size_t k = size(); k > 1 && nodes[k / 2].time > nodes[k].time; k /= 2) {
            std::swap(nodes[k / 2], nodes[k]);
        }
    }
    void quickRemove(std::size_t i) {
        nodes[i] = nodes[size()];
        nodes.pop_back();
    }
    int removeMin() {
        const int number = nodes[1].number;
        quickRemove(1);
        fixDown(1);
        return number;
    }
    void rescheduleMin(std::int64_t time) {
        nodes[1].time = time;
        fixDown(1);
    }
    void heapify() {
        for (std::size_t i = size() / 2; i >= 1; --i) fixDown(i);
    }

  private:
    void fixDown(std::size_t k) {
        for (std::size_t j = 2 * k; j <= size(); k = j, j = 2 * k) {
            if (j < size() && nodes[j].time > nodes[j + 1].time) ++j;
            if (nodes[k].time <= nodes[j].time) return;
            std::swap(nodes[j], nodes[k]);
        }
    }
};

/// Does the same to a queue and to the reference, and compares them entry by entry.
class TaskQueueModel {
  public:
    void step(Choices& choices) {
        const std::size_t size = reference_.size();
        const int move = choices.below(100);
        if (size == 0 || (move < 45 && size < 300)) {
            const auto time = choices.below<std::int64_t>(50);  // few times, many ties
            q_.add(++last_, time);
            reference_.add({time, last_});
        } else if (move < 80) {
            MODEL_REQUIRE(q_.numbers.at(q_.queue.removeMin().get()) == reference_.removeMin());
        } else if (move < 97) {
            const std::int64_t time = q_.queue.getMinTime() + choices.below(50);
            q_.queue.rescheduleMin(time);
            reference_.rescheduleMin(time);
        } else {
            for (std::size_t i = size; i >= 1; --i) {
                if (!choices.oneIn(4)) continue;
                q_.queue.quickRemove(i);
                reference_.quickRemove(i);
            }
            q_.queue.heapify();
            reference_.heapify();
        }
        compare();
    }

  private:
    void compare() const {
        q_.queue.check();
        MODEL_REQUIRE(q_.queue.size() == reference_.size());
        for (std::size_t i = 1; i <= reference_.size(); ++i) {
            MODEL_REQUIRE(q_.numbers.at(&q_.queue.get(i)) == reference_.nodes[i].number);
        }
    }

    NumberedQueue q_;
    ReferenceTaskQueue reference_;
    int last_ = 0;
};

}  // namespace test

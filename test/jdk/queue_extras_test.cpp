// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "jdk/task_queue.hpp"
#include "support/manual_timer.hpp"
#include "support/test.hpp"

using jtimer::TimerTask;
using jtimer::detail::TaskLink;
using jtimer::detail::TaskQueue;

// A queue with QueueExtras beside a sorted set of what it should hold.

namespace {

class ExtendedQueue {
  public:
    ExtendedQueue(bool fifo, bool knowsPositions)
        : queue_(TaskQueue::Extended{fifo, knowsPositions}), fifo_(fifo),
          knowsPositions_(knowsPositions) {}

    void add(std::int64_t time) {
        const auto task = test::makeTask();
        auto link = std::make_unique<TaskLink>(nullptr, 0);
        queue_.reserveOne();
        queue_.add(task, time, link.get());
        arrive(task.get(), time);
        links_.emplace(task.get(), std::move(link));
    }

    void removeMin() {
        const TimerTask* const task = &queue_.getMin();
        BOOST_REQUIRE(isNext(task));
        queue_.removeMin();
        leave(task);
    }

    void rescheduleMin(std::int64_t by) {
        const TimerTask* const task = &queue_.getMin();
        const std::int64_t time = queue_.getMinTime() + by;
        queue_.rescheduleMin(time);
        expected_.erase(entries_.at(task));
        arrive(task, time);
    }

    /// Takes out the task in entry i, which is asked where it is.
    void remove(std::size_t i) {
        const TimerTask* const task = &queue_.get(i);
        BOOST_REQUIRE(links_.at(task)->position == i);
        queue_.remove(links_.at(task)->position);
        leave(task);
    }

    /// As purge() does it, of the tasks for which `chosen` returns true.
    template <class Choice>
    void removeSome(const Choice& chosen) {
        for (std::size_t i = size(); i >= 1; --i) {
            if (!chosen()) continue;
            const TimerTask* const task = &queue_.get(i);
            queue_.quickRemove(i);
            leave(task);
        }
        queue_.heapify();
    }

    void check() const {
        queue_.check();
        BOOST_REQUIRE(size() == expected_.size());
        for (std::size_t i = 1; i <= size(); ++i) {
            const TimerTask* const task = &queue_.get(i);
            BOOST_REQUIRE(links_.at(task)->position == (knowsPositions_ ? i : 0));
        }
        if (size() != 0) BOOST_REQUIRE(isNext(&queue_.getMin()));
    }

    std::size_t size() const { return queue_.size(); }
    TaskQueue& queue() { return queue_; }
    const auto& links() const { return links_; }

  private:
    using Entry = std::tuple<std::int64_t, int, const TimerTask*>;  // time, arrival

    void arrive(const TimerTask* task, std::int64_t time) {
        entries_[task] = Entry(time, ++arrivals_, task);
        expected_.insert(entries_.at(task));
    }
    void leave(const TimerTask* task) {
        BOOST_REQUIRE(links_.at(task)->position == 0);
        expected_.erase(entries_.at(task));
        entries_.erase(task);
        links_.erase(task);
    }
    /// Without fifo, any task of the least time is.
    bool isNext(const TimerTask* task) const {
        const Entry& next = *expected_.begin();
        return fifo_ ? std::get<2>(next) == task
                     : std::get<0>(next) == std::get<0>(entries_.at(task));
    }

    TaskQueue queue_;
    const bool fifo_, knowsPositions_;
    std::set<Entry> expected_;
    std::map<const TimerTask*, Entry> entries_;
    std::map<const TimerTask*, std::unique_ptr<TaskLink>> links_;
    int arrivals_ = 0;
};

}  // namespace

BOOST_AUTO_TEST_CASE(random_moves_agree_with_a_sorted_set_and_every_link_knows_its_place) {
    for (const auto& [fifo, knowsPositions] :
         {std::pair(true, false), {false, true}, {true, true}}) {
        std::mt19937 random(20261122);
        const auto below = [&random](std::size_t n) { return random() % n; };
        ExtendedQueue q(fifo, knowsPositions);
        for (int step = 0; step < 20'000; ++step) {
            const std::size_t move = below(100);
            if (q.size() == 0 || (move < 45 && q.size() < 300)) {
                q.add(static_cast<std::int64_t>(below(50)));  // few times, many ties
            } else if (move < 65) {
                q.removeMin();
            } else if (move < 80) {
                q.rescheduleMin(static_cast<std::int64_t>(below(50)));
            } else if (move < 98) {
                if (knowsPositions) q.remove(1 + below(q.size()));
            } else {
                q.removeSome([&] { return below(4) == 0; });
            }
            q.check();
        }
    }
}

BOOST_AUTO_TEST_CASE(forgotten_links_are_nowhere_and_the_queue_still_holds_its_tasks) {
    ExtendedQueue q(false, true);
    for (int i = 0; i < 10; ++i) q.add(10 - i);
    q.queue().forgetLinks();
    for (const auto& [task, link] : q.links()) BOOST_TEST(link->position == 0U);
    BOOST_TEST(q.size() == 10U);
    q.queue().check();
}

BOOST_AUTO_TEST_CASE(a_link_that_believes_to_be_elsewhere_is_found) {
    ExtendedQueue q(false, true);
    q.add(1);
    q.add(2);
    q.links().at(&q.queue().get(2))->position = 1;
    BOOST_CHECK_THROW(q.queue().check(), std::logic_error);
    q.links().at(&q.queue().get(2))->position = 2;
    q.queue().check();
}

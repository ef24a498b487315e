// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
//
// One timer for the evictors of all object pools, ported line by line from EvictionTimer.java:
// started for the first evictor, cancelled after the last one. What differs:
//
// - `timer = null` would wait here for a running evictor, which may want the lock that the caller
//   of close() holds. After detach() it does not wait.
// - An Evictor that is running then may outlive its pool's owner, so it has a weak reference to the
//   pool, where Java's has a hidden strong one.

#include <jtimer/timer.hpp>

#include <condition_variable>
#include <deque>
#include <functional>
#include <future>
#include <iostream>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

using jtimer::Timer;
using jtimer::TimerTask;

class EvictionTimer {
    static inline std::mutex monitor;
    static inline std::unique_ptr<Timer> timer;
    static inline int usageCount = 0;

  public:
    static void schedule(const std::shared_ptr<TimerTask>& task, long delay, long period) {
        const std::lock_guard lock(monitor);
        if (timer == nullptr) {
            std::cout << "eviction timer: started\n";
            timer = std::make_unique<Timer>("EvictionTimer", true);
        }
        ++usageCount;
        timer->schedule(task, delay, period);
    }

    static void cancel(const std::shared_ptr<TimerTask>& task) {
        const std::lock_guard lock(monitor);
        task->cancel();
        if (--usageCount == 0) {
            std::cout << "eviction timer: cancelled\n";
            timer->cancel();
            timer->detach();
            timer = nullptr;
        }
    }
};

class ObjectPool : public std::enable_shared_from_this<ObjectPool> {
    class Evictor;

    const std::function<void(const std::string&)> destroy;
    std::recursive_mutex monitor;
    std::condition_variable_any evicted;
    std::deque<std::string> idle;
    int evictions = 0;
    std::shared_ptr<Evictor> evictor;

  public:
    explicit ObjectPool(std::function<void(const std::string&)> destroyObject)
        : destroy(std::move(destroyObject)) {}

    void startEvictor(long period) {
        const std::lock_guard lock(monitor);
        evictor = std::make_shared<Evictor>(weak_from_this());
        EvictionTimer::schedule(evictor, period, period);
    }

    void add(const std::string& object) {
        const std::lock_guard lock(monitor);
        idle.push_back(object);
    }

    void awaitEvictions(int count) {
        std::unique_lock lock(monitor);
        while (evictions < count) evicted.wait(lock);
    }

    void close() {
        const std::lock_guard lock(monitor);
        EvictionTimer::cancel(evictor);
        evictor = nullptr;
    }

  private:
    void evict() {
        std::string object;
        {
            const std::lock_guard lock(monitor);
            if (idle.empty()) return;
            object = idle.front();
            idle.pop_front();
        }
        destroy(object);  // may take long, so the lock is released
        {
            const std::lock_guard lock(monitor);
            ++evictions;
            evicted.notify_all();
        }
    }

    class Evictor : public TimerTask {
        const std::weak_ptr<ObjectPool> outer;

      public:
        explicit Evictor(std::weak_ptr<ObjectPool> pool) : outer(std::move(pool)) {}
        void run() override {
            if (const auto pool = outer.lock()) pool->evict();
        }
    };
};

int main() {
    const auto destroy = [](const std::string& object) {
        std::cout << "evicted " << object << '\n';
    };

    const auto users = std::make_shared<ObjectPool>(destroy);
    const auto orders = std::make_shared<ObjectPool>(destroy);
    users->startEvictor(20);
    orders->startEvictor(20);
    users->add("user 1");
    users->add("user 2");
    users->awaitEvictions(2);
    orders->add("order 1");
    orders->awaitEvictions(1);

    users->close();
    orders->add("order 2");  // the timer goes on for the other pool
    orders->awaitEvictions(2);
    orders->close();

    // A pool that is closed while its evictor is destroying an object does not wait for it.
    std::promise<void> evicting, closed;
    const auto slow = std::make_shared<ObjectPool>([&](const std::string& object) {
        evicting.set_value();
        closed.get_future().wait();
        std::cout << "evicted " << object << '\n';
    });
    slow->startEvictor(20);
    slow->add("a slow one");
    evicting.get_future().wait();
    slow->close();
    std::cout << "closed\n";
    closed.set_value();
    slow->awaitEvictions(1);
}

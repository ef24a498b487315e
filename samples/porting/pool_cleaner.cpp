// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
//
// The cleaners of all connection pools share one timer, as Tomcat's do: it starts with the first
// cleaner and ends with the last one. A cleaner has a weak reference to its pool, and leaves the
// timer when that is gone. What to look at in a port:
//
// - The last cleaner destroys the timer inside its own run, or in close() under a lock. The first
//   is fine as it is, since ~Timer does not wait on the timer's own thread. For the second,
//   detach() makes ~Timer return at once.
// - `now - lastRun > period` would skip every second run here: on a ManualClock, and on any clock
//   that is on time, exactly one period has passed. It has to be `>=`.

#include <jtimer/manual_clock.hpp>
#include <jtimer/timer.hpp>

#include <chrono>
#include <iostream>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <utility>

using namespace std::chrono_literals;
using jtimer::Timer;
using jtimer::TimerTask;

const auto theClock = std::make_shared<jtimer::ManualClock>();

class ConnectionPool;

class PoolCleaner final : public TimerTask, public std::enable_shared_from_this<PoolCleaner> {
  public:
    PoolCleaner(const std::shared_ptr<ConnectionPool>& pool, std::chrono::milliseconds period)
        : pool_(pool), period_(period) {}

    void start() {
        const std::lock_guard lock(monitor);
        if (timer == nullptr) timer = std::make_unique<Timer>("pool cleaner", true, theClock);
        cleaners.insert(shared_from_this());
        timer->schedule(shared_from_this(), period_, period_);
    }

    void stop() {
        const std::lock_guard lock(monitor);
        if (cleaners.erase(shared_from_this()) == 0) return;
        cancel();
        timer->purge();
        if (!cleaners.empty()) return;
        std::cout << "no pool is left: the timer ends\n";
        timer->cancel();
        timer->detach();
        timer = nullptr;
    }

  private:
    void run() override;

    static inline std::mutex monitor;
    static inline std::set<std::shared_ptr<PoolCleaner>> cleaners;
    static inline std::unique_ptr<Timer> timer;

    const std::weak_ptr<ConnectionPool> pool_;
    const std::chrono::milliseconds period_;
    jtimer::Date lastRun_ = theClock->now();
};

class ConnectionPool : public std::enable_shared_from_this<ConnectionPool> {
  public:
    ConnectionPool(std::string name, int idle) : name_(std::move(name)), idle_(idle) {}

    void startCleaner(std::chrono::milliseconds period) {
        cleaner_ = std::make_shared<PoolCleaner>(shared_from_this(), period);
        cleaner_->start();
    }

    void close() { cleaner_->stop(); }

    void dropOneIdleConnection() {
        if (idle_ > 0) --idle_;
        std::cout << name_ << ": " << idle_ << " idle\n";
    }

  private:
    const std::string name_;
    int idle_;
    std::shared_ptr<PoolCleaner> cleaner_;
};

void PoolCleaner::run() {
    const std::shared_ptr<ConnectionPool> pool = pool_.lock();
    if (pool == nullptr) return stop();
    if (theClock->now() - lastRun_ >= period_) {
        lastRun_ = theClock->now();
        pool->dropOneIdleConnection();
    }
}

int main() {
    const auto orders = std::make_shared<ConnectionPool>("orders", 5);
    auto reports = std::make_shared<ConnectionPool>("reports", 2);
    orders->startCleaner(5s);
    reports->startCleaner(10s);
    theClock->advance(10s);

    std::cout << "orders is closed\n";
    orders->close();
    theClock->advance(10s);

    std::cout << "reports is dropped, but not closed\n";
    reports = nullptr;
    theClock->advance(10s);
}

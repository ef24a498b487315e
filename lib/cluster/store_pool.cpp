// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "cluster/store_pool.hpp"

#include "cluster/alarm.hpp"
#include "cluster/assert_held.hpp"

#include <jtimer/cluster/exceptions.hpp>

#include <algorithm>
#include <iterator>
#include <new>

namespace jtimer::cluster::detail {

namespace {

constexpr int kMaxConnections = 4;
constexpr auto kIdle = std::chrono::minutes(1);
constexpr auto kBetweenNotifications = std::chrono::milliseconds(20);

}  // namespace

std::unique_ptr<Store> StorePool::take() {
    Lock lock(mutex_);
    const auto longest = std::min(toMicros(options_.operationTimeout), kLongestWait);
    if (!freed_.wait_for(lock, boost::chrono::microseconds(longest),
                         [this] { return !idle_.empty() || borrowed_ < kMaxConnections; }))
        throw DatabaseException("All connections of the Scheduler are in use");
    std::unique_ptr<Store> store;
    if (idle_.empty()) {
        store = std::make_unique<Store>(options_);
    } else {
        store = std::move(idle_.back().store);
        idle_.pop_back();
    }
    ++borrowed_;
    return store;
}

void StorePool::giveBack(std::unique_ptr<Store> store) noexcept {
    {
        const Lock lock(mutex_);
        --borrowed_;
        try {
            idle_.push_back({std::move(store), Clock::now()});
        } catch (const std::bad_alloc&) {
            // The connection is closed.
        }
        if (!closing_) closing_ = scheduleIn(lock, kIdle, [this] { closeIdle(); });
    }
    freed_.notify_one();
}

/// \returns false without memory or a thread, or if the pool is being destroyed
bool StorePool::scheduleIn(const Lock& lock, Clock::duration delay,
                           std::function<void()> function) noexcept {
    assertHeld(lock, mutex_);
    try {
        if (!timer_) timer_ = std::make_unique<Timer>("jtimer.cluster", true, localClock());
        timer_->schedule(std::move(function), std::max(delay, Clock::duration::zero()));
        return true;
    } catch (...) {
        return false;
    }
}

/// Closes connections that have been idle for a minute, and comes again if there are others.
void StorePool::closeIdle() {
    std::vector<Idle> closed;
    Lock lock(mutex_);
    const auto fresh = std::find_if(idle_.begin(), idle_.end(), [](const Idle& each) {
        return Clock::now() - each.since < kIdle;
    });
    std::move(idle_.begin(), fresh, std::back_inserter(closed));
    idle_.erase(idle_.begin(), fresh);
    closing_ =
        !idle_.empty() &&
        scheduleIn(lock, idle_.front().since + kIdle - Clock::now() + std::chrono::milliseconds(1),
                   [this] { closeIdle(); });
    lock.unlock();  // closing a connection may take a while
}

/// Notifications are a courtesy: tasks are found without them. Not sent by the calling thread,
/// which may be a node's and need not wait.
void StorePool::notifyNodes() noexcept {
    const Lock lock(mutex_);
    if (notifying_) return;
    notifying_ =
        scheduleIn(lock, notified_ + kBetweenNotifications - Clock::now(), [this] { notify(); });
}

void StorePool::notify() noexcept {
    try {
        {
            const Lock lock(mutex_);
            notifying_ = false;
            notified_ = Clock::now();
        }
        with([](Store& store) { store.notify(); });
    } catch (...) {
        // The database is away: whoever calls next is told.
    }
}

}  // namespace jtimer::cluster::detail

// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
//
// A lock in a remote store expires after a lease of 30 seconds, so that a crashed owner loses it. A
// living owner renews the lease every ten seconds, as Redisson's watchdog does. unlock() cancels
// the renewal and waits for one that is under way. No renewal follows it, so the lock may be
// destroyed at once, although the timeout has captured `this`.
#include <jtimer/manual_clock.hpp>
#include <jtimer/netty/hashed_wheel_timer.hpp>

#include <chrono>
#include <cstdio>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

using namespace std::chrono_literals;
using jtimer::netty::HashedWheelTimer;

namespace {

constexpr auto kLease = 30s;
const auto theClock = std::make_shared<jtimer::ManualClock>();

/// Stands for the server, which knows when each lock expires. It needs no mutex here, as renewals
/// take place only inside theClock->advance().
std::map<std::string, jtimer::Date> store;

bool isLocked(const std::string& name) { return store[name] > theClock->now(); }

class RemoteLock {
  public:
    RemoteLock(HashedWheelTimer& timer, std::string name) : timer_(timer), name_(std::move(name)) {}
    ~RemoteLock() { unlock(); }

    bool tryLock() {
        if (isLocked(name_)) return false;
        store[name_] = theClock->now() + kLease;
        const std::lock_guard lock(mutex_);
        isHeld_ = true;
        scheduleRenewal();
        return true;
    }

    void unlock() {
        std::unique_lock lock(mutex_);
        if (!std::exchange(isHeld_, false)) return;
        const auto renewal = std::move(renewal_);
        lock.unlock();  // a renewal may be waiting for it
        renewal->cancelAndWait();
        store.erase(name_);
    }

  private:
    void scheduleRenewal() {
        renewal_ = timer_.newTimeout([this] { renew(); }, kLease / 3);
    }

    void renew() {
        const std::lock_guard lock(mutex_);
        if (!isHeld_) return;
        store[name_] = theClock->now() + kLease;
        std::printf("%s is renewed\n", name_.c_str());
        scheduleRenewal();
    }

    HashedWheelTimer& timer_;
    const std::string name_;
    std::mutex mutex_;  // guards the two fields below
    bool isHeld_ = false;
    std::shared_ptr<jtimer::netty::Timeout> renewal_;
};

}  // namespace

int main() {
    jtimer::netty::HashedWheelTimerOptions options;
    options.clock = theClock;
    HashedWheelTimer timer(options);
    {
        RemoteLock lock(timer, "report");
        lock.tryLock();
        theClock->advance(45s);
        RemoteLock another(timer, "report");
        std::printf("after 45 s another owner gets it: %s\n", another.tryLock() ? "yes" : "no");
    }
    RemoteLock another(timer, "report");
    std::printf("after the end of the first: %s\n", another.tryLock() ? "yes" : "no");
    another.unlock();
    theClock->advance(45s);
    std::printf("pending: %d\n", static_cast<int>(timer.pendingTimeouts()));
}

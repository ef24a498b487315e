// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
//
// Idle detection as in Netty's IdleStateHandler: a read only stores its time. Each connection has
// one timeout, which checks whether that time is long enough ago, and if it is not, waits for the
// rest. So traffic costs nothing, where idle_connections.cpp cancels a timeout for every message.
#include <jtimer/manual_clock.hpp>
#include <jtimer/netty/hashed_wheel_timer.hpp>

#include <chrono>
#include <cstdio>
#include <functional>
#include <memory>
#include <mutex>
#include <utility>

using namespace std::chrono_literals;
using jtimer::netty::HashedWheelTimer;

namespace {

class IdleStateHandler {
  public:
    IdleStateHandler(HashedWheelTimer& timer, std::chrono::nanoseconds idleTime,
                     std::function<void(bool isFirst)> onIdle)
        : timer_(timer), idleTime_(idleTime), onIdle_(std::move(onIdle)) {
        const std::lock_guard lock(mutex_);
        next_ = timer_.newTimeout([this] { check(); }, idleTime_);
    }

    /// Waits for a call of onIdle that is in progress, unless it is made inside that call.
    ~IdleStateHandler() {
        std::unique_lock lock(mutex_);
        isOver_ = true;
        const auto running = std::move(running_), next = std::move(next_);
        lock.unlock();  // check() may be waiting for it
        next->cancelAndWait();
        if (running) running->cancelAndWait();
    }

    void channelRead() {
        const std::lock_guard lock(mutex_);
        lastRead_ = timer_.clock()->now();
        isFirst_ = true;
    }

  private:
    void check() {
        std::unique_lock lock(mutex_);
        if (isOver_) return;
        const auto left = lastRead_ + idleTime_ - timer_.clock()->now();
        running_ = std::move(next_);
        next_ = timer_.newTimeout([this] { check(); }, left > 0ns ? left : idleTime_);
        if (left > 0ns) return;
        const bool isFirst = std::exchange(isFirst_, false);
        lock.unlock();
        onIdle_(isFirst);
    }

    HashedWheelTimer& timer_;
    const std::chrono::nanoseconds idleTime_;
    const std::function<void(bool isFirst)> onIdle_;
    std::mutex mutex_;  // guards the fields below
    jtimer::Date lastRead_ = timer_.clock()->now();
    bool isFirst_ = true;
    bool isOver_ = false;
    std::shared_ptr<jtimer::netty::Timeout> running_;  // the check in progress, or the last one
    std::shared_ptr<jtimer::netty::Timeout> next_;
};

}  // namespace

int main() {
    const auto clock = std::make_shared<jtimer::ManualClock>();
    jtimer::netty::HashedWheelTimerOptions options;
    options.clock = clock;
    HashedWheelTimer timer(options);
    {
        IdleStateHandler connection(timer, 10s, [&](bool isFirst) {
            std::printf("%2d s: idle%s\n", static_cast<int>(clock->nanos() / 1'000'000'000),
                        isFirst ? ", a ping is sent" : " still");
        });
        for (int message = 0; message < 30; ++message) {
            clock->advance(500ms);
            connection.channelRead();
        }
        clock->advance(25s);
        std::puts("a message");
        connection.channelRead();
        clock->advance(12s);
    }
    std::printf("closed; pending: %d\n", static_cast<int>(timer.stop().size()));
}

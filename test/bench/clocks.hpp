// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "bench/tally.hpp"
#include "clock/waiter.hpp"

#include <jtimer/clock.hpp>

#include <atomic>
#include <memory>

namespace bench {

/// The computer's clock, at the price of the computer's clock; but it can be set forward, so that
/// everything becomes due at once, and it counts its readings.
class JumpingClock final : public jtimer::WallClock {
  public:
    std::int64_t nanos() const override {
        ++tally.readings;
        return WallClock::nanos() + ahead_.load(std::memory_order_relaxed);
    }

    /// Wakes nobody: to be called from inside a task.
    void jump(std::chrono::nanoseconds span) { ahead_ += span.count(); }

  private:
    std::atomic<std::int64_t> ahead_{0};
};

/// A clock that stands still and counts what is asked of one timer's condition. That is not cheap:
/// nothing on this clock is timed.
class NotingClock final : public jtimer::Clock {
  public:
    struct Count {
        std::int64_t notifications = 0;
        std::int64_t wakeUps = 0;
    };

    std::int64_t nanos() const override { return 1'000'000'000'000'000'000; }

    /// Returns when the thread sleeps, after every notification has woken it.
    Count count() const {
        jtimer::detail::Lock lock(mutex_);
        changed_.wait(lock, [this] { return sleeps_ && seen_ == count_.notifications; });
        return count_;
    }

  private:
    class Noting final : public jtimer::detail::Waiter {
      public:
        explicit Noting(const NotingClock& clock) : clock_(clock) {}

        void waitUntil(jtimer::detail::Lock& monitor, jtimer::detail::Nanos,
                       jtimer::detail::Nanos) override {
            auto& count = clock_.count_;
            jtimer::detail::Lock lock(clock_.mutex_);
            clock_.sleeps_ = true;
            clock_.changed_.notify_all();
            monitor.unlock();
            clock_.changed_.wait(lock, [&] { return clock_.seen_ != count.notifications; });
            clock_.seen_ = count.notifications;
            ++count.wakeUps;
            clock_.sleeps_ = false;
            lock.unlock();
            monitor.lock();
        }

        void notify() override {
            const jtimer::detail::Lock lock(clock_.mutex_);
            ++clock_.count_.notifications;
            clock_.changed_.notify_all();
        }

      private:
        const NotingClock& clock_;
    };

    std::shared_ptr<jtimer::detail::Waiter> makeWaiter() const override {
        return std::make_shared<Noting>(*this);
    }

    mutable jtimer::detail::Mutex mutex_;
    mutable jtimer::detail::Condition changed_;
    mutable Count count_;
    mutable std::int64_t seen_ = 0;  // notifications that have ended a wait, or will not any more
    mutable bool sleeps_ = false;
};

}  // namespace bench

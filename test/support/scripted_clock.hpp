// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "clock/waiter.hpp"
#include "support/manual_timer.hpp"

#include <jtimer/clock.hpp>

#include <atomic>
#include <memory>
#include <vector>
#if defined(__linux__)
#include <sys/prctl.h>
#endif

namespace test {

/// Shows, wait by wait, what one timer's thread asks of its clock. The time stands at kStart unless
/// the test sets it, and a wait ends when the thread is notified (unless `holdNotified`) or the
/// test says so.
class ScriptedClock final : public jtimer::Clock {
  public:
    std::atomic<jtimer::detail::Nanos> time{kStartMillis * 1'000'000};
    /// Waiter::settlingTime(), which no clock of a test has by itself.
    std::atomic<jtimer::detail::Nanos> settlingTime{0};
    /// Waiter::reached() and Waiter::canBeSetForward().
    std::atomic<jtimer::detail::Nanos> reached{jtimer::detail::kLongAgo};
    std::atomic<bool> canBeSetForward{true};
    /// Waiter::wakesLate(), which no clock of a test does by itself either.
    std::atomic<bool> wakesLate{false};
    /// The timer slack of the thread in its last wait. Nanoseconds.
    mutable std::atomic<int> timerSlack{0};
    /// How often the time was read.
    mutable std::atomic<int> readings{0};

    std::int64_t nanos() const override {
        ++readings;
        return time;
    }

    /// Returns when the thread is in its `n`th wait (from 1). \returns what that wait's deadline is
    jtimer::detail::Nanos awaitWait(std::size_t n) const {
        jtimer::detail::Lock lock(mutex_);
        changed_.wait(lock, [&] { return deadlines_.size() >= n; });
        return deadlines_[n - 1];
    }

    int notifications() const {
        const jtimer::detail::Lock lock(mutex_);
        return notifications_;
    }

    /// From now on, whether a notified thread stays in its wait, as one does that gets no
    /// processor.
    void holdNotified(bool hold) {
        const jtimer::detail::Lock lock(mutex_);
        hold_ = hold;
    }

    /// Ends the wait that is going on, at `at`.
    void endWaitAt(jtimer::detail::Nanos at) {
        time = at;
        endWait();
    }

    /// Ends the wait that is going on.
    void endWait() {
        const jtimer::detail::Lock lock(mutex_);
        ended_ = deadlines_.size();
        changed_.notify_all();
    }

  private:
    class Scripted final : public jtimer::detail::Waiter {
      public:
        explicit Scripted(const ScriptedClock& clock) : clock_(clock) {}

        void waitUntil(jtimer::detail::Lock& monitor, jtimer::detail::Nanos deadline,
                       jtimer::detail::Nanos) override {
#if defined(__linux__)
            clock_.timerSlack = prctl(PR_GET_TIMERSLACK, 0, 0, 0, 0);
#endif
            jtimer::detail::Lock lock(clock_.mutex_);
            clock_.deadlines_.push_back(deadline);
            const std::size_t self = clock_.deadlines_.size();
            clock_.changed_.notify_all();
            monitor.unlock();
            clock_.changed_.wait(lock, [&] { return clock_.ended_ >= self; });
            lock.unlock();
            monitor.lock();
        }

        void notify() override {
            const jtimer::detail::Lock lock(clock_.mutex_);
            ++clock_.notifications_;
            if (clock_.hold_) return;
            clock_.ended_ = clock_.deadlines_.size();
            clock_.changed_.notify_all();
        }

        jtimer::detail::Nanos settlingTime() const noexcept override { return clock_.settlingTime; }
        jtimer::detail::Nanos reached() const noexcept override { return clock_.reached; }
        bool canBeSetForward() const noexcept override { return clock_.canBeSetForward; }
        bool wakesLate() const noexcept override { return clock_.wakesLate; }

      private:
        const ScriptedClock& clock_;
    };

    std::shared_ptr<jtimer::detail::Waiter> makeWaiter() const override {
        return std::make_shared<Scripted>(*this);
    }

    mutable jtimer::detail::Mutex mutex_;
    mutable jtimer::detail::Condition changed_;
    mutable std::vector<jtimer::detail::Nanos> deadlines_;
    mutable std::size_t ended_ = 0;
    mutable int notifications_ = 0;
    bool hold_ = false;
};

}  // namespace test

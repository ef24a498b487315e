// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "clock/waiter.hpp"

#include <jtimer/clock.hpp>

#include <boost/thread/thread.hpp>

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <utility>

namespace test {

/// What a faulty clock throws: not a std::exception.
struct NoTime {};

namespace detail {

/// How many more readings of the calling thread succeed; negative: all.
inline thread_local long readingsLeft = -1;
/// Whether the readings after the one that fails succeed again.
inline thread_local bool readingFailsOnce = false;
inline std::atomic<long> readingsFailed{0};

}  // namespace detail

/// How often a reading has failed so far, on any thread.
inline long readingsFailed() { return detail::readingsFailed; }

/// While this lives, the calling thread can read the clock `count` times. The next time throws
/// NoTime, and then each one does, or with `once` no other.
class ReadingsLeft {
  public:
    explicit ReadingsLeft(long count, bool once = false) {
        detail::readingFailsOnce = once;
        detail::readingsLeft = count;
    }
    ReadingsLeft(const ReadingsLeft&) = delete;
    ReadingsLeft& operator=(const ReadingsLeft&) = delete;
    ~ReadingsLeft() { detail::readingsLeft = -1; }
};

/// A manual clock whose readings fail when a case says so.
class FaultyClock final : public jtimer::Clock {
  public:
    explicit FaultyClock(jtimer::Date start) : manual_(start) {}

    /// From now on all readings fail but the next `count` ones, on all threads but that which has
    /// made the clock. Negative: none fails.
    void failElsewhere(long count) { leftElsewhere_ = count; }

    /// From now on each reading begins with this call, but on the thread that has made the clock.
    /// To be called while no other thread reads it.
    void callElsewhere(std::function<void()> call) { elsewhere_ = std::move(call); }

    std::int64_t nanos() const override {
        const bool isElsewhere = boost::this_thread::get_id() != maker_;
        if (isElsewhere && leftElsewhere_ >= 0 && leftElsewhere_-- == 0) {
            leftElsewhere_ = 0;
            throw NoTime();
        }
        if (isElsewhere && elsewhere_) elsewhere_();
        if (detail::readingsLeft == 0) {
            ++detail::readingsFailed;
            if (detail::readingFailsOnce) detail::readingsLeft = -1;
            throw NoTime();
        }
        if (detail::readingsLeft > 0) --detail::readingsLeft;
        return manual_.nanos();
    }

    void advance(jtimer::TimeSpan span) { manual_.advance(span); }
    void waitUntilIdle() { manual_.waitUntilIdle(); }

  private:
    /// As a manual clock's, but does not know the time, so that the thread reads the clock.
    class Reading final : public jtimer::detail::Waiter {
      public:
        explicit Reading(std::shared_ptr<Waiter> manual) : manual_(std::move(manual)) {}
        void begin() override { manual_->begin(); }
        void waitUntil(jtimer::detail::Lock& lock, jtimer::detail::Nanos deadline,
                       jtimer::detail::Nanos now) override {
            manual_->waitUntil(lock, deadline, now);
        }
        void announce() override { manual_->announce(); }
        void notify() override { manual_->notify(); }
        bool canBeSetForward() const noexcept override { return false; }
        void end() override { manual_->end(); }

      private:
        const std::shared_ptr<Waiter> manual_;
    };

    std::shared_ptr<jtimer::detail::Waiter> makeWaiter() const override {
        return std::make_shared<Reading>(jtimer::detail::makeWaiter(manual_));
    }

    const boost::thread::id maker_ = boost::this_thread::get_id();
    mutable std::atomic<long> leftElsewhere_{-1};
    std::function<void()> elsewhere_;
    jtimer::ManualClock manual_;
};

}  // namespace test

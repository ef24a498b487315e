// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "clock/waiter.hpp"

#include <jtimer/clock.hpp>

#include <atomic>
#include <cstdint>
#include <memory>

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

    std::int64_t nanos() const override {
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
    std::shared_ptr<jtimer::detail::Waiter> makeWaiter() const override {
        return jtimer::detail::makeWaiter(manual_);
    }

    jtimer::ManualClock manual_;
};

}  // namespace test

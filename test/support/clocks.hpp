// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "support/gate.hpp"

#include <jtimer/clock.hpp>

#include <atomic>
#include <cstdint>
#include <stdexcept>

namespace test {

/// A wall clock that the test sets.
class SetClock final : public jtimer::WallClock {
  public:
    std::atomic<std::int64_t> offset{0};
    std::int64_t nanos() const override { return WallClock::nanos() + offset; }
};

/// A wall clock that throws once it is broken.
class BrokenClock final : public jtimer::WallClock {
  public:
    std::atomic<bool> isBroken{false};
    std::int64_t nanos() const override {
        if (isBroken) throw std::runtime_error("the clock is broken");
        return WallClock::nanos();
    }
};

/// A wall clock. Once it is armed, who reads it next hangs until it is released: the thread of a
/// timer, for example, with the timer's monitor held.
class HangingClock final : public jtimer::WallClock {
  public:
    std::atomic<bool> armed{false};
    mutable Gate hangs, released;

    std::int64_t nanos() const override {
        if (armed) {
            hangs.open();
            released.wait();
        }
        return WallClock::nanos();
    }
    void release() {
        armed = false;
        released.open();
    }
};

}  // namespace test

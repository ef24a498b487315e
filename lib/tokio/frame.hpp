// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

namespace jtimer::tokio::detail {

class Driver;

/// Records, during its lifetime, what the calling thread is doing for one driver. Calls that could
/// never return in that situation, or would turn a wheel that is being turned, check it.
class Frame {
  public:
    enum class Kind { Turn, Waker, Shutdown };

    Frame(const Driver& driver, Kind kind) noexcept : driver_(&driver), kind_(kind), outer_(top_) {
        top_ = this;
    }
    Frame(const Frame&) = delete;
    Frame& operator=(const Frame&) = delete;
    ~Frame() { top_ = outer_; }

    static bool isInside(const Driver& driver, Kind kind) noexcept {
        for (const Frame* frame = top_; frame != nullptr; frame = frame->outer_) {
            if (frame->driver_ == &driver && frame->kind_ == kind) return true;
        }
        return false;
    }

  private:
    const Driver* const driver_;
    const Kind kind_;
    const Frame* const outer_;

    static inline thread_local const Frame* top_ = nullptr;
};

}  // namespace jtimer::tokio::detail

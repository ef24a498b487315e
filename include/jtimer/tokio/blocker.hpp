// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include <jtimer/detail/export.hpp>
#include <jtimer/tokio/waker.hpp>

#include <memory>

namespace jtimer::tokio {

class Sleep;

namespace detail {

/// How a thread blocks for something that is polled: it polls with waker(), and calls block() if
/// that is not ready.
class JTIMER_API Blocker {
  public:
    /// \param sleep on the driver that is to call the waker
    explicit Blocker(const Sleep& sleep);
    Blocker(const Blocker&) = delete;
    Blocker& operator=(const Blocker&) = delete;
    ~Blocker();

    /// A waker that ends the block() in progress, or else the next one. It may be called even after
    /// the Blocker has been destroyed.
    Waker waker() const;

    /// Blocks until a waker has been called since the last block().
    /// \throws IllegalStateException if the calling thread is turning the driver
    void block();

  private:
    struct State;
    const std::shared_ptr<State> state_;
};

}  // namespace detail

}  // namespace jtimer::tokio

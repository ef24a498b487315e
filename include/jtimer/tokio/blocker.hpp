// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include <jtimer/detail/export.hpp>
#include <jtimer/tokio/waker.hpp>

#include <memory>

namespace jtimer::tokio {

class Sleep;

namespace detail {

/// Blocks a thread until something that is polled is ready: the thread polls with waker(), and
/// calls block() if the poll is not ready.
class JTIMER_API Blocker {
  public:
    /// \param sleep a Sleep of the driver that calls the waker
    /// \throws IllegalStateException if the calling thread must not block, as it is turning the
    ///   driver
    /// \throws DriverShutdown in a forked child
    explicit Blocker(const Sleep& sleep);
    Blocker(const Blocker&) = delete;
    Blocker& operator=(const Blocker&) = delete;
    ~Blocker();

    /// A waker that ends the current block(), or else the next one. It may be called even after the
    /// Blocker has been destroyed.
    Waker waker() const;

    /// Blocks until a waker has been called since the last block().
    void block();

  private:
    struct State;
    const std::shared_ptr<State> state_;
};

}  // namespace detail

}  // namespace jtimer::tokio

// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include <jtimer/detail/compiler.hpp>
#include <jtimer/tokio/waker.hpp>

#include <memory>

namespace jtimer::tokio {

class Sleep;
class TimeDriver;

namespace detail {

/// Blocks a thread until something that is polled is ready: the thread polls with waker(), and
/// calls block() if the poll is not ready.
class JTIMER_API Blocker {
  public:
    /// \param sleep a Sleep of the driver that calls the waker; must outlive this object
    /// \param call the function that blocks, for a report: see setWaitReportHandler()
    /// \throws IllegalStateException if the calling thread must not block, as it is turning the
    ///   driver
    /// \throws DriverShutdown in a forked child
    Blocker(const Sleep& sleep, const char* call);
    /// For an operation that does not notice a shutdown of the driver: block() notices it.
    /// \throws as the other constructor
    Blocker(const TimeDriver& driver, const char* call);
    Blocker(const Blocker&) = delete;
    Blocker& operator=(const Blocker&) = delete;
    ~Blocker();

    /// A waker that ends the current block(), or else the next one. It may be called even after the
    /// Blocker has been destroyed.
    Waker waker() const;

    /// Blocks until a waker has been called since the last block().
    /// \throws DriverShutdown instead of blocking, if this was made for a TimeDriver
    void block();

  private:
    struct State;
    const std::shared_ptr<State> state_;
    /// What the shutdown of the driver finds; null for a Sleep.
    const std::unique_ptr<Sleep> parked_;
};

}  // namespace detail

}  // namespace jtimer::tokio

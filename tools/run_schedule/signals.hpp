// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include <atomic>
#include <chrono>
#include <csignal>
#include <optional>
#include <pthread.h>

/// The signals and events for which the main thread waits. Construct it in the main thread before
/// any other thread starts: the signals must be blocked in every thread, or they would end the
/// process, and a new thread inherits the blocked signals.
class Signals {
  public:
    enum class Reason { Interrupt, HangUp, Woken, Deadline };

    /// Leaves SIGHUP alone if it is ignored, as under nohup, unless it is always wanted.
    explicit Signals(bool wantsHangUp = false);

    /// Returns on SIGINT or SIGTERM (Interrupt), on SIGHUP, after wakeMain(), or at the deadline.
    Reason wait(std::optional<std::chrono::steady_clock::time_point> deadline = {});

    /// Ends the current wait(), or the next one. Any thread may call this.
    void wakeMain();

    /// From now on SIGINT, SIGTERM and, unless it is ignored, SIGHUP end the process, and wait() no
    /// longer waits for them. SIGINT and SIGTERM do so even if they were ignored at the start.
    void restore();

  private:
    sigset_t ending_{};  ///< SIGINT and SIGTERM, and SIGHUP unless it is ignored
    sigset_t awaited_{};
    const pthread_t main_ = pthread_self();
    std::atomic<bool> woken_{false};
};

// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include <atomic>
#include <chrono>
#include <csignal>
#include <optional>
#include <pthread.h>

/// What the main thread waits for. Make it there, before any other thread: the signals must be
/// blocked in every thread, or they would end the process, and a thread inherits what is blocked.
class Signals {
  public:
    enum class Reason { Interrupt, HangUp, Woken, Deadline };

    /// SIGHUP is left alone where it is ignored: nohup is meant to keep it away.
    Signals();

    /// Returns on SIGINT or SIGTERM (Interrupt), on SIGHUP, after wakeMain(), or when the deadline
    /// has come.
    Reason wait(std::optional<std::chrono::steady_clock::time_point> deadline = {});

    /// Ends the wait(), or the next one. For any thread.
    void wakeMain();

    /// From now on SIGINT, SIGTERM and SIGHUP end the process, even one that was started to ignore
    /// them, and wait() does not wait for them.
    void restore();

  private:
    sigset_t ending_{};  ///< SIGINT, SIGTERM, and SIGHUP unless that is ignored
    sigset_t awaited_{};
    const pthread_t main_ = pthread_self();
    std::atomic<bool> woken_{false};
};

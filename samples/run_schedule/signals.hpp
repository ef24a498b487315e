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
    enum class Reason { Signal, Woken, Deadline };

    Signals();

    /// Returns on SIGINT or SIGTERM, after wakeMain(), or when the deadline has come.
    Reason wait(std::optional<std::chrono::steady_clock::time_point> deadline) const;

    /// Ends wait(). For any thread.
    void wakeMain();

    /// From now on SIGINT and SIGTERM end the process, even one that was started to ignore them.
    static void restore();

  private:
    sigset_t set_{};
    const pthread_t main_ = pthread_self();
    std::atomic<bool> woken_{false};
};

// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include <atomic>
#include <chrono>
#include <csignal>
#include <optional>
#include <pthread.h>

/// Blocks the signals that Signals waits for, so that none is lost or ends the process before there
/// is one: the first statement of the program.
void blockSignals();

/// Undoes it, for a program that has no use for Signals.
void unblockSignals();

/// While it lives, a signal that would end the schedule ends the program, with exit status 0: there
/// is no schedule yet, and what the main thread waits for may never come. To be constructed after
/// blockSignals(), and before any other thread starts.
class EndOnSignal {
  public:
    /// \param wantsHangUp SIGHUP does not end the schedule
    explicit EndOnSignal(bool wantsHangUp);
    EndOnSignal(const EndOnSignal&) = delete;
    EndOnSignal& operator=(const EndOnSignal&) = delete;
    ~EndOnSignal();

  private:
    sigset_t ending_{};
};

/// The signals and events for which the main thread waits. Construct it in the main thread before
/// any other thread starts: the signals must be blocked in every thread, or they would end the
/// process, and a new thread inherits the blocked signals.
class Signals {
  public:
    enum class Reason { Interrupt, HangUp, Reload, Woken, Deadline };

    /// Leaves SIGHUP alone if it is ignored, as under nohup, unless it is wanted.
    /// \param wantsHangUp SIGHUP asks for a reload, as SIGUSR2 does
    explicit Signals(bool wantsHangUp = false);

    /// Returns on SIGINT, SIGTERM or SIGQUIT (Interrupt), on SIGHUP, on SIGUSR2 (Reload), after
    /// wakeMain(), or at the deadline.
    Reason wait(std::optional<std::chrono::steady_clock::time_point> deadline = {});

    /// Ends the current wait(), or the next one. Any thread may call this.
    void wakeMain();

    /// From now on SIGINT, SIGTERM, SIGQUIT and, unless it is ignored, SIGHUP end the process, and
    /// wait() no longer waits for them. All but SIGHUP do so even if they were ignored at the
    /// start.
    void restore();

  private:
    sigset_t ending_{};  ///< SIGINT, SIGTERM and SIGQUIT, and SIGHUP unless it is ignored
    sigset_t awaited_{};
    const Reason onHangUp_;
    const pthread_t main_ = pthread_self();
    std::atomic<bool> woken_{false};
};

// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include <jtimer/timer.hpp>

#include <future>
#include <mutex>
#include <string>

/// Tells whether the thread of a timer runs tasks. Any thread may call it.
class Pulse {
  public:
    /// Schedules a task that is due now, unless that of an earlier call still waits.
    /// \returns why the thread has not run it within a second; empty: it has
    std::string ailment(jtimer::Timer& timer);

  private:
    std::shared_future<void> nextRun(jtimer::Timer& timer);

    std::mutex mutex_;
    std::shared_future<void> run_;  ///< of the last task; guarded by mutex_
};

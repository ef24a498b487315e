// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include <jtimer/detail/saturating.hpp>
#include <jtimer/timer_options.hpp>

#include <chrono>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <string>

namespace jtimer::detail {

/// A run that has ended by an exception, as reports name it.
struct FailedRun {
    std::string taskName;
    std::weak_ptr<TimerTask> dropped;
    std::shared_ptr<TimerTask> task;
    std::uint64_t number = 0;
};

/// Tells the user's handlers, or else std::cerr, what has gone wrong on a timer: failed runs, slow
/// runs, and a destructor that waits too long.
///
/// To be called with no lock held: the handlers are the user's. What a handler throws is printed,
/// and changes nothing else. No report needs memory. failed() and slow() are for the timer's own
/// thread, hangs() is for the thread that destroys the timer.
class RunReports {
  public:
    struct Handlers {
        UncaughtExceptionHandler uncaught;
        std::function<void(const TaskException&)> taskException;
        std::function<void(const TimerTask&, std::chrono::nanoseconds)> slowTask;
    };

    /// Both must outlive this object.
    RunReports(const std::string& timerName, const Handlers& handlers);

    /// Whether failed() is to be given the task, and not only its name.
    bool nameTask() const noexcept { return static_cast<bool>(handlers_.taskException); }

    void failed(const std::exception_ptr& exception, const FailedRun& run);
    void slow(const TimerTask& task, Nanos duration) const;

    /// The destructor has waited for five seconds.
    /// \param task its name, empty if it has none
    void hangs(const std::string& task, const char* event, const char* advice) const noexcept;

  private:
    void printSlow(const TimerTask& task, Nanos duration) const;

    const std::string& timerName_;
    const Handlers& handlers_;
    /// The timer's name for the next TaskException: a copy made then could fail.
    std::string nameToTell_;
};

}  // namespace jtimer::detail

// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "thread/uncaught_exception.hpp"

#include <jtimer/detail/saturating.hpp>
#include <jtimer/jdk/timer_options.hpp>

#include <cstdint>
#include <exception>
#include <memory>
#include <string>
#include <string_view>

namespace jtimer::detail {

/// What reports say about a run that has ended with an exception.
struct FailedRun {
    std::string taskName;
    std::weak_ptr<TimerTask> dropped;
    std::shared_ptr<TimerTask> task;
    std::uint64_t number = 0;
};

/// Reports problems of a timer to the user's handlers, or else to std::cerr: failed runs and slow
/// runs.
///
/// Call it without holding a lock, because the handlers are user code. What a handler throws is
/// printed, and has no other effect. No report needs memory. The timer's own thread calls failed()
/// and slow().
class RunReports {
  public:
    /// Both must outlive this object.
    RunReports(const Reporter& reporter, const TimerOptions& options);

    /// Whether failed() needs the task, and not only its name.
    bool needsTask() const noexcept { return static_cast<bool>(options_.taskExceptionHandler); }

    void failed(const std::exception_ptr& exception, const FailedRun& run);
    void slow(const TimerTask& task, Nanos duration) const;

  private:
    void printSlow(const TimerTask& task, Nanos duration) const;

    const Reporter& reporter_;
    const TimerOptions& options_;
    /// The timer's name for the next TaskException, copied in advance because a copy can fail.
    std::string nameToTell_;
};

}  // namespace jtimer::detail

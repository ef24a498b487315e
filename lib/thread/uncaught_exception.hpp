// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "sync/exception_of.hpp"
#include "sync/wait_report.hpp"

#include <jtimer/uncaught_exception_handler.hpp>

#include <atomic>
#include <cstdint>
#include <exception>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

namespace jtimer::detail {

// None of these needs memory: the exceptions that they report may be due to a lack of it.

/// Reports exceptions of a timer's user code. Must outlive a report, which may destroy the timer.
class Reporter : public TimerTitle {
  public:
    Reporter(const char* of, std::string timerName, UncaughtExceptionHandler handler)
        : TimerTitle(of, std::move(timerName)), handler_(std::move(handler)) {}

    /// Hands `exception` to the handler, or else to the default of the process, as
    /// UncaughtExceptionHandler says.
    /// \param taskName the task that threw it, for std::cerr; empty: no task, or one without a name
    /// \returns the exception that the handler has thrown, if any
    std::exception_ptr report(const std::exception_ptr& exception,
                              std::string_view taskName = {}) const;

    /// Counts a failed run, and then reports the exception that has ended it.
    std::exception_ptr reportRun(const std::exception_ptr& exception) const {
        countFailedRun();
        return report(exception);
    }
    void countFailedRun() const noexcept { failedRuns_.fetch_add(1, std::memory_order_relaxed); }
    std::uint64_t failedRuns() const noexcept {
        return failedRuns_.load(std::memory_order_relaxed);
    }

  private:
    const UncaughtExceptionHandler handler_;
    mutable std::atomic<std::uint64_t> failedRuns_{0};
};

/// Prints a line of these pieces, and a newline, to std::cerr: in one piece if it has up to 1023
/// bytes, or if there is memory for it. Exceptions from this are ignored, as they cannot be
/// reported. Still not noexcept: pthread_cancel may end the thread in it.
void printLine(std::initializer_list<std::string_view> pieces);

/// Prints `Exception in thread "NAME" in WHERE TYPE: WHAT`, as printLine() does. If malloc has no
/// memory to decode TYPE, it is printed as the compiler encodes it.
void printException(std::string_view timerName, std::string_view where,
                    const std::exception_ptr& exception);

}  // namespace jtimer::detail

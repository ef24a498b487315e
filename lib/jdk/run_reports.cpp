// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "jdk/run_reports.hpp"

#include "jdk/task_names.hpp"

#include <array>
#include <chrono>
#include <cinttypes>
#include <cstddef>
#include <cstdio>
#include <utility>

namespace jtimer::detail {

RunReports::RunReports(const Reporter& reporter, const TimerOptions& options)
    : reporter_(reporter), options_(options),
      nameToTell_(options_.taskExceptionHandler ? reporter_.name : std::string()) {}

void RunReports::failed(const std::exception_ptr& exception, const FailedRun& run) {
    if (run.task == nullptr || !options_.taskExceptionHandler) {
        const auto thrown = reporter_.report(exception, run.taskName);
        if (thrown != nullptr) printException(reporter_.name, "uncaughtExceptionHandler", thrown);
        return;
    }
    TaskException told{std::move(nameToTell_), run.task, run.number, exception};
    const auto thrown = exceptionOf([&] { options_.taskExceptionHandler(told); });
    nameToTell_ = std::move(told.timerName);
    if (thrown != nullptr) printException(reporter_.name, "taskExceptionHandler", thrown);
}

void RunReports::slow(const TimerTask& task, Nanos duration) const {
    const auto thrown = exceptionOf([&] {
        if (options_.onSlowTask) {
            options_.onSlowTask(task, std::chrono::nanoseconds(duration));
        } else {
            printSlow(task, duration);
        }
    });
    if (thrown != nullptr) printException(reporter_.name, "onSlowTask", thrown);
}

void RunReports::printSlow(const TimerTask& task, Nanos duration) const {
    const std::string name = TaskNames::forReport(&task);
    const TaskNames::InSentence it = TaskNames::inSentence(name);
    std::array<char, 32> millis;  // 64 bits of nanoseconds make at most 13 digits of milliseconds
    const int length =
        std::snprintf(millis.data(), millis.size(), "%" PRId64 ".%03d", duration / kNanosPerMilli,
                      static_cast<int>(duration / 1000 % 1000));
    printLine({"Timer \"",
               reporter_.name,
               "\": ",
               it.before,
               it.name,
               it.after,
               " took ",
               {millis.data(), static_cast<std::size_t>(length)},
               " ms."});
}

}  // namespace jtimer::detail

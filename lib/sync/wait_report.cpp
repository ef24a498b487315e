// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "sync/wait_report.hpp"

#include "sync/exception_of.hpp"
#include "sync/never_destroyed.hpp"
#include "sync/process_handler.hpp"

#include <jtimer/time.hpp>
#include <jtimer/wait_report.hpp>

#include <iostream>
#include <sstream>

namespace jtimer::detail {

namespace {

/// The timer on whose thread this is, or null.
thread_local const TimerTitle* timerOfThisThread = nullptr;

ProcessHandler<WaitReportHandler>& theHandler() noexcept {
    static NeverDestroyed<ProcessHandler<WaitReportHandler>> handler;
    return handler.get();
}

}  // namespace

std::string TimerTitle::text() const { return std::string(room) + " \"" + name + '"'; }

OnThreadOf::OnThreadOf(const TimerTitle& timer) noexcept { timerOfThisThread = &timer; }

OnThreadOf::~OnThreadOf() { timerOfThisThread = nullptr; }

std::chrono::milliseconds WaitReport::step{1000};

void WaitReport::make() {
    exceptionOf([this] {
        if (isMade_) return;
        std::string report = text();
        isMade_ = !report.empty();
        if (!isMade_) return;
        if (const auto handler = theHandler().get()) return (*handler)(report);
        report += '\n';
        std::cerr.write(report.data(), static_cast<std::streamsize>(report.size())).flush();
    });
}

std::string WaitReport::sentence(const TimerTitle* timer, std::string_view call,
                                 std::string_view rest) {
    std::string report = timer == nullptr ? "ManualClock" : timer->text();
    report.append(": ").append(call).append(" has waited five seconds").append(rest);
    if (timerOfThisThread != nullptr && timerOfThisThread != timer) {
        report +=
            " This thread is running a task of " + timerOfThisThread->text() + ", which waits too.";
    }
    return report;
}

std::string WaitReport::forRun(std::string_view what) {
    std::string rest = " for ";
    return rest.append(what).append(" to end its run. ").append(kAdviceOfRun);
}

std::string RunReport::text() {
    constexpr const char* ofExecutor =
        " for its executor to end a run. The executor may have no free thread, or have kept the "
        "function uncalled.";
    return sentence(&timer_, call_, onExecutor_ ? ofExecutor : forRun("a task"));
}

std::string WaitReport::textOfTime(Nanos time) {
    std::ostringstream text;
    text << When(toDate<Date>(time));
    return text.str();
}

}  // namespace jtimer::detail

namespace jtimer {

void setWaitReportHandler(WaitReportHandler handler) {
    detail::theHandler().set(std::move(handler));
}

}  // namespace jtimer

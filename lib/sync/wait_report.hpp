// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include <jtimer/detail/saturating.hpp>

#include <chrono>
#include <string>
#include <string_view>
#include <utility>

namespace jtimer::detail {

/// What a report calls a timer: `ROOM "NAME"`.
struct TimerTitle {
    TimerTitle(const char* of, std::string timerName) : room(of), name(std::move(timerName)) {}

    std::string text() const;

    const char* const room;  ///< the name of the class
    const std::string name;
};

/// While it exists, the calling thread is that of a timer, or one of its threads.
class OnThreadOf {
  public:
    /// \param timer must outlive this object
    explicit OnThreadOf(const TimerTitle& timer) noexcept;
    OnThreadOf(const OnThreadOf&) = delete;
    OnThreadOf& operator=(const OnThreadOf&) = delete;
    ~OnThreadOf();
};

/// The report of one call that may never return: see jtimer/wait_report.hpp. If the call waits
/// several times, its waits share it. They are made by waitOrReport() and waitReported(). It needs
/// no memory until it is made.
class WaitReport {
  public:
    /// A second; tests make it shorter, while nothing waits.
    static std::chrono::milliseconds step;
    /// How many steps a wait has lasted when it is reported.
    static constexpr int kSteps = 5;

    WaitReport(const WaitReport&) = delete;
    WaitReport& operator=(const WaitReport&) = delete;

    /// Makes the report, if there is one and it has not been made. Called on the thread that waits,
    /// with no lock held, as it calls the user's handler. Without memory for the text there is no
    /// report.
    void make();
    /// Whether there is nothing more to report.
    bool isMade() const noexcept { return isMade_; }

    // The text.

    /// `ROOM "NAME": CALL has waited five seconds` and then `rest`, which ends with advice. If the
    /// calling thread is inside a run of another timer, it says so in the end.
    /// \param timer that the call belongs to; null: a ManualClock
    static std::string sentence(const TimerTitle* timer, std::string_view call,
                                std::string_view rest);

    /// What follows that, for a run that has not ended. \param what which task's
    static std::string forRun(std::string_view what);

    /// The advice for a run that has not ended.
    static constexpr std::string_view kAdviceOfRun =
        "The run may be waiting for a lock that this thread holds, or for this thread.";

    /// A time on a timer's clock, in UTC.
    static std::string textOfTime(Nanos time);

  protected:
    /// \param isWanted if not, the wait is one without steps and without a report
    explicit WaitReport(bool isWanted = true) noexcept : isMade_(!isWanted) {}
    ~WaitReport() = default;

  private:
    /// Called when the wait has lasted for that long, as make() is. \returns nothing if there is
    /// nothing to report after all
    virtual std::string text() = 0;

    bool isMade_;
};

/// A WaitReport with the text that a function returns.
template <class Text>
class WaitReportOf final : public WaitReport {
  public:
    explicit WaitReportOf(Text text) : text_(std::move(text)) {}

  private:
    std::string text() override { return text_(); }

    Text text_;
};

/// For a run that has not ended, where reports do not name tasks.
class RunReport final : public WaitReport {
  public:
    /// \param timer must outlive the report
    /// \param onExecutor an executor has been given the run, or is being called
    RunReport(const TimerTitle& timer, const char* call, bool onExecutor = false) noexcept
        : timer_(timer), call_(call), onExecutor_(onExecutor) {}

  private:
    std::string text() override;

    const TimerTitle& timer_;
    const char* const call_;
    const bool onExecutor_;
};

}  // namespace jtimer::detail

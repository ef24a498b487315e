// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include <jtimer/timer.hpp>

#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <string>

namespace test {

/// When every manual clock of the tests starts: in 2001, so that a 0 or a real time is told from
/// it.
inline constexpr jtimer::Date kStart{std::chrono::milliseconds(1'000'000'000'000)};
inline constexpr std::int64_t kStartMillis = 1'000'000'000'000;

/// The Date `millis` milliseconds after kStart; before it, if negative.
inline jtimer::Date at(std::int64_t millis) { return kStart + std::chrono::milliseconds(millis); }

inline jtimer::TimerOptions onClock(std::shared_ptr<jtimer::Clock> clock, bool daemon = true) {
    jtimer::TimerOptions options;
    options.name = "test";
    options.daemon = daemon;
    options.clock = std::move(clock);
    return options;
}

/// Makes options for a timer that an exception is going to end: nobody is told.
inline jtimer::TimerOptions silentOnDeath(std::shared_ptr<jtimer::Clock> clock, bool daemon) {
    jtimer::TimerOptions options = onClock(std::move(clock), daemon);
    options.uncaughtExceptionHandler = [](const std::string&, const std::exception_ptr&) {};
    return options;
}

/// A daemon timer on a manual clock of its own. As a base class of a test suite's fixture, it gives
/// each case `clock` and `timer`.
struct ManualTimer {
    const std::shared_ptr<jtimer::ManualClock> clock =
        std::make_shared<jtimer::ManualClock>(kStart);
    jtimer::Timer timer{onClock(clock)};

    /// Milliseconds from kStart to now.
    std::int64_t now() const { return clock->nanos() / 1'000'000 - kStartMillis; }

    /// When `task` was scheduled for, in milliseconds from kStart.
    static std::int64_t scheduled(const jtimer::TimerTask& task) {
        return task.scheduledExecutionTime() - kStartMillis;
    }
};

/// Writes down which task ran when: log.take() == "a@10 b@20". Tasks of one timer may share it; it
/// is read when the clock has been moved and nothing runs.
class Log {
  public:
    explicit Log(std::shared_ptr<jtimer::ManualClock> clock) : clock_(std::move(clock)) {}

    void write(const std::string& name) {
        const std::int64_t millis = clock_->nanos() / 1'000'000 - kStartMillis;
        text_ += (text_.empty() ? "" : " ") + name + '@' + std::to_string(millis);
    }

    /// A callable that writes `name`.
    auto entry(std::string name) {
        return [this, name = std::move(name)] { write(name); };
    }

    /// What has been written since the last call.
    std::string take() { return std::exchange(text_, {}); }

  private:
    const std::shared_ptr<jtimer::ManualClock> clock_;
    std::string text_;
};

/// A manual clock and a log on it; as a base class of a test suite's fixture, it gives each case
/// `clock` and `log`.
struct LoggedClock {
    const std::shared_ptr<jtimer::ManualClock> clock =
        std::make_shared<jtimer::ManualClock>(kStart);
    Log log{clock};
};

/// A task of a class of its own, for tests that need the task before it is scheduled.
class FunctionTask : public jtimer::TimerTask {
  public:
    explicit FunctionTask(std::function<void()> function = [] {})
        : function_(std::move(function)) {}
    void run() override { function_(); }

  private:
    const std::function<void()> function_;
};

inline std::shared_ptr<FunctionTask> makeTask(std::function<void()> function = [] {}) {
    return std::make_shared<FunctionTask>(std::move(function));
}

}  // namespace test

// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "report.hpp"
#include "schedule_file.hpp"

#include <jtimer/clock.hpp>
#include <jtimer/timer.hpp>

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

/// Plays a schedule on one Timer, on whatever clock: for real, or in the time of a ManualClock.
class Player {
  public:
    /// Does what an entry says, on the timer's thread. \returns whether it went well
    using Action = std::function<bool(const Entry&)>;

    Player(std::vector<Entry> entries, std::shared_ptr<jtimer::Clock> clock, Action action);
    ~Player();

    /// Starts the schedule at the present time of the clock.
    /// \param whenAllHaveRun called on the timer's thread when no run is left, if that ever happens
    void start(std::function<void()> whenAllHaveRun = [] {});

    /// Whether any entry repeats, so that the schedule never ends by itself.
    bool repeats() const;

    /// Cancels the whole timer. The running command, if there is one, goes on.
    void cancel();

    /// What is running now, or null.
    const Entry* running() const { return running_; }

    /// Cancels, and waits for the running command.
    void finish();

    /// After finish().
    std::vector<Printer::Row> rows() const;

  private:
    class Task;

    void scheduleAll(jtimer::Date start);
    void ended();

    const std::vector<Entry> entries_;
    const std::shared_ptr<jtimer::Clock> clock_;
    const Action action_;
    std::function<void()> whenAllHaveRun_;

    /// Written on the timer's thread, and read when that has ended.
    std::vector<Statistics> statistics_;
    std::size_t oneShotsLeft_ = 0;
    std::atomic<const Entry*> running_{nullptr};

    std::optional<jtimer::Timer>
        timer_;  // last: its destructor waits for tasks, which use the rest
};

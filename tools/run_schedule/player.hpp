// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "report.hpp"
#include "schedule_file.hpp"

#include <jtimer/clock.hpp>
#include <jtimer/timer.hpp>

#include <atomic>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

/// The clocks of a schedule: real ones, or one ManualClock for both.
struct Clocks {
    /// The timer's clock, for all durations. It is never set.
    std::shared_ptr<jtimer::Clock> steady;
    /// The clock of `at`. It may be set back or forward at any time.
    std::shared_ptr<const jtimer::Clock> wall;
};

/// Plays a schedule on one Timer.
///
/// The timer runs on the steady clock, so that setting the wall clock neither stops `after`,
/// `every` and `rate` nor makes them catch up. One task serves all `at` entries: it looks at the
/// wall clock, once a second if the two clocks differ, and schedules what is due. A second timer on
/// the wall clock was rejected: two commands would run at the same time, and a thread that is
/// already waiting does not notice that its clock has been set forward.
class Player {
  public:
    /// Executes an entry, on the timer's thread. \returns whether it succeeded
    using Action = std::function<bool(const Entry&)>;

    Player(std::vector<Entry> entries, Clocks clocks, Action action);
    ~Player();

    /// Starts the schedule now.
    /// \param whenAllHaveRun called on the timer's thread when no run is left, if that ever
    ///   happens, or when an exception has left the action, after which nothing more runs
    void start(std::function<void()> whenAllHaveRun = [] {});

    /// Whether any entry repeats, so that the schedule never ends by itself.
    bool repeats() const;

    /// Cancels the whole timer. The running command, if there is one, continues.
    void cancel();

    /// The entry that is running now, or null.
    const Entry* running() const { return running_; }

    /// Cancels, and waits for the running command.
    /// \throws the exception that left the action, if there was one
    void finish();

    /// Call it after finish(). The rows refer to this object.
    std::vector<Printer::Row> rows() const;

    /// Call it after finish(). The numbers include this object's own tasks: the start, and each
    /// look at the wall clock.
    const jtimer::TimerStats& stats() const { return stats_; }

  private:
    class Task;

    jtimer::TimerOptions timerOptions();
    void scheduleAll(jtimer::Date start);
    void scheduleByWallClock();
    void ended();

    const std::vector<Entry> entries_;
    const Clocks clocks_;
    const Action action_;
    std::function<void()> whenAllHaveRun_;

    /// Written by the timer's thread, and read after that thread has ended.
    std::vector<Statistics> statistics_;
    std::exception_ptr exception_;
    std::size_t oneShotsLeft_ = 0;
    jtimer::TimerStats stats_;
    std::vector<std::size_t> byWallClock_;  ///< entries still to come, the next one last
    std::atomic<const Entry*> running_{nullptr};

    std::optional<jtimer::Timer>
        timer_;  // last: its destructor waits for tasks, which use the other members
};

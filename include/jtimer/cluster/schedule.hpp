// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include <jtimer/detail/compiler.hpp>
#include <jtimer/missed_runs.hpp>
#include <jtimer/time.hpp>

#include <cstdint>
#include <string>
#include <utility>

namespace jtimer::cluster {

namespace detail {
class Store;

enum class Kind : std::int16_t { Once, FixedRate, FixedDelay, Cron };

/// How a task goes on after a run.
struct Recurrence {
    Kind kind = Kind::Once;
    std::int64_t period = 0;  ///< of a fixed rate, or the delay, in microseconds
    MissedRuns missedRuns = MissedRuns::Once;
    std::string expression, zone;  ///< of a cron task

    bool repeats() const noexcept { return kind != Kind::Once; }
};
}  // namespace detail

/// When a task runs: once or repeatedly. A value. Times are kept in microseconds, rounded up. A
/// delay counts from the time when the server receives the task, by its clock.
class Schedule {
  public:
    /// A one-shot. \throws IllegalArgumentException "Negative delay."
    JTIMER_API static Schedule once(When when);

    /// At `first` and every `period` after it, exactly, whatever a run takes. The runs of one task
    /// never overlap.
    /// \param period below 1 ms, it is 1 ms
    /// \param missedRuns what happens to runs that came due while the task was running, or while no
    ///   node could run it. It is decided when a run ends.
    /// \throws IllegalArgumentException "Negative delay.", "Non-positive period."
    JTIMER_API static Schedule fixedRate(When first, TimeSpan period,
                                         MissedRuns missedRuns = MissedRuns::Once);

    /// At `first`, and again `delay` after the end of each run.
    /// \param delay below 1 ms, it is 1 ms
    /// \throws IllegalArgumentException "Negative delay.", "Non-positive period."
    JTIMER_API static Schedule fixedDelay(When first, TimeSpan delay);

    /// At the local times that match a cron expression: minute, hour, day of month, month, day of
    /// week, as in cron(5), with `*`, lists, ranges, steps, and English names of three letters. If
    /// both day fields are restricted, either may match. 0 and 7 are Sunday.
    ///
    /// Around a change of the clocks it is due when a jtimer::Cron is: a local time that is skipped
    /// when summer time begins is due that much later, 02:30 at 03:30, and one that occurs twice
    /// when it ends is due once, the second time. But if the minute or hour field begins with `*`,
    /// it is due at each instant whose local time matches.
    /// \param zone a name in the server's view pg_timezone_names, such as "Europe/Berlin". The
    ///   server knows its rules; scheduling the task throws IllegalArgumentException "Unknown time
    ///   zone: NAME" if it does not know the name.
    /// \throws IllegalArgumentException if the expression is malformed, or never due
    JTIMER_API static Schedule cron(std::string expression, std::string zone = "UTC",
                                    MissedRuns missedRuns = MissedRuns::Once);

  private:
    friend class Scheduler;
    friend class detail::Store;
    Schedule(When first, detail::Recurrence&& recurrence) noexcept
        : first_(first), recurrence_(std::move(recurrence)) {}

    When first_;  ///< not of a cron task
    detail::Recurrence recurrence_;
};

/// What scheduling a task does if there is one with its name and id already.
enum class IfExists {
    /// Nothing.
    Keep,
    /// Nothing, unless the given task repeats and differs in kind, period, expression, time zone or
    /// treatment of missed runs. Then these are replaced, and the task is next due as the new
    /// Schedule says. Its payload stays, and a run in progress goes on. So each copy of a program
    /// may schedule its repeating tasks when it starts.
    Update,
    /// Replaces the task by the new one, as Scheduler::cancel and schedule do.
    Replace
};

/// A task to be scheduled.
struct NewTask {
    std::string name;          ///< which handler runs it: 1 to 200 bytes of UTF-8 without NUL
    std::string id;            ///< the same; name and id together identify the task
    Schedule schedule;         ///< when it runs
    std::string payload = {};  ///< for the handler: any bytes, at most 1 MiB
    IfExists ifExists = IfExists::Update;  ///< if there is a task with this name and id
};

}  // namespace jtimer::cluster

// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "dispatcher.hpp"
#include "entry.hpp"
#include "event.hpp"
#include "state_file.hpp"

#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

/// That an entry does not run, because its time was before the start.
std::string skippedAsPast(const Entry& entry, jtimer::Date when);

/// That a run does not begin, because it is later than its entry allows.
Event skippedAsLate(const Due& due, jtimer::Date now);

/// Plays a schedule: decides what runs when. A Player does so alone, a ClusterPlayer together with
/// the other copies of a schedule.
class SchedulePlayer {
  public:
    /// To be called once, by any thread, when the command has ended.
    using Done = std::function<void(bool succeeded)>;

    /// What a player has others do; any thread of its own calls it.
    struct Actions {
        std::function<void(const Job&, Done)> launch;  ///< starts a command
        std::function<void(const std::string& name, int signal)> signal = [](auto&, int) {};
        /// A run has been skipped, or is in progress when the next one is due.
        std::function<void(const Event&)> tell = [](auto&) {};
        std::function<void(Level, const std::string& notice)> notify = [](Level, auto&) {};
        /// A run has failed, with all its retries.
        std::function<void(const Job&)> failed = [](auto&) {};
        /// What an earlier process knew of an entry.
        std::function<std::optional<StateFile::Past>(const Entry&)> recall = [](auto&) {
            return std::nullopt;
        };
    };

    virtual ~SchedulePlayer() = default;

    /// Schedules all entries. To be called once.
    /// \param whenAllHaveRun is called when nothing is left to run, or when an exception has ended
    ///   the schedule
    virtual void start(std::vector<Entry> entries, std::function<void()> whenAllHaveRun) = 0;

    /// How many tasks a new schedule has added, changed and removed.
    struct Changes {
        int added = 0, changed = 0, removed = 0;
    };

    /// Changes the schedule to these entries. One with the same name and rule keeps its place, and
    /// its options and command change at its next run; another one begins as at the start. What is
    /// running continues.
    /// \param whenChanged is called by a thread of the player
    virtual void replace(std::vector<Entry> entries,
                         std::function<void(const Changes&)> whenChanged) = 0;

    /// Begins no more commands. Any thread may call this.
    virtual void cancel() = 0;

    /// Waits until no command will start. To be called after cancel().
    virtual void awaitEnd() = 0;

    /// The names of the tasks whose runs have begun, and whose ends are not recorded yet, in a
    /// cluster. Any thread may call this.
    virtual std::vector<std::string> unrecorded() const { return {}; }

    /// Why the schedule does not go on; empty if it does: a thread that begins commands runs a task
    /// that is scheduled now within a second and, in a cluster, the database has answered within
    /// the lease. Any thread may call this, before awaitEnd().
    virtual std::string ailment() = 0;

    /// Whether the database answered when it was last asked; nothing without a cluster. Any thread
    /// may call this.
    virtual std::optional<bool> databaseUp() const { return std::nullopt; }

    /// To be called after awaitEnd(), when no command is running. Rethrows the exception out of an
    /// action, if there was one.
    virtual void finish() = 0;

    /// Lets finish() throw this, and ends the schedule. Any thread may call this.
    virtual void fail(std::exception_ptr exception) = 0;
};

using EntriesByName = std::map<std::string, std::shared_ptr<const Entry>>;

/// What people would say of two schedules: a line of the same name is changed if its rule, its
/// options or its command is another one.
SchedulePlayer::Changes changesBetween(const EntriesByName& before, const EntriesByName& after);

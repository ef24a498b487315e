// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "dispatcher.hpp"

#include <jtimer/stats.hpp>
#include <jtimer/time.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

/// What is known of a task. A run is one that was due; its retries belong to it.
struct Record {
    std::string name;
    jtimer::LatenessHistogram lateness;  ///< of the runs
    std::chrono::nanoseconds latenessSum{0};
    std::int64_t failures = 0;  ///< runs that have failed, with all their retries
    std::int64_t retries = 0;
    std::int64_t skipped = 0;   ///< runs that were due and did not begin
    std::int64_t overruns = 0;  ///< runs that were in progress when the next one was due
    std::int64_t timeouts = 0;  ///< commands that took too long

    std::int64_t commands = 0;                ///< that have ended, retries included
    std::chrono::nanoseconds commandTime{0};  ///< how long they took together

    std::optional<jtimer::Date> next;          ///< when it is due next, by the wall clock
    std::optional<jtimer::Date> runningSince;  ///< of the command that runs
    std::optional<jtimer::Date> lastSuccess;   ///< when a command last succeeded
    std::optional<jtimer::Date> lastFailure;   ///< when one last failed
    bool inProgress = false;                   ///< a run is: its command runs or waits for a retry
    bool hasFailed = false;                    ///< the last command has
    bool isDead = false;  ///< given up in the cluster: it does not run until it is revived
};

/// Accounts for the runs of all tasks. Any thread may call any function; none of them blocks for
/// longer than it takes to write numbers down.
class Ledger {
  public:
    /// Lists a task, after those that are listed. The other functions know listed tasks only.
    void add(const std::string& name);

    void isDue(const std::string& name, std::optional<jtimer::Date> next);
    void isDead(const std::string& name, bool dead);
    void runBegun(const Job& job);
    void runEnded(const std::string& name, bool succeeded);
    void runSkipped(const std::string& name);
    void runOverran(const std::string& name);

    void commandBegun(const std::string& name, jtimer::Date now);
    void commandTimedOut(const std::string& name);
    void commandEnded(const std::string& name, jtimer::Date now, std::chrono::nanoseconds took,
                      bool succeeded);

    /// The records of all tasks, in the order in which they were listed.
    std::vector<Record> records() const;

    /// Whether a run has failed, now or, if its task is dead, earlier.
    bool hasFailures() const;

    /// Changes with each change of a record.
    std::uint64_t version() const;

  private:
    template <class Change>
    void change(const std::string& name, Change change);

    mutable std::mutex mutex_;
    // Guarded by mutex_:
    std::vector<Record> records_;
    std::map<std::string, std::size_t> indexes_;
    std::uint64_t version_ = 0;
};

// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "command.hpp"
#include "dispatcher.hpp"
#include "job_command.hpp"
#include "ledger.hpp"
#include "report.hpp"

#include <jtimer/clock.hpp>

#include <chrono>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

class Trace;

/// Runs the commands of tasks, and accounts for them to the ledger, the report and the trace. It
/// does not know why a command is to run now. Any thread may call any function.
class Commands {
  public:
    /// \param trace may be null
    /// \param node this copy's name in a cluster
    /// \param grace of a command that takes too long
    Commands(Ledger& ledger, Report& report, Trace* trace, std::string node,
             std::chrono::milliseconds grace)
        : ledger_(ledger), report_(report), trace_(trace), node_(std::move(node)), grace_(grace) {}

    /// Runs a command of a task that the ledger lists, and returns when it has ended. No other
    /// command of that name may run.
    /// \returns whether it has succeeded
    bool run(const Job& job);

    /// Runs the command of --on-failure, after a run of that job has failed, for at most a minute.
    /// \returns how it failed; empty if it succeeded
    std::string runHook(const std::string& script, const Job& job);

    /// Sends a signal to the process group of the command of that name, if it runs.
    void end(const std::string& name, int signal);

    /// Sends a signal to the process groups of all commands, and of those that start later: of
    /// hooks only SIGKILL, as they come when other commands have ended by SIGTERM.
    void endAll(int signal);

    /// The names of the tasks whose commands run, in the order of their starts.
    std::vector<std::string> running();

  private:
    using Running = std::pair<std::string, std::shared_ptr<CommandRunner>>;

    Ending run(const Command& command, const Limit& limit, const std::string& task, bool isHook,
               std::string& output);
    std::shared_ptr<CommandRunner> add(const std::string& name, bool isHook);
    void remove(const std::shared_ptr<CommandRunner>& runner);

    Ledger& ledger_;
    Report& report_;
    Trace* const trace_;
    const std::string node_;
    const std::chrono::milliseconds grace_;
    const jtimer::WallClock wallClock_;
    const jtimer::SteadyClock steadyClock_;

    std::mutex mutex_;
    // Guarded by mutex_:
    std::vector<Running> running_;
    int signal_ = 0;                               ///< the last one passed to endAll(), or 0
    std::map<std::string, FailedCommand> failed_;  ///< the last command of each name that has
};

// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "commands.hpp"
#include "options.hpp"
#include "report.hpp"
#include "schedule_player.hpp"
#include "state_file.hpp"

#include <exception>
#include <functional>
#include <future>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

class Trace;

/// Does what a player needs done: runs commands and hooks, each on a thread of its own, keeps when
/// runs begin, and tells the report and the trace what has become of them. Any thread may call any
/// function, unless it says otherwise.
class Runs {
  public:
    /// \param trace may be null
    Runs(const Options& options, Commands& commands, Report& report, Trace* trace)
        : options_(options), commands_(commands), report_(report), trace_(trace) {}

    /// For the player.
    /// \param stop is called when the schedule is to end because a run has failed
    /// \param fail receives the exception of a run
    SchedulePlayer::Actions actions(std::function<void()> stop,
                                    std::function<void(std::exception_ptr)> fail);

    /// Opens the file of --state, if the options name one. To be called before the player starts.
    /// \throws std::invalid_argument if that is impossible
    void openState(const std::vector<Entry>& entries);

    /// The entries are other ones now.
    void update(const std::vector<Entry>& entries);

    /// Whether the file of --state lacks something.
    bool stateHasFailed() const { return state_ && state_->hasFailed(); }

    /// Waits for all commands and hooks that have been started. No other may start meanwhile.
    void awaitAll() { threads_.clear(); }

  private:
    void launch(const Job& job, const SchedulePlayer::Done& done,
                const std::function<void(std::exception_ptr)>& fail);
    void runHook(const Job& job);
    void tell(const Event& event);
    template <class Run>
    bool start(const Run& run, std::string& failure);

    const Options& options_;
    Commands& commands_;
    Report& report_;
    Trace* const trace_;
    std::optional<StateFile> state_;
    std::mutex mutex_;
    /// Guarded by mutex_ until none will start. Destroying one waits until it has ended.
    std::vector<std::future<void>> threads_;
};

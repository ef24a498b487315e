// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "../ledger.hpp"
#include "../schedule_player.hpp"
#include "slots.hpp"

#include <jtimer/clock.hpp>
#include <jtimer/cluster/run.hpp>

#include <future>
#include <map>
#include <memory>
#include <mutex>
#include <string>

/// What this copy does with the runs that its nodes claim: at most so many commands at once, and
/// one of each line.
class ClaimedRuns {
  public:
    /// \param actions of the player, which exist as long as this
    ClaimedRuns(int jobs, Ledger& ledger, const SchedulePlayer::Actions& actions)
        : ledger_(ledger), actions_(actions), slots_(jobs) {}

    /// For a node that has not started. One thread makes all nodes.
    /// \param isPlayed known when it is decided whether the node's schedule is played; until then
    ///   its runs wait, and if it is not, they are given back
    jtimer::cluster::Handler handlerOf(std::shared_ptr<const Entry> entry,
                                       std::shared_future<bool> isPlayed);

    /// No more commands begin. Any thread may call this.
    void close() { slots_.close(); }

  private:
    void run(const std::shared_ptr<const Entry>& entry, jtimer::cluster::Run& run);
    bool runCommand(const Job& job, const jtimer::cluster::Run& run);

    Ledger& ledger_;
    const SchedulePlayer::Actions& actions_;
    const jtimer::WallClock clock_;
    Slots slots_;
    /// One for each name, while its command runs. The thread that makes nodes adds to it.
    std::map<std::string, std::mutex> commands_;
};

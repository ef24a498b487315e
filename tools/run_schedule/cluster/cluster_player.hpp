// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "../cluster.hpp"

#include <jtimer/cluster/scheduler.hpp>
#include <jtimer/timer.hpp>

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

/// Plays a schedule together with the other copies of it: each line is a task in the cluster, and
/// its runs are those that this node claims. The command is that of this copy's file.
///
/// The task of a repeating line has the id "repeats", so that a changed line changes it. The id of
/// another one is the line up to the command, so that a changed line is another task. When it has
/// run, it stays as a mark that it has: it is next due in the year 2200.
class ClusterPlayer final : public SchedulePlayer {
  public:
    ClusterPlayer(const Options& options, Ledger& ledger, Actions actions);

    /// \throws std::invalid_argument if a line cannot be played in a cluster
    /// \throws jtimer::cluster::DatabaseException, SchemaException
    void start(std::vector<Entry> entries, std::function<void()> whenAllHaveRun) override;
    void replace(std::vector<Entry>, std::function<void(const Changes&)>) override {}
    void cancel() override { scheduler_.stop(0); }
    void awaitEnd() override { scheduler_.stop(); }
    void finish() override;

  private:
    void createSchema();
    void registerTask(const std::shared_ptr<const Entry>& entry);
    void schedule(const Entry& entry);
    void run(const std::shared_ptr<const Entry>& entry, jtimer::cluster::Run& run);
    bool runCommand(const Job& job, const jtimer::cluster::Run& run);
    void look();
    std::vector<jtimer::cluster::TaskInfo> tasks();

    const jtimer::cluster::Options options_;
    const bool catchUp_;
    Ledger& ledger_;
    const Actions actions_;
    std::map<std::string, std::shared_ptr<const Entry>> entries_;
    const jtimer::WallClock clock_;

    std::map<std::string, std::mutex> commands_;  ///< one for each entry, while its command runs

    jtimer::cluster::Scheduler scheduler_;
    std::optional<jtimer::Timer> timer_;  ///< of look(); last, as that uses the other members
};

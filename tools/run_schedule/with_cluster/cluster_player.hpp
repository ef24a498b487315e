// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "../cluster.hpp"
#include "../failure.hpp"

#include <jtimer/cluster/scheduler.hpp>
#include <jtimer/timer.hpp>

#include <chrono>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

/// Plays a schedule together with the other copies of it: each line is a task in the cluster, and
/// its runs are those that this node claims, of lines that this copy's file has. The command is
/// that of this copy's file. task_name.hpp says which task is that of a line.
///
/// When the task of a line that does not repeat has run, it stays as a mark that it has: it is next
/// due in the year 2200.
class ClusterPlayer final : public SchedulePlayer {
  public:
    ClusterPlayer(const Options& options, Ledger& ledger, Actions actions);

    /// While the database is away, tries again for Options::connectWithin.
    /// \throws ScheduleError if a line cannot be played in a cluster; nothing is written then
    /// \throws jtimer::cluster::DatabaseException, SchemaException
    void start(std::vector<Entry> entries, std::function<void()> whenAllHaveRun) override;
    void replace(std::vector<Entry>, std::function<void(const Changes&)>) override {}
    void cancel() override { static_cast<void>(scheduler_.stop(0)); }
    void awaitEnd() override { scheduler_.stop(); }
    void finish() override;
    void fail(std::exception_ptr exception) override;
    std::vector<std::string> unrecorded() const override;

  private:
    void begin(const std::vector<Entry>& entries, std::chrono::nanoseconds left);
    void createSchema();
    void tell(const std::vector<jtimer::cluster::TaskInfo>& tasks);
    void registerTask(const std::shared_ptr<const Entry>& entry);
    void run(const std::shared_ptr<const Entry>& entry, jtimer::cluster::Run& run);
    bool runCommand(const Job& job, const jtimer::cluster::Run& run);
    void look();

    const jtimer::cluster::Options options_;
    const bool catchUp_;
    const std::chrono::milliseconds connectWithin_;
    Ledger& ledger_;
    const Actions actions_;
    std::function<void()> whenAllHaveRun_;
    Failure failure_;
    std::map<std::string, std::shared_ptr<const Entry>> entries_;  ///< by the name of the task
    const jtimer::WallClock clock_;

    std::map<std::string, std::mutex> commands_;  ///< one for each entry, while its command runs

    jtimer::cluster::Scheduler scheduler_;
    std::optional<jtimer::Timer> timer_;  ///< of look(); last, as that uses the other members
};

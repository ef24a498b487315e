// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "../cluster.hpp"
#include "../failure.hpp"
#include "../pulse.hpp"
#include "claimed_runs.hpp"

#include <jtimer/cluster/scheduler.hpp>
#include <jtimer/timer.hpp>

#include <atomic>
#include <chrono>
#include <exception>
#include <functional>
#include <future>
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
/// When the task of a line that does not repeat has run, it stays as a mark that it has: kDone.
///
/// A Scheduler knows its lines before it starts. So a new schedule has a new one, which starts
/// before the old one claims nothing more; the runs of that one end in peace. Starting it can fail,
/// so it starts before the new lines are written, and what it claims waits until they are: then an
/// error changes nothing.
class ClusterPlayer final : public SchedulePlayer {
  public:
    ClusterPlayer(const Options& options, Ledger& ledger, Actions actions);

    /// While the database is away, tries again for Options::connectWithin.
    /// \throws ScheduleError if a line cannot be played in a cluster; nothing is written then
    /// \throws jtimer::cluster::DatabaseException, SchemaException
    void start(std::vector<Entry> entries, std::function<void()> whenAllHaveRun) override;
    /// If that fails, it says why, and nothing changes.
    void replace(std::vector<Entry> entries,
                 std::function<void(const Changes&)> whenChanged) override;
    void cancel() override;
    void awaitEnd() override;
    void finish() override;
    void fail(std::exception_ptr exception) override;
    std::vector<std::string> unrecorded() const override;
    std::string ailment() override;
    std::optional<bool> databaseUp() const override { return databaseUp_; }

  private:
    /// A schedule, and the Scheduler that plays it.
    struct Node {
        explicit Node(const jtimer::cluster::Options& options) : scheduler(options) {}

        std::promise<bool> isPlayed;  ///< its runs wait for that, so it is set before the end
        std::map<std::string, std::shared_ptr<const Entry>> entries;  ///< by the name of the task
        jtimer::cluster::Scheduler scheduler;
    };

    /// What the database has of a schedule, and lacks.
    struct Lines {
        std::vector<jtimer::cluster::TaskInfo> known;  ///< also those of other schedules
        std::vector<jtimer::cluster::NewTask> tasks;
    };

    class Asking;

    std::shared_ptr<Node> makeNode(const std::vector<Entry>& entries);
    Lines compare(Node& node, const std::vector<Entry>& entries, std::chrono::nanoseconds left);
    void write(Node& node, const std::vector<Entry>& entries, const Lines& lines);
    void adopt(const std::shared_ptr<Node>& node);
    void dismiss(const std::shared_ptr<Node>& node);
    Changes change(const std::vector<Entry>& entries);
    std::vector<std::shared_ptr<Node>> nodes() const;
    bool othersHaveEnded();
    void createSchema();
    void tell(const Node& node, const std::vector<jtimer::cluster::TaskInfo>& tasks);
    void look();

    const jtimer::cluster::Options options_;
    const bool catchUp_;
    const std::chrono::milliseconds connectWithin_;
    Ledger& ledger_;
    const Actions actions_;
    std::function<void()> whenAllHaveRun_;
    Failure failure_;
    const jtimer::WallClock clock_;

    ClaimedRuns runs_;  ///< of all nodes

    std::atomic<bool> databaseUp_{false};  ///< at the last look
    std::atomic<bool> asks_{false};        ///< the timer's thread waits for the database
    std::atomic<std::chrono::steady_clock::time_point> lastAnswer_{};  ///< none before the first
    Pulse pulse_;

    mutable std::mutex mutex_;
    std::vector<std::shared_ptr<Node>> nodes_;  ///< guarded by mutex_: the last one claims
    bool isEnding_ = false;                     ///< guarded by mutex_

    /// Of look() and change(); last, as they use the other members.
    std::optional<jtimer::Timer> timer_;
};

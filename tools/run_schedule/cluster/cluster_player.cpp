// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "cluster_player.hpp"

#include "../time_text.hpp"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstddef>
#include <future>
#include <map>
#include <optional>
#include <stdexcept>
#include <utility>

using jtimer::Date;
using jtimer::cluster::NewTask;
using jtimer::cluster::Run;
using jtimer::cluster::Schedule;
using jtimer::cluster::TaskInfo;

namespace {

/// When the task of a line that has run is due: in the year 2200.
constexpr Date kDone{std::chrono::seconds(7'258'118'400)};

/// How often a run looks whether it still has its lease, and the tasks are looked at.
constexpr std::chrono::milliseconds kLease(100);
constexpr std::chrono::milliseconds kLook(1000);

constexpr std::size_t kMostTasks = 100'000;

jtimer::cluster::Options clusterOptions(const Options& options) {
    jtimer::cluster::Options result;
    result.conninfo = options.cluster;
    result.schema = "run_schedule";
    if (!options.node.empty()) result.name = options.node;
    result.concurrency = options.jobs;
    return result;
}

std::string idOf(const Entry& entry) {
    if (entry.repeats()) return "repeats";
    return entry.head.substr(0, entry.head.find_last_not_of(" \t") + 1);
}

Schedule scheduleOf(const Entry& entry, Date now) {
    const auto missedRuns =
        entry.overlap == Overlap::Skip ? jtimer::MissedRuns::Skip : jtimer::MissedRuns::Once;
    switch (entry.kind) {
    case Entry::Kind::After:
        return Schedule::once(entry.after);
    case Entry::Kind::At:
        return Schedule::once(entry.firstDate(now));
    case Entry::Kind::Every:
        return Schedule::fixedDelay(entry.after, entry.period);
    case Entry::Kind::Rate:
        return Schedule::fixedRate(entry.after, entry.period, missedRuns);
    case Entry::Kind::Cron:
        break;
    }
    return Schedule::cron(entry.calendar->expression(), entry.calendar->zoneName(), missedRuns);
}

/// \throws std::invalid_argument if an entry means something else on each machine, or nothing
void check(const Entry& entry) {
    if (entry.overlap == Overlap::Kill)
        failExpecting(inQuotes(entry.name) + " has overlap=kill", "wait or skip with --cluster");
    if (entry.kind == Entry::Kind::Cron && entry.calendar->zoneName().empty()) {
        failExpecting(inQuotes(entry.name) + " has no time zone",
                      "one with --cluster, such as daily 08:00 Europe/Berlin");
    }
}

}  // namespace

void becomeClusterProgram(char**) {}

std::unique_ptr<SchedulePlayer> makeClusterPlayer(const Options& options, Ledger& ledger,
                                                  SchedulePlayer::Actions actions) {
    return std::make_unique<ClusterPlayer>(options, ledger, std::move(actions));
}

ClusterPlayer::ClusterPlayer(const Options& options, Ledger& ledger, Actions actions)
    : options_(clusterOptions(options)), catchUp_(options.catchUp), ledger_(ledger),
      actions_(std::move(actions)), scheduler_(options_) {}

void ClusterPlayer::start(std::vector<Entry> entries, std::function<void()> whenAllHaveRun) {
    whenAllHaveRun_ = std::move(whenAllHaveRun);
    for (const Entry& entry : entries) check(entry);
    createSchema();
    std::vector<std::shared_ptr<const Entry>> inOrder;
    for (Entry& entry : entries) {
        inOrder.push_back(std::make_shared<const Entry>(std::move(entry)));
        ledger_.add(inOrder.back()->name);
        entries_[inOrder.back()->name] = inOrder.back();
        commands_[inOrder.back()->name];
        registerTask(inOrder.back());
    }
    scheduler_.start();
    for (const auto& entry : inOrder) schedule(*entry);
    for (const TaskInfo& task : tasks()) {
        if (entries_.count(task.name) == 0)
            actions_.notify(inQuotes(task.name) + " is in the cluster, but not in this schedule");
    }
    timer_.emplace("run_schedule", true);
    timer_->schedule([this] { look(); }, 0, kLook);
}

/// A role that may not create schemas can use one that is there.
void ClusterPlayer::createSchema() {
    try {
        migrate(options_);
    } catch (const jtimer::cluster::DatabaseException& e) {
        if (e.sqlState() != "42501") throw;
    }
}

void ClusterPlayer::registerTask(const std::shared_ptr<const Entry>& entry) {
    jtimer::cluster::TaskOptions options;
    options.maxAttempts = entry->retry.times + 1;
    options.firstBackoff = entry->retry.delay;
    options.maxBackoff =
        std::max<std::chrono::milliseconds>(entry->retry.delay, std::chrono::hours(1));
    scheduler_.registerTask(
        entry->name, [this, entry](Run& run) { this->run(entry, run); }, options);
}

void ClusterPlayer::schedule(const Entry& entry) {
    const Date now = clock_.now();
    if (entry.kind == Entry::Kind::At && !catchUp_ && entry.firstDate(now) < now &&
        !scheduler_.find(entry.name, idOf(entry))) {
        actions_.isPast(entry, entry.firstDate(now));
        return;
    }
    scheduler_.schedule({entry.name, idOf(entry), scheduleOf(entry, now), {}});
}

/// On a thread of the scheduler.
void ClusterPlayer::run(const std::shared_ptr<const Entry>& entry, Run& run) {
    if (run.id() != idOf(*entry)) return;  // of a line that has changed
    const auto late = clock_.now() - run.scheduledExecutionTime();
    const Job job{entry, std::max(std::chrono::nanoseconds(late), std::chrono::nanoseconds(0)),
                  run.attempt()};
    // A run that has lost its lease may still be ending, while this one is the same task's.
    const std::lock_guard lock(commands_.at(entry->name));
    ledger_.runBegun(job);
    const bool succeeded = runCommand(job, run);
    ledger_.runEnded(entry->name, succeeded);
    if (!succeeded) throw std::runtime_error("the command failed");
    if (!entry->repeats()) run.again(kDone);
}

bool ClusterPlayer::runCommand(const Job& job, const Run& run) {
    std::promise<bool> ended;
    std::future<bool> succeeded = ended.get_future();
    actions_.launch(job, [&ended](bool result) { ended.set_value(result); });
    bool isSignalled = false;
    while (succeeded.wait_for(kLease) != std::future_status::ready) {
        // Another node may begin the task now.
        if (run.leaseLost() && !std::exchange(isSignalled, true)) {
            actions_.notify("the lease is lost: " + job.entry->name + " receives SIGTERM");
            actions_.signal(job.entry->name, SIGTERM);
        }
    }
    return succeeded.get();
}

/// Tells the ledger when each task is next due, and ends the schedule when nothing is left to run.
void ClusterPlayer::look() {
    std::map<std::string, Date> left;
    try {
        for (const TaskInfo& task : tasks()) {
            const auto entry = entries_.find(task.name);
            if (entry != entries_.end() && task.id == idOf(*entry->second))
                left[task.name] = task.nextAttempt;
        }
    } catch (const jtimer::cluster::DatabaseException&) {
        return;  // the scheduler says so, and the next look may succeed
    }
    for (const auto& each : entries_) {
        const auto next = left.find(each.first);
        ledger_.isDue(each.first, next != left.end() ? std::optional(next->second) : std::nullopt);
    }
    if (left.empty()) whenAllHaveRun_();
}

/// The tasks that are still to run.
std::vector<TaskInfo> ClusterPlayer::tasks() {
    jtimer::cluster::Filter filter;
    filter.limit = kMostTasks;
    std::vector<TaskInfo> tasks = scheduler_.list(filter);
    const auto isOver = [](const TaskInfo& task) {
        return task.scheduledExecutionTime == kDone || task.state == jtimer::cluster::State::Dead;
    };
    tasks.erase(std::remove_if(tasks.begin(), tasks.end(), isOver), tasks.end());
    return tasks;
}

void ClusterPlayer::finish() {
    timer_.reset();
    rethrow();
}

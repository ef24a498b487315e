// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "cluster_player.hpp"

#include "../parsing.hpp"
#include "../rule.hpp"
#include "line_checks.hpp"
#include "line_tasks.hpp"
#include "task_name.hpp"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <future>
#include <map>
#include <optional>
#include <stdexcept>
#include <thread>
#include <utility>

using jtimer::Date;
using jtimer::cluster::NewTask;
using jtimer::cluster::Run;
using ClusterSchedule = jtimer::cluster::Schedule;
using jtimer::cluster::TaskInfo;

namespace {

/// How often a run looks whether it still has its lease, and the tasks are looked at.
constexpr std::chrono::milliseconds kLease(100);
constexpr std::chrono::milliseconds kLook(1000);

/// Between attempts to reach the database at the start.
constexpr std::chrono::milliseconds kPause(200);

ClusterSchedule scheduleOf(const Entry& entry, Date now) {
    const auto missedRuns =
        entry.overlap == Overlap::Skip ? jtimer::MissedRuns::Skip : jtimer::MissedRuns::Once;
    switch (entry.kind) {
    case Entry::Kind::After:
        return ClusterSchedule::once(entry.after);
    case Entry::Kind::At:
        return ClusterSchedule::once(entry.firstDate(now));
    case Entry::Kind::Every:
        return ClusterSchedule::fixedDelay(entry.after, entry.period);
    case Entry::Kind::Rate:
        return ClusterSchedule::fixedRate(entry.after, entry.period, missedRuns);
    case Entry::Kind::Cron:
        break;
    }
    return ClusterSchedule::cron(entry.calendar->expression(), entry.calendar->zone().name(),
                                 missedRuns);
}

/// Whether a later attempt may succeed: there is no connection, or the server is starting, ending,
/// or has none left.
bool isAway(const jtimer::cluster::DatabaseException& e) {
    const std::string kind = e.sqlState().substr(0, 2);
    return kind.empty() || kind == "08" || kind == "53" || kind == "57";
}

/// How often a task that is dead was tried. A node that finds that its process died too often has
/// claimed it once more, and not tried it.
int attemptsOf(const TaskInfo& task) {
    const int refused = task.crashes >= jtimer::cluster::TaskOptions().maxCrashes ? 1 : 0;
    return std::max(task.attempt - refused, 0);
}

/// When the next run of the line is due.
Date nextAfter(const Job& job, Date begin) {
    const Entry& entry = *job.entry;
    if (!entry.repeats()) return Date::max();
    if (entry.kind == Entry::Kind::Cron) return entry.nextDate(job.date);
    return (entry.kind == Entry::Kind::Rate ? job.date : begin) + entry.period;
}

bool isDead(const TaskInfo& task) { return task.state == jtimer::cluster::State::Dead; }

}  // namespace

void becomeClusterProgram(char**) {}

std::unique_ptr<SchedulePlayer> makeClusterPlayer(const Options& options, Ledger& ledger,
                                                  SchedulePlayer::Actions actions) {
    return std::make_unique<ClusterPlayer>(options, ledger, std::move(actions));
}

ClusterPlayer::ClusterPlayer(const Options& options, Ledger& ledger, Actions actions)
    : options_(clusterOptions(options)), catchUp_(options.catchUp),
      connectWithin_(options.connectWithin), ledger_(ledger), actions_(std::move(actions)),
      scheduler_(options_) {}

void ClusterPlayer::start(std::vector<Entry> entries, std::function<void()> whenAllHaveRun) {
    whenAllHaveRun_ = std::move(whenAllHaveRun);
    checkForCluster(entries);
    for (const Entry& entry : entries) {
        ledger_.add(entry.name);
        const auto shared = std::make_shared<const Entry>(entry);
        entries_[taskNameOf(entry)] = shared;
        commands_[entry.name];
        registerTask(shared);
    }
    const auto last = std::chrono::steady_clock::now() + connectWithin_;
    for (bool hasSaid = false;; hasSaid = true) {
        try {
            begin(entries, last - std::chrono::steady_clock::now());
            break;
        } catch (const jtimer::cluster::DatabaseException& e) {
            if (!isAway(e) || std::chrono::steady_clock::now() + kPause >= last) throw;
            if (!hasSaid) actions_.notify(std::string("waiting for the database: ") + e.what());
        }
        std::this_thread::sleep_for(kPause);
    }
    timer_.emplace("run_schedule", true);
    timer_->schedule([this] { look(); }, 0, kLook);
}

/// Checks everything, then schedules all lines in one transaction, then starts the node. If it
/// throws, it can be called again.
/// \param left how long to wait for a connection
void ClusterPlayer::begin(const std::vector<Entry>& entries, std::chrono::nanoseconds left) {
    jtimer::cluster::Options limited = options_;
    limited.operationTimeout = std::clamp<std::chrono::milliseconds>(
        std::chrono::ceil<std::chrono::milliseconds>(left), std::chrono::milliseconds(1),
        std::chrono::seconds(10));
    checkZones(entries, limited);
    createSchema();
    std::map<std::string, TaskInfo> known;
    for (const TaskInfo& task : allTasks(scheduler_)) known.emplace(task.name, task);
    const Date now = clock_.now();
    std::vector<NewTask> tasks;
    for (const Entry& entry : entries) {
        if (entry.kind == Entry::Kind::At && !catchUp_ && entry.firstDate(now) < now &&
            known.count(taskNameOf(entry)) == 0) {
            actions_.isPast(entry, entry.firstDate(now));
            continue;
        }
        tasks.push_back({taskNameOf(entry), taskIdOf(entry), scheduleOf(entry, now), {}});
    }
    if (!tasks.empty()) scheduler_.scheduleAll(tasks);
    tell(allTasks(scheduler_));
    scheduler_.start();
}

/// Names the tasks that are dead, and those that this schedule does not have.
void ClusterPlayer::tell(const std::vector<TaskInfo>& tasks) {
    std::string others;
    for (const TaskInfo& task : tasks) {
        const auto entry = entries_.find(task.name);
        if (entry == entries_.end() || task.id != taskIdOf(*entry->second)) {
            others += (others.empty() ? "" : ", ") + inQuotes(task.name);
        } else if (isDead(task)) {
            const std::string& name = entry->second->name;
            const int attempts = attemptsOf(task);
            ledger_.isDead(name, true);
            actions_.notify(inQuotes(name) + " is dead after " + std::to_string(attempts) +
                            (attempts == 1 ? " attempt: " : " attempts: ") + task.lastError +
                            ": --revive " + name + " runs it again");
        }
    }
    if (!others.empty()) actions_.notify("in the cluster, but not in this schedule: " + others);
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
    options.goesOnAfterCrashes = true;
    scheduler_.registerTask(
        taskNameOf(*entry), [this, entry](Run& run) { this->run(entry, run); }, options);
}

/// On a thread of the scheduler.
void ClusterPlayer::run(const std::shared_ptr<const Entry>& entry, Run& run) {
    const auto late = clock_.now() - run.scheduledExecutionTime();
    const Job job{entry, std::max(std::chrono::nanoseconds(late), std::chrono::nanoseconds(0)),
                  run.attempt(), run.scheduledExecutionTime()};
    if (entry->startWithin && late > *entry->startWithin && run.attempt() == 1) {
        ledger_.runSkipped(entry->name);
        actions_.skipped(*entry,
                         "it is too late: start-within=" + inCanonicalForm(*entry->startWithin));
        if (!entry->repeats()) run.again(kDone);
        return;
    }
    // A run that has lost its lease may still be ending, while this one is the same task's.
    const std::lock_guard lock(commands_.at(entry->name));
    ledger_.runBegun(job);
    const bool succeeded = runCommand(job, run);
    ledger_.runEnded(entry->name, succeeded);
    if (!succeeded && job.attempt > entry->retry.times) actions_.failed(job);
    if (!succeeded) throw std::runtime_error("the command failed");
    if (!entry->repeats()) run.again(kDone);
}

bool ClusterPlayer::runCommand(const Job& job, const Run& run) {
    std::promise<bool> ended;
    std::future<bool> succeeded = ended.get_future();
    actions_.launch(job, [&ended](bool result) { ended.set_value(result); });
    bool isSignalled = false, isOverrun = false;
    const Date begin = clock_.now(), next = nextAfter(job, begin);
    while (succeeded.wait_for(kLease) != std::future_status::ready) {
        if (clock_.now() >= next && !std::exchange(isOverrun, true)) {
            ledger_.runOverran(job.entry->name);
            actions_.overrun(job, clock_.now() - begin);
        }
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
    std::map<std::string, TaskInfo> found;
    try {
        for (TaskInfo& task : allTasks(scheduler_)) found.emplace(task.name, std::move(task));
    } catch (const std::runtime_error&) {
        return;  // the scheduler says so, and the next look may succeed
    }
    bool isOver = true;
    for (const auto& [taskName, entry] : entries_) {
        const auto task = found.find(taskName);
        const bool exists = task != found.end() && task->second.id == taskIdOf(*entry);
        const bool dead = exists && isDead(task->second);
        const bool isLeft = exists && !dead && task->second.scheduledExecutionTime != kDone;
        ledger_.isDue(entry->name, isLeft ? std::optional(task->second.nextAttempt) : std::nullopt);
        ledger_.isDead(entry->name, dead);
        if (isLeft) isOver = false;
    }
    if (isOver) whenAllHaveRun_();
}

std::vector<std::string> ClusterPlayer::unrecorded() const {
    std::vector<std::string> names;
    for (const auto& task : scheduler_.unfinished()) names.push_back(lineNameOf(task.first));
    return names;
}

void ClusterPlayer::finish() {
    timer_.reset();
    failure_.rethrow();
}

void ClusterPlayer::fail(std::exception_ptr exception) {
    failure_.keep(std::move(exception));
    whenAllHaveRun_();
}

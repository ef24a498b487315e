// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "cluster_player.hpp"

#include "../parsing.hpp"
#include "../rule.hpp"
#include "../schedule_error.hpp"
#include "task_name.hpp"
#include "zones.hpp"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstddef>
#include <future>
#include <map>
#include <optional>
#include <set>
#include <stdexcept>
#include <thread>
#include <utility>

using jtimer::Date;
using jtimer::cluster::NewTask;
using jtimer::cluster::Run;
using ClusterSchedule = jtimer::cluster::Schedule;
using jtimer::cluster::TaskInfo;

namespace {

/// When the task of a line that has run is due: in the year 2200.
constexpr Date kDone{std::chrono::seconds(7'258'118'400)};

/// How often a run looks whether it still has its lease, and the tasks are looked at.
constexpr std::chrono::milliseconds kLease(100);
constexpr std::chrono::milliseconds kLook(1000);

/// Between attempts to reach the database at the start.
constexpr std::chrono::milliseconds kPause(200);

constexpr std::size_t kMostTasks = 100'000;

jtimer::cluster::Options clusterOptions(const Options& options) {
    jtimer::cluster::Options result;
    result.conninfo = options.cluster;
    result.schema = "run_schedule";
    if (!options.node.empty()) result.name = options.node;
    result.concurrency = options.jobs;
    return result;
}

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

/// In the task's name, NAME is followed by the rule, and names of tasks have at most 200 bytes.
constexpr std::size_t kLongestName = 150;

/// What a line must not be in a cluster, where it means something else on each machine or nothing.
/// \throws std::invalid_argument
void check(const Entry& entry) {
    const std::string name = inQuotes(entry.name);
    if (entry.jitter.count() != 0) failExpecting(name + " has a jitter", "none with --cluster");
    if (entry.isReboot) failExpecting(name + " runs at @reboot", "another time with --cluster");
    if (entry.name.size() > kLongestName)
        failExpecting(name + " is too long", "a name of at most 150 bytes with --cluster");
    if (entry.overlap == Overlap::Kill)
        failExpecting(name + " has overlap=kill", "wait or skip with --cluster");
    if (entry.calendar && entry.calendar->zone().name().empty()) {
        failExpecting(name + " has no time zone",
                      entry.kind == Entry::Kind::At
                          ? "one with --cluster, such as at 08:00 Europe/Berlin"
                          : "one with --cluster, such as daily 08:00 Europe/Berlin");
    }
    if (entry.kind == Entry::Kind::At && !entry.calendar && !entry.hasOffset) {
        failExpecting(name + " has no UTC offset",
                      "one with --cluster, such as at 2030-01-01T08:00:00+01:00");
    }
}

/// \throws ScheduleError that names all lines for which `check` throws
template <class Check>
void checkAll(const std::vector<Entry>& entries, const Check& check) {
    std::string errors;
    for (const Entry& entry : entries) {
        try {
            check(entry);
        } catch (const std::invalid_argument& e) {
            errors += (errors.empty() ? "" : "\n") + entry.place + ": " + e.what();
        }
    }
    if (!errors.empty()) throw ScheduleError(errors);
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

std::string revive(const Options& options) {
    jtimer::cluster::Scheduler scheduler(clusterOptions(options));
    jtimer::cluster::Filter filter;
    filter.state = jtimer::cluster::State::Dead;
    filter.limit = kMostTasks;
    std::string revived;
    for (const TaskInfo& task : scheduler.list(filter)) {
        if (lineNameOf(task.name) != options.revive && task.name != options.revive) continue;
        if (scheduler.reschedule(task.name, task.id, 0))
            revived += inQuotes(task.name) + " is due now\n";
    }
    if (revived.empty()) throw std::runtime_error(inQuotes(options.revive) + " is not dead");
    scheduler.wakeUp();
    return revived;
}

void checkForCluster(const std::vector<Entry>& entries) { checkAll(entries, check); }

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
    checkZones(entries, left);
    createSchema();
    std::map<std::string, TaskInfo> known;
    for (const TaskInfo& task : allTasks()) known.emplace(task.name, task);
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
    tell(allTasks());
    scheduler_.start();
}

/// By one query, as scheduling would only tell about the first zone that the server does not know.
/// It is also the first to need the database, and waits for no longer than `left`.
void ClusterPlayer::checkZones(const std::vector<Entry>& entries, std::chrono::nanoseconds left) {
    std::set<std::string> zones;
    for (const Entry& entry : entries)
        if (entry.kind == Entry::Kind::Cron) zones.insert(entry.calendar->zone().name());
    jtimer::cluster::Options options = options_;
    const auto limit = std::chrono::ceil<std::chrono::milliseconds>(left);
    options.operationTimeout = std::clamp<std::chrono::milliseconds>(
        limit, std::chrono::milliseconds(1), std::chrono::seconds(10));
    const std::set<std::string> unknown = jtimer::cluster::detail::unknownZones(options, zones);
    checkAll(entries, [&](const Entry& entry) {
        if (entry.kind != Entry::Kind::Cron || unknown.count(entry.calendar->zone().name()) == 0)
            return;
        failExpecting("the server does not know the time zone " +
                          inQuotes(entry.calendar->zone().name()),
                      "a name in its view pg_timezone_names");
    });
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
        for (TaskInfo& task : allTasks()) found.emplace(task.name, std::move(task));
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

/// Also those of lines that have run, and of other schedules.
std::vector<TaskInfo> ClusterPlayer::allTasks() {
    jtimer::cluster::Filter filter;
    filter.limit = kMostTasks;
    return scheduler_.list(filter);
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

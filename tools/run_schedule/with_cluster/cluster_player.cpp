// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "cluster_player.hpp"

#include "../parsing.hpp"
#include "../rule.hpp"
#include "../time_text.hpp"
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

/// How long a query may wait for the database.
constexpr std::chrono::milliseconds kLongestCall(10'000);

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

/// Tells others for as long as it exists.
class ClusterPlayer::Asking {
  public:
    explicit Asking(std::atomic<bool>& asks) : asks_(asks) { asks_ = true; }
    Asking(const Asking&) = delete;
    Asking& operator=(const Asking&) = delete;
    ~Asking() { asks_ = false; }

  private:
    std::atomic<bool>& asks_;
};

ClusterPlayer::ClusterPlayer(const Options& options, Ledger& ledger, Actions actions)
    : options_(clusterOptions(options)), catchUp_(options.catchUp),
      connectWithin_(options.connectWithin), ledger_(ledger), actions_(std::move(actions)),
      slots_(options.jobs) {}

void ClusterPlayer::start(std::vector<Entry> entries, std::function<void()> whenAllHaveRun) {
    whenAllHaveRun_ = std::move(whenAllHaveRun);
    const std::shared_ptr<Node> node = makeNode(entries);
    const auto last = std::chrono::steady_clock::now() + connectWithin_;
    for (bool hasSaid = false;; hasSaid = true) {
        try {
            begin(*node, entries, last - std::chrono::steady_clock::now());
            break;
        } catch (const jtimer::cluster::DatabaseException& e) {
            if (!isAway(e) || std::chrono::steady_clock::now() + kPause >= last) throw;
            if (!hasSaid)
                actions_.notify(Level::Warning,
                                std::string("waiting for the database: ") + e.what());
        }
        std::this_thread::sleep_for(kPause);
    }
    adopt(node);
    timer_.emplace("run_schedule", true);
    timer_->schedule([this] { look(); }, 0, kLook);
}

/// Checks all that can be checked without the database.
std::shared_ptr<ClusterPlayer::Node> ClusterPlayer::makeNode(const std::vector<Entry>& entries) {
    checkForCluster(entries);
    auto node = std::make_shared<Node>(options_);
    for (const Entry& entry : entries) {
        const auto shared = std::make_shared<const Entry>(entry);
        node->entries[taskNameOf(entry)] = shared;
        registerTask(*node, shared);
    }
    return node;
}

/// From now on, this node alone claims runs.
void ClusterPlayer::adopt(const std::shared_ptr<Node>& node) {
    const std::lock_guard lock(mutex_);
    for (const auto& other : nodes_) static_cast<void>(other->scheduler.stop(0));
    nodes_.push_back(node);
    if (isEnding_) static_cast<void>(node->scheduler.stop(0));
}

std::vector<std::shared_ptr<ClusterPlayer::Node>> ClusterPlayer::nodes() const {
    const std::lock_guard lock(mutex_);
    return nodes_;
}

/// Forgets the nodes whose runs have ended, of earlier schedules.
/// \returns whether there are no others
bool ClusterPlayer::othersHaveEnded() {
    std::vector<std::shared_ptr<Node>> ended;  // destroyed without the lock
    const std::lock_guard lock(mutex_);
    for (auto each = nodes_.begin(); std::next(each) != nodes_.end();) {
        const bool hasEnded = (*each)->scheduler.stop(0);
        if (hasEnded) ended.push_back(std::move(*each));
        each = hasEnded ? nodes_.erase(each) : std::next(each);
    }
    return nodes_.size() == 1;
}

void ClusterPlayer::replace(std::vector<Entry> entries,
                            std::function<void(const Changes&)> whenChanged) {
    auto shared = std::make_shared<const std::vector<Entry>>(std::move(entries));
    timer_->schedule(
        [this, shared, whenChanged = std::move(whenChanged)] {
            try {
                const Asking asking(asks_);
                whenChanged(change(*shared));
            } catch (const std::exception& e) {
                actions_.notify(Level::Error,
                                std::string("the schedule stays as it was: ") + e.what());
            }
        },
        0);
}

/// Starts a node for another schedule.
ClusterPlayer::Changes ClusterPlayer::change(const std::vector<Entry>& entries) {
    const std::shared_ptr<Node> before = nodes().back();
    const std::shared_ptr<Node> node = makeNode(entries);
    begin(*node, entries, kLongestCall);
    adopt(node);
    std::map<std::string, std::shared_ptr<const Entry>> old;
    for (const auto& task : before->entries) old.emplace(task.second->name, task.second);
    Changes changes;
    for (const Entry& entry : entries) {
        const auto known = old.find(entry.name);
        if (known == old.end()) {
            ++changes.added;
            continue;
        }
        if (isChanged(*known->second, entry)) ++changes.changed;
        old.erase(known);
    }
    for (const auto& each : old) {
        ledger_.isDue(each.first, std::nullopt);
        ledger_.isDead(each.first, false);
    }
    changes.removed = static_cast<int>(old.size());
    return changes;
}

/// Checks everything, then schedules all lines in one transaction, then starts the node. If it
/// throws, it can be called again.
/// \param left how long to wait for a connection
void ClusterPlayer::begin(Node& node, const std::vector<Entry>& entries,
                          std::chrono::nanoseconds left) {
    jtimer::cluster::Options limited = options_;
    limited.operationTimeout =
        std::clamp<std::chrono::milliseconds>(std::chrono::ceil<std::chrono::milliseconds>(left),
                                              std::chrono::milliseconds(1), kLongestCall);
    checkZones(entries, limited);
    createSchema();
    std::map<std::string, TaskInfo> known;
    for (const TaskInfo& task : allTasks(node.scheduler)) known.emplace(task.name, task);
    const Date now = clock_.now();
    std::vector<NewTask> tasks;
    for (const Entry& entry : entries) {
        if (entry.kind == Entry::Kind::At && !catchUp_ && entry.firstDate(now) < now &&
            known.count(taskNameOf(entry)) == 0) {
            actions_.notify(Level::Warning, skippedAsPast(entry, entry.firstDate(now)));
            continue;
        }
        tasks.push_back({taskNameOf(entry), taskIdOf(entry), scheduleOf(entry, now), {}});
    }
    if (!tasks.empty()) node.scheduler.scheduleAll(tasks);
    for (const Entry& entry : entries) ledger_.add(entry.name);
    tell(node, allTasks(node.scheduler));
    node.scheduler.start();
}

/// Names the tasks that are dead, and those that this schedule does not have.
void ClusterPlayer::tell(const Node& node, const std::vector<TaskInfo>& tasks) {
    std::vector<std::string> others;
    for (const TaskInfo& task : tasks) {
        const auto entry = node.entries.find(task.name);
        if (entry == node.entries.end() || task.id != taskIdOf(*entry->second)) {
            others.push_back(inQuotes(task.name));
        } else if (isDead(task)) {
            const std::string& name = entry->second->name;
            const int attempts = attemptsOf(task);
            ledger_.isDead(name, true);
            actions_.notify(Level::Error,
                            inQuotes(name) + " is dead after " + std::to_string(attempts) +
                                (attempts == 1 ? " attempt: " : " attempts: ") + task.lastError +
                                ": --revive " + name + " runs it again");
        }
    }
    if (!others.empty())
        actions_.notify(Level::Info,
                        "in the cluster, but not in this schedule: " + joined(others, ", "));
}

/// A role that may not create schemas can use one that is there.
void ClusterPlayer::createSchema() {
    try {
        migrate(options_);
    } catch (const jtimer::cluster::DatabaseException& e) {
        if (e.sqlState() != "42501") throw;
    }
}

void ClusterPlayer::registerTask(Node& node, const std::shared_ptr<const Entry>& entry) {
    jtimer::cluster::TaskOptions options;
    options.maxAttempts = entry->retry.times + 1;
    options.firstBackoff = entry->retry.delay;
    options.maxBackoff =
        std::max<std::chrono::milliseconds>(entry->retry.delay, std::chrono::hours(1));
    options.goesOnAfterCrashes = true;
    std::mutex& command = commands_[entry->name];
    node.scheduler.registerTask(
        taskNameOf(*entry), [this, entry, &command](Run& run) { claimed(entry, command, run); },
        options);
}

/// On a thread of a scheduler.
void ClusterPlayer::claimed(const std::shared_ptr<const Entry>& entry, std::mutex& command,
                            Run& run) {
    // A run that has lost its lease may still be ending, while this one is the same task's.
    const std::lock_guard lock(command);
    const Slot slot(slots_);
    if (!slot) return run.again(0);  // the end has come
    run.checkLease();
    this->run(entry, run);
}

void ClusterPlayer::run(const std::shared_ptr<const Entry>& entry, Run& run) {
    const auto late = clock_.now() - run.scheduledExecutionTime();
    const Job job{entry, std::max(std::chrono::nanoseconds(late), std::chrono::nanoseconds(0)),
                  run.attempt(), run.scheduledExecutionTime()};
    if (entry->startWithin && late > *entry->startWithin && run.attempt() == 1) {
        ledger_.runSkipped(entry->name);
        actions_.tell(skippedAsLate({entry, {}, job.date}, clock_.now()));
        if (!entry->repeats()) run.again(kDone);
        return;
    }
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
            Event event = eventOf(Event::Kind::Overrun, job, clock_.now());
            event.duration = event.time - begin;
            actions_.tell(event);
        }
        // Another node may begin the task now.
        if (run.leaseLost() && !std::exchange(isSignalled, true)) {
            actions_.notify(Level::Warning,
                            "the lease is lost: " + job.entry->name + " receives SIGTERM");
            actions_.signal(job.entry->name, SIGTERM);
        }
    }
    return succeeded.get();
}

/// Tells the ledger when each task is next due, and ends the schedule when nothing is left to run.
void ClusterPlayer::look() {
    const std::shared_ptr<Node> node = nodes().back();
    std::map<std::string, TaskInfo> found;
    try {
        const Asking asking(asks_);
        for (TaskInfo& task : allTasks(node->scheduler)) found.emplace(task.name, std::move(task));
        lastAnswer_ = std::chrono::steady_clock::now();
        databaseUp_ = true;
    } catch (const std::runtime_error&) {
        databaseUp_ = false;
        return;  // the scheduler says so, and the next look may succeed
    }
    bool isOver = othersHaveEnded();
    for (const auto& [taskName, entry] : node->entries) {
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
    for (const auto& node : nodes())
        for (const auto& task : node->scheduler.unfinished())
            names.push_back(lineNameOf(task.first));
    return names;
}

std::string ClusterPlayer::ailment() {
    const auto last = lastAnswer_.load();
    if (last == std::chrono::steady_clock::time_point()) return "the database has not answered yet";
    // While the timer's thread waits for the database, it runs no other task.
    std::string ailment = asks_ ? "" : pulse_.ailment(*timer_);
    if (!ailment.empty() && !asks_) return ailment;
    const auto silence = std::chrono::steady_clock::now() - last;
    if (silence <= options_.lease.toChrono()) return "";
    return "the database has not answered for " + inWords(silence);
}

void ClusterPlayer::cancel() {
    slots_.close();
    const std::lock_guard lock(mutex_);
    isEnding_ = true;
    for (const auto& node : nodes_) static_cast<void>(node->scheduler.stop(0));
}

void ClusterPlayer::awaitEnd() {
    timer_.reset();  // no node is added any more
    for (const auto& node : nodes()) node->scheduler.stop();
}

void ClusterPlayer::finish() { failure_.rethrow(); }

void ClusterPlayer::fail(std::exception_ptr exception) {
    failure_.keep(std::move(exception));
    whenAllHaveRun_();
}

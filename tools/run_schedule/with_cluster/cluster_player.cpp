// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "cluster_player.hpp"

#include "../../text/parsing.hpp"
#include "../../text/time_text.hpp"
#include "line_checks.hpp"
#include "line_tasks.hpp"
#include "task_name.hpp"

#include <algorithm>
#include <chrono>
#include <map>
#include <optional>
#include <set>
#include <stdexcept>
#include <thread>
#include <utility>

using jtimer::Date;
using jtimer::cluster::TaskInfo;

namespace {

/// How often the tasks are looked at.
constexpr std::chrono::milliseconds kLook(1000);

/// How long a query may wait for the database.
constexpr std::chrono::milliseconds kLongestCall(10'000);

/// Between attempts to reach the database at the start.
constexpr std::chrono::milliseconds kPause(200);

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
      runs_(options.jobs, ledger, actions_) {}

void ClusterPlayer::start(std::vector<Entry> entries, std::function<void()> whenAllHaveRun) {
    whenAllHaveRun_ = std::move(whenAllHaveRun);
    const std::shared_ptr<Node> node = makeNode(entries);
    const auto last = std::chrono::steady_clock::now() + connectWithin_;
    for (bool hasSaid = false;; hasSaid = true) {
        try {
            write(*node, entries, compare(*node, entries, last - std::chrono::steady_clock::now()));
            node->scheduler.start();
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
    const std::shared_future<bool> isPlayed = node->isPlayed.get_future().share();
    for (const Entry& entry : entries) {
        const auto shared = std::make_shared<const Entry>(entry);
        node->entries[taskNameOf(entry)] = shared;
        node->scheduler.registerTask(taskNameOf(entry), runs_.handlerOf(shared, isPlayed),
                                     taskOptionsOf(entry));
    }
    return node;
}

/// From now on, this node alone claims runs.
void ClusterPlayer::adopt(const std::shared_ptr<Node>& node) {
    const std::lock_guard lock(mutex_);
    for (const auto& other : nodes_) static_cast<void>(other->scheduler.stop(0));
    nodes_.push_back(node);
    node->isPlayed.set_value(true);
    if (isEnding_) static_cast<void>(node->scheduler.stop(0));
}

/// The node gives back what it has claimed, which takes as long as the database is away.
void ClusterPlayer::dismiss(const std::shared_ptr<Node>& node) {
    const std::lock_guard lock(mutex_);
    static_cast<void>(node->scheduler.stop(0));
    node->isPlayed.set_value(false);
    nodes_.insert(std::prev(nodes_.end()), node);
}

std::vector<std::shared_ptr<ClusterPlayer::Node>> ClusterPlayer::nodes() const {
    const std::lock_guard lock(mutex_);
    return nodes_;
}

/// Forgets the nodes whose runs have ended, of schedules that are not played.
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
    const Lines lines = compare(*node, entries, kLongestCall);
    node->scheduler.start();
    try {
        write(*node, entries, lines);
    } catch (...) {
        dismiss(node);
        throw;
    }
    adopt(node);
    const auto byName = [](const Node& each) {
        EntriesByName named;
        for (const auto& task : each.entries) named.emplace(task.second->name, task.second);
        return named;
    };
    const EntriesByName old = byName(*before), now = byName(*node);
    for (const auto& each : old) {
        if (now.count(each.first) != 0) continue;
        ledger_.isDue(each.first, std::nullopt);
        ledger_.isDead(each.first, false);
    }
    return changesBetween(old, now);
}

/// Checks everything.
/// \param left how long to wait for a connection
ClusterPlayer::Lines ClusterPlayer::compare(Node& node, const std::vector<Entry>& entries,
                                            std::chrono::nanoseconds left) {
    jtimer::cluster::Options limited = options_;
    limited.operationTimeout =
        std::clamp<std::chrono::milliseconds>(std::chrono::ceil<std::chrono::milliseconds>(left),
                                              std::chrono::milliseconds(1), kLongestCall);
    checkZones(entries, limited);
    createSchema();
    Lines lines{allTasks(node.scheduler), {}};
    std::set<std::string> known;
    for (const TaskInfo& task : lines.known) known.insert(task.name);
    const Date now = clock_.now();
    for (const Entry& entry : entries) {
        if (entry.kind == Entry::Kind::At && !catchUp_ && entry.firstDate(now) < now &&
            known.count(taskNameOf(entry)) == 0) {
            actions_.notify(Level::Warning, skippedAsPast(entry, entry.firstDate(now)));
            continue;
        }
        lines.tasks.push_back(newTaskOf(entry, now));
    }
    return lines;
}

/// Schedules all lines in one transaction.
void ClusterPlayer::write(Node& node, const std::vector<Entry>& entries, const Lines& lines) {
    if (!lines.tasks.empty()) node.scheduler.scheduleAll(lines.tasks);
    for (const Entry& entry : entries) ledger_.add(entry.name);
    tell(node, lines.known);
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
    runs_.close();
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

// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include <jtimer/cluster/scheduler.hpp>

#include "cluster/checks.hpp"
#include "cluster/reports.hpp"
#include "cluster/scheduler_state.hpp"

#include <jtimer/exceptions.hpp>

#include <boost/thread/lock_guard.hpp>

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <optional>
#include <set>
#include <utility>
#include <vector>

namespace jtimer::cluster {

namespace {

using Lock = boost::lock_guard<boost::mutex>;
using Phase = detail::SchedulerState::Phase;
using detail::Micros;
using detail::Store;

/// After which the destructor says what it waits for.
constexpr std::chrono::seconds kPatience{5};

Options checked(Options options) {
    detail::check(options);
    if (!options.name) {
        char host[256] = "localhost";
        static_cast<void>(::gethostname(host, sizeof host - 1));
        options.name = std::string(host) + ':' + std::to_string(::getpid());
    }
    return options;
}

/// How long from now a task may be due. A Date may be compared with this computer's clock here,
/// because nothing but a notification depends on it.
Micros dueIn(const When& when) {
    if (!when.isDate()) return detail::toMicros(when);
    const auto now = std::chrono::system_clock::now().time_since_epoch();
    return detail::toMicros(when) -
           std::chrono::duration_cast<std::chrono::microseconds>(now).count();
}

}  // namespace

Scheduler::Scheduler(Options options)
    : state_(std::make_unique<detail::SchedulerState>(checked(std::move(options)))) {}

Scheduler::~Scheduler() {
    const std::shared_ptr<detail::Engine> engine = state_->startedEngine();
    if (engine == nullptr) return;
    if (!state_->stop(kPatience)) {
        detail::printLine("Scheduler \"" + name() +
                          "\" waits for its tasks: " + engine->dispatcher.runningTasks());
    } else if (!engine->runEndHook.waitUntilTold(0)) {
        detail::printLine("Scheduler \"" + name() + "\" waits for its onRunEnd");
    }
    // Without a limit: what onRunEnd calls may need all of this object.
    state_->stop(std::nullopt);
}

void Scheduler::registerTask(std::string name, Handler handler, TaskOptions options) {
    detail::checkKey("name", name);
    if (!handler) throw NullPointerException("handler cannot be null");
    detail::check(options);
    const Lock lock(state_->mutex);
    if (state_->phase != Phase::New)
        throw IllegalStateException("Tasks are registered before start().");
    if (state_->registry.count(name) > 0)
        throw IllegalArgumentException("Task \"" + name + "\" is registered already.");
    state_->registry.emplace(std::move(name), detail::Registered{std::move(handler), options});
}

void Scheduler::start() {
    {
        const Lock lock(state_->mutex);
        if (state_->phase == Phase::Stopped)
            throw IllegalStateException("Scheduler already stopped.");
        if (state_->phase != Phase::New) throw IllegalStateException("Scheduler already started.");
        state_->phase = Phase::Starting;
    }
    std::shared_ptr<detail::Engine> engine;
    try {
        engine = std::make_shared<detail::Engine>(state_->options, state_->registry,
                                                  state_->counters, state_->stores);
        engine->start();
    } catch (...) {
        engine.reset();
        const Lock lock(state_->mutex);
        state_->phase = Phase::New;
        throw;
    }
    const Lock lock(state_->mutex);
    state_->phase = Phase::Started;
    state_->engine = std::move(engine);
}

void Scheduler::stop() { state_->stop(std::nullopt); }

bool Scheduler::stop(TimeSpan wait) { return state_->stop(wait); }

std::vector<std::pair<std::string, std::string>> Scheduler::unfinished() const {
    const auto engine = state_->startedEngine();
    return engine == nullptr ? std::vector<std::pair<std::string, std::string>>()
                             : engine->dispatcher.unfinished();
}

bool Scheduler::schedule(const std::string& name, const std::string& id, When when,
                         std::string payload) {
    return schedule(NewTask{name, id, Schedule::once(when), std::move(payload)});
}

bool Scheduler::scheduleAtFixedRate(const std::string& name, const std::string& id, When first,
                                    TimeSpan period, std::string payload) {
    return schedule(NewTask{name, id, Schedule::fixedRate(first, period), std::move(payload)});
}

bool Scheduler::scheduleWithFixedDelay(const std::string& name, const std::string& id, When first,
                                       TimeSpan delay, std::string payload) {
    return schedule(NewTask{name, id, Schedule::fixedDelay(first, delay), std::move(payload)});
}

bool Scheduler::scheduleCron(const std::string& name, const std::string& id,
                             const std::string& expression, const std::string& zone,
                             std::string payload) {
    return schedule(NewTask{name, id, Schedule::cron(expression, zone), std::move(payload)});
}

bool Scheduler::schedule(const NewTask& task) { return scheduleAll({task}) != 0; }

bool Scheduler::schedule(pg_conn* transaction, const NewTask& task) {
    detail::check(task);
    if (transaction == nullptr) throw NullPointerException("transaction cannot be null");
    return Store(state_->options, transaction).scheduleIn(task);
}

std::size_t Scheduler::scheduleAll(const std::vector<NewTask>& tasks) {
    std::set<std::pair<std::string, std::string>> keys;
    Micros first = detail::kNeverDue;
    for (const NewTask& task : tasks) {
        detail::check(task);
        if (!keys.emplace(task.name, task.id).second) {
            throw IllegalArgumentException("Two tasks have the name \"" + task.name +
                                           "\" and the id \"" + task.id + "\"");
        }
        // Only the database knows when a cron task is next due: it may be soon.
        const bool isCron = task.schedule.recurrence_.kind == detail::Kind::Cron;
        first = std::min(first, isCron ? 0 : dueIn(task.schedule.first_));
    }
    const std::size_t changed =
        state_->stores.with([&](Store& store) { return store.schedule(tasks); });
    if (changed != 0) state_->announce(first);
    return changed;
}

bool Scheduler::cancel(const std::string& name, const std::string& id) {
    detail::checkKey(name, id);
    return state_->stores.with([&](Store& store) { return store.cancel(name, id); });
}

bool Scheduler::reschedule(const std::string& name, const std::string& id, When when) {
    detail::checkKey(name, id);
    detail::checkWhen(when);
    const bool changed =
        state_->stores.with([&](Store& store) { return store.reschedule(name, id, when); });
    if (changed) state_->announce(dueIn(when));
    return changed;
}

bool Scheduler::runNow(const std::string& name, const std::string& id) {
    detail::checkKey(name, id);
    const bool changed = state_->stores.with([&](Store& store) { return store.runNow(name, id); });
    if (changed) state_->announce(0);
    return changed;
}

std::optional<TaskInfo> Scheduler::find(const std::string& name, const std::string& id) {
    detail::checkKey(name, id);
    return state_->stores.with([&](Store& store) { return store.find(name, id); });
}

std::vector<TaskInfo> Scheduler::list(const Filter& filter) {
    detail::check(filter);
    return state_->stores.with([&](Store& store) { return store.list(filter); });
}

std::size_t Scheduler::revive(const Filter& filter) {
    detail::check(filter);
    const std::size_t count =
        state_->stores.with([&](Store& store) { return store.revive(filter); });
    if (count != 0) state_->announce(0);
    return count;
}

std::size_t Scheduler::cancelAll(const Filter& filter) {
    detail::check(filter);
    detail::checkSelects(filter);
    return state_->stores.with([&](Store& store) { return store.cancelAll(filter); });
}

std::size_t Scheduler::cancelOthers(const std::string& name, const std::vector<std::string>& ids) {
    detail::checkKey("name", name);
    for (const std::string& id : ids) detail::checkKey("id", id);
    return state_->stores.with([&](Store& store) { return store.cancelOthers(name, ids); });
}

void Scheduler::wakeUp() {
    if (const auto engine = state_->startedEngine()) engine->dispatcher.lookForTasks();
    state_->stores.with([](Store& store) { store.notify(); });
}

bool Scheduler::pause(const Target& target, const std::string& note) {
    detail::checkText("note", note);
    const bool changed =
        state_->stores.with([&](Store& store) { return store.pause(target, name(), note); });
    if (changed && target.scope_ != Scope::Task) state_->announcePauses();
    return changed;
}

bool Scheduler::resume(const Target& target, MissedInPause missed) {
    const bool changed =
        state_->stores.with([&](Store& store) { return store.resume(target, missed); });
    if (!changed) return false;
    if (target.scope_ == Scope::Task)
        state_->announce(0);
    else
        state_->announcePauses();
    return true;
}

std::vector<Pause> Scheduler::pauses() {
    return state_->stores.with([](Store& store) { return store.pauses(); });
}

Backlog Scheduler::backlog() {
    return state_->stores.with([](Store& store) { return store.backlog(); });
}

std::vector<NodeInfo> Scheduler::nodes() {
    return state_->stores.with([](Store& store) { return store.nodes(); });
}

std::vector<NameInfo> Scheduler::names(std::uint64_t countTo) {
    return state_->stores.with([&](Store& store) { return store.names(countTo); });
}

PastRuns Scheduler::history(const HistoryFilter& filter) {
    if (filter.name) detail::checkKey("name", *filter.name);
    if (filter.id) detail::checkKey("id", *filter.id);
    return state_->stores.with([&](Store& store) { return store.history(filter); });
}

void Scheduler::keepHistory(History what, TimeSpan age, std::uint64_t rows) {
    if (age < TimeSpan(0)) throw IllegalArgumentException("Negative age.");
    state_->stores.with(
        [&](Store& store) { store.keepHistory(what, detail::toMicros(age), rows); });
}

Stats Scheduler::stats() const {
    Stats stats = state_->counters.read();
    if (const auto engine = state_->startedEngine()) engine->dispatcher.countRuns(stats);
    return stats;
}

const std::string& Scheduler::name() const noexcept { return *state_->options.name; }

}  // namespace jtimer::cluster

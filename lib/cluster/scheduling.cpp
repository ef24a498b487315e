// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.

// The functions of a Scheduler that callers schedule with. Those that run tasks are in
// scheduler.cpp.

#include <jtimer/cluster/scheduler.hpp>

#include "cluster/checks.hpp"
#include "cluster/schedule_access.hpp"
#include "cluster/scheduler_state.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <optional>
#include <set>
#include <utility>
#include <vector>

namespace jtimer::cluster {

namespace {

using detail::Micros;
using detail::ScheduleAccess;
using detail::Store;

/// How long from now a task may be due. A Date may be compared with this computer's clock here,
/// because nothing but a notification depends on it.
Micros dueIn(const When& when) {
    if (!when.isDate()) return detail::toMicros(when);
    const auto now = std::chrono::system_clock::now().time_since_epoch();
    return detail::toMicros(when) -
           std::chrono::duration_cast<std::chrono::microseconds>(now).count();
}

Micros dueIn(const NewTask& task) {
    // The next due of a cron task is whole seconds away, where a poll is as good.
    if (ScheduleAccess::kind(task.schedule) == detail::Kind::Cron) return 0;
    return dueIn(ScheduleAccess::first(task.schedule));
}

}  // namespace

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
    // It only needs the schema's name, and connects to nothing.
    return Store(state_->options).scheduleIn(transaction, {task}) != 0;
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
        first = std::min(first, dueIn(task));
    }
    const std::size_t changed =
        state_->stores.with([&](Store& store) { return store.schedule(tasks); });
    if (changed != 0) state_->written(first);
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
    if (changed) state_->written(dueIn(when));
    return changed;
}

std::optional<TaskInfo> Scheduler::find(const std::string& name, const std::string& id) {
    detail::checkKey(name, id);
    return state_->stores.with([&](Store& store) { return store.find(name, id); });
}

std::vector<TaskInfo> Scheduler::list(const Filter& filter) {
    if (filter.name) detail::checkKey("name", *filter.name);
    return state_->stores.with([&](Store& store) { return store.list(filter); });
}

void Scheduler::wakeUp() {
    if (const auto engine = state_->startedEngine()) engine->dispatcher.lookForTasks();
    state_->stores.with([](Store& store) { return store.notify(), true; });
}

Backlog Scheduler::backlog() {
    return state_->stores.with([](Store& store) { return store.backlog(); });
}

void detail::SchedulerState::written(Micros dueIn) {
    if (dueIn > toMicros(options.pollInterval)) return;
    if (const auto started = startedEngine()) started->dispatcher.lookForTasks();
    stores.notifyNodes();
}

}  // namespace jtimer::cluster

// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.

// The functions of a Scheduler that callers use. Those that run tasks are in scheduler.cpp.

#include <jtimer/cluster/scheduler.hpp>

#include "cluster/scheduler_state.hpp"

#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

namespace jtimer::cluster {

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

bool Scheduler::schedule(const NewTask& task) { return state_->client().schedule({task}) != 0; }

bool Scheduler::schedule(pg_conn* transaction, const NewTask& task) {
    return state_->client().scheduleIn(transaction, task);
}

std::size_t Scheduler::scheduleAll(const std::vector<NewTask>& tasks) {
    return state_->client().schedule(tasks);
}

bool Scheduler::cancel(const std::string& name, const std::string& id) {
    return state_->client().cancel(name, id);
}

bool Scheduler::reschedule(const std::string& name, const std::string& id, When when) {
    return state_->client().reschedule(name, id, when);
}

std::optional<TaskInfo> Scheduler::find(const std::string& name, const std::string& id) {
    return state_->client().find(name, id);
}

std::vector<TaskInfo> Scheduler::list(const Filter& filter) {
    return state_->client().list(filter);
}

void Scheduler::wakeUp() { state_->client().wakeUp(); }

Backlog Scheduler::backlog() { return state_->client().backlog(); }

}  // namespace jtimer::cluster

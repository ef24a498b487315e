// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "cluster/scheduler_state.hpp"

#include "cluster/in_handler.hpp"

#include <jtimer/exceptions.hpp>

#include <boost/thread/lock_guard.hpp>

#include <exception>

namespace jtimer::cluster::detail {

using Lock = boost::lock_guard<boost::mutex>;

std::shared_ptr<Engine> SchedulerState::startedEngine() {
    const Lock lock(mutex);
    return engine;
}

bool SchedulerState::stop(std::optional<TimeSpan> wait) {
    std::shared_ptr<Engine> started;
    {
        const Lock lock(mutex);
        if (phase == Phase::Starting)
            throw IllegalStateException("The scheduler is being started.");
        if (engine != nullptr && InHandler::isOf(engine->environment))
            throw IllegalStateException("A handler cannot wait for its own end.");
        phase = Phase::Stopped;
        started = engine;
    }
    return started == nullptr || started->stop(wait);
}

void SchedulerState::announce(Micros dueIn) {
    if (dueIn > toMicros(options.pollInterval)) return;
    if (const auto started = startedEngine()) started->dispatcher.lookForTasks();
    stores.notifyNodes();
}

/// It does not matter whether the notification arrives: a node that does not know of a pause claims
/// nothing, and one that does not know of its end finds out.
void SchedulerState::announcePauses() {
    if (const auto started = startedEngine()) started->dispatcher.readPauses();
    try {
        stores.with([](Store& store) { store.notify(Notification::Renewal); });
    } catch (const std::exception&) {  // NOLINT(bugprone-empty-catch)
    }
}

}  // namespace jtimer::cluster::detail

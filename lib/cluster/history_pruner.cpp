// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "cluster/history_pruner.hpp"

#include "cluster/store.hpp"

#include <optional>

namespace jtimer::cluster::detail {

HistoryPruner::HistoryPruner(Environment& environment)
    : thread_(environment, environment.options.conninfo, *this) {}

void HistoryPruner::prune() {
    const Lock lock(mutex_);
    wanted_ = true;
    condition_.notify_all();
}

void HistoryPruner::stop() {
    const Lock lock(mutex_);
    stopping_ = true;
    condition_.notify_all();
}

/// The pause after a failure is over, or may be.
void HistoryPruner::resume() {
    const Lock lock(mutex_);
    condition_.notify_all();
}

bool HistoryPruner::isStopping() {
    const Lock lock(mutex_);
    return stopping_;
}

bool HistoryPruner::waitForWork() {
    Lock lock(mutex_);
    while (!stopping_ && (thread_.paused() || !wanted_)) condition_.wait(lock);
    wanted_ = false;
    return !stopping_;
}

/// If it fails, whichever node is next asked after a minute goes on.
void HistoryPruner::work() {
    Store& store = thread_.store();
    std::optional<Pruning> pruning = store.beginPruning();
    while (pruning && !isStopping() && store.prune(*pruning)) {
    }
    store.disconnect();
}

}  // namespace jtimer::cluster::detail

// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.

// The functions of a Scheduler that run tasks. Those that callers schedule with are in
// scheduling.cpp.

#include <jtimer/cluster/scheduler.hpp>

#include "cluster/checks.hpp"
#include "cluster/reports.hpp"
#include "cluster/scheduler_state.hpp"

#include <boost/thread/lock_guard.hpp>

#include <unistd.h>

#include <chrono>
#include <utility>

namespace jtimer::cluster {

namespace {

using Lock = boost::lock_guard<boost::mutex>;
using Phase = detail::SchedulerState::Phase;

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

}  // namespace

Scheduler::Scheduler(Options options)
    : state_(std::make_unique<detail::SchedulerState>(checked(std::move(options)))) {}

Scheduler::~Scheduler() {
    const std::shared_ptr<detail::Engine> engine = state_->startedEngine();
    if (engine == nullptr || state_->stop(kPatience)) return;
    detail::printLine("Scheduler \"" + name() +
                      "\" waits for its tasks: " + engine->dispatcher.runningTasks());
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

Stats Scheduler::stats() const {
    Stats stats = state_->counters.read();
    if (const auto engine = state_->startedEngine()) engine->dispatcher.countRuns(stats);
    return stats;
}

const std::string& Scheduler::name() const noexcept { return *state_->options.name; }

namespace detail {

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
        if (engine != nullptr && engine->dispatcher.isInHandler())
            throw IllegalStateException("A handler cannot wait for its own end.");
        phase = Phase::Stopped;
        started = engine;
    }
    return started == nullptr || started->stop(wait);
}

}  // namespace detail

}  // namespace jtimer::cluster

// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include <jtimer/cluster/scheduler.hpp>

#include "cluster/checks.hpp"
#include "cluster/scheduler_state.hpp"

#include <unistd.h>

#include <utility>

namespace jtimer::cluster {

namespace {

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

Scheduler::~Scheduler() = default;

void Scheduler::registerTask(std::string name, Handler handler, TaskOptions options) {
    state_->runtime().registerTask(std::move(name), std::move(handler), options);
}

void Scheduler::start() { state_->runtime().start(); }

void Scheduler::stop() { state_->runtime().stop(std::nullopt); }

bool Scheduler::stop(TimeSpan wait) { return state_->runtime().stop(wait); }

Stats Scheduler::stats() const { return state_->runtime().stats(); }

const std::string& Scheduler::name() const noexcept { return state_->name(); }

}  // namespace jtimer::cluster

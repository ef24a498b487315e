// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "commands.hpp"

#include "job_command.hpp"
#include "trace.hpp"

#include <algorithm>
#include <system_error>

namespace {

/// The exit status of a shell that cannot start a command.
constexpr int kNotStarted = 127;

}  // namespace

bool Commands::run(const Job& job) {
    const Entry& entry = *job.entry;
    const auto print = [&](std::string_view line) {
        const jtimer::Date now = wallClock_.now();
        ledger_.commandPrinted(entry.name, line);
        onLine_(now, entry.name, line);
    };
    const std::shared_ptr<CommandRunner> runner = add(entry.name);
    ledger_.commandBegun(entry.name, wallClock_.now());
    if (job.attempt > 1) {
        print("[retry " + std::to_string(job.attempt - 1) + " of " +
              std::to_string(entry.retry.times) + ']');
    }
    const jtimer::Date begin = steadyClock_.now();
    Ending ending;
    try {
        ending = runner->run(commandOf(job, node_), {entry.timeout, grace_}, print);
    } catch (const std::system_error& e) {
        ending = {e.what(), kNotStarted, false};
    }
    const bool succeeded = ending.failure.empty();
    const jtimer::Date end = steadyClock_.now();
    remove(entry.name);
    if (!succeeded) print("[failed: " + ending.failure + ']');
    if (ending.timedOut) ledger_.commandTimedOut(entry.name);
    ledger_.commandEnded(entry.name, wallClock_.now(), end - begin, succeeded);
    if (trace_ != nullptr) trace_->command(job, begin, end, ending.failure);
    return succeeded;
}

std::shared_ptr<CommandRunner> Commands::add(const std::string& name) {
    auto runner = std::make_shared<CommandRunner>();
    const std::lock_guard lock(mutex_);
    running_.emplace_back(name, runner);
    if (signal_ != 0) runner->end(signal_);
    return runner;
}

void Commands::remove(const std::string& name) {
    const std::lock_guard lock(mutex_);
    running_.erase(std::find_if(running_.begin(), running_.end(),
                                [&](const Running& each) { return each.first == name; }));
}

void Commands::end(const std::string& name, int signal) {
    const std::lock_guard lock(mutex_);
    for (const auto& [each, runner] : running_) {
        if (each == name) runner->end(signal);
    }
}

void Commands::endAll(int signal) {
    const std::lock_guard lock(mutex_);
    signal_ = signal;
    for (const Running& each : running_) each.second->end(signal);
}

std::vector<std::string> Commands::running() {
    const std::lock_guard lock(mutex_);
    std::vector<std::string> names;
    names.reserve(running_.size());
    for (const Running& each : running_) names.push_back(each.first);
    return names;
}

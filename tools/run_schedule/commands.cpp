// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "commands.hpp"

#include "time_text.hpp"
#include "trace.hpp"

#include <algorithm>
#include <csignal>
#include <cstddef>
#include <system_error>

namespace {

/// The exit status of a shell that cannot start a command.
constexpr int kNotStarted = 127;

constexpr std::chrono::minutes kHookTime(1);

/// How much of a command's output a hook gets.
constexpr std::size_t kTail = 16'384;

void cutToTail(std::string& output) {
    if (output.size() > kTail) output.erase(0, output.size() - kTail);
}

void keepTail(std::string& output, std::string_view line) {
    output.append(line).append("\n");
    if (output.size() > 8 * kTail) cutToTail(output);
}

/// Runs a command, and returns when it has ended.
Ending ending(CommandRunner& runner, const Command& command, const Limit& limit,
              const CommandRunner::OnLine& onLine) {
    try {
        return runner.run(command, limit, onLine);
    } catch (const std::system_error& e) {
        return {e.what(), kNotStarted, false};
    }
}

}  // namespace

bool Commands::run(const Job& job) {
    const Entry& entry = *job.entry;
    const auto print = [&](std::string_view line) {
        const jtimer::Date now = wallClock_.now();
        ledger_.commandPrinted(entry.name, line);
        onLine_(now, entry.name, line);
    };
    const std::shared_ptr<CommandRunner> runner = add(entry.name, false);
    FailedCommand result;
    result.started = wallClock_.now();
    ledger_.commandBegun(entry.name, result.started);
    if (job.attempt > 1) {
        print("[retry " + std::to_string(job.attempt - 1) + " of " +
              std::to_string(entry.retry.times) + ']');
    }
    if (verbose_) print("[started]");
    const jtimer::Date begin = steadyClock_.now();
    const CommandRunner::OnLine onLine = [&](std::string_view line) {
        print(line);
        keepTail(result.output, line);
    };
    result.ending = ending(*runner, commandOf(job, node_), {entry.timeout, grace_},
                           isRaw_ ? CommandRunner::OnLine() : onLine);
    const jtimer::Date end = steadyClock_.now();
    result.ended = wallClock_.now();
    remove(runner);
    const std::string failure = result.ending.failure;
    if (!failure.empty()) print("[failed: " + failure + ']');
    if (failure.empty() && verbose_) print("[succeeded after " + inWords(end - begin) + ']');
    if (result.ending.timedOut) ledger_.commandTimedOut(entry.name);
    ledger_.commandEnded(entry.name, result.ended, end - begin, failure.empty());
    if (trace_ != nullptr) trace_->command(job, begin, end, failure);
    if (failure.empty()) return true;
    const std::lock_guard lock(mutex_);
    failed_[entry.name] = std::move(result);
    return false;
}

std::string Commands::runHook(const std::string& script, const Job& job) {
    FailedCommand failed;
    {
        const std::lock_guard lock(mutex_);
        failed = failed_[job.entry->name];
    }
    cutToTail(failed.output);
    const std::shared_ptr<CommandRunner> runner = add("--on-failure of " + job.entry->name, true);
    const CommandRunner::OnLine onLine = [&](std::string_view line) {
        onLine_(wallClock_.now(), job.entry->name, line);
    };
    const Ending result = ending(*runner, hookOf(script, job, node_, failed), {kHookTime, grace_},
                                 isRaw_ ? CommandRunner::OnLine() : onLine);
    remove(runner);
    return result.failure;
}

std::shared_ptr<CommandRunner> Commands::add(const std::string& name, bool isHook) {
    auto runner = std::make_shared<CommandRunner>();
    const std::lock_guard lock(mutex_);
    running_.emplace_back(name, runner);
    if (signal_ == SIGKILL || (signal_ != 0 && !isHook)) runner->end(signal_);
    return runner;
}

void Commands::remove(const std::shared_ptr<CommandRunner>& runner) {
    const std::lock_guard lock(mutex_);
    running_.erase(std::find_if(running_.begin(), running_.end(),
                                [&](const Running& each) { return each.second == runner; }));
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

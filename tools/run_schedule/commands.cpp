// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "commands.hpp"

#include "trace.hpp"

#include <algorithm>
#include <csignal>
#include <cstddef>
#include <string_view>
#include <system_error>

namespace {

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

}  // namespace

/// Runs a command, and returns when it has ended.
/// \param output gets the last of what it prints
Ending Commands::run(const Command& command, const Limit& limit, const std::string& task,
                     bool isHook, std::string& output) {
    const auto linesOf = [&](Stream stream) {
        return [&, stream](std::string_view line) {
            report_.line(wallClock_.now(), task, stream, line);
            keepTail(output, line);
        };
    };
    OnLine onLine, onErrorLine;
    if (report_.streams() != Report::Streams::None) onLine = linesOf(Stream::Output);
    if (report_.streams() == Report::Streams::Apart) onErrorLine = linesOf(Stream::Error);
    const std::shared_ptr<CommandRunner> runner =
        add(isHook ? "--on-failure of " + task : task, isHook);
    Ending ending;
    try {
        ending = runner->run(command, limit, onLine, onErrorLine);
    } catch (const std::system_error& e) {
        ending = {e.what(), kNotStarted, false, 0};
    }
    remove(runner);
    return ending;
}

bool Commands::run(const Job& job) {
    const Entry& entry = *job.entry;
    FailedCommand result;
    result.started = wallClock_.now();
    ledger_.commandBegun(entry.name, result.started);
    if (job.attempt > 1) report_.event(eventOf(Event::Kind::Retried, job, result.started));
    report_.event(eventOf(Event::Kind::Started, job, result.started));
    const jtimer::Date begin = steadyClock_.now();
    result.ending =
        run(commandOf(job, node_), {entry.timeout, grace_}, entry.name, false, result.output);
    const jtimer::Date end = steadyClock_.now();
    result.ended = wallClock_.now();
    const Ending& ending = result.ending;
    const bool succeeded = ending.failure.empty();
    Event event =
        eventOf(succeeded ? Event::Kind::Succeeded : Event::Kind::Failed, job, result.ended);
    event.duration = end - begin;
    event.exitStatus = ending.status;
    event.signal = ending.signal;
    event.reason = ending.failure;
    report_.event(event);
    if (ending.timedOut) ledger_.commandTimedOut(entry.name);
    ledger_.commandEnded(entry.name, result.ended, event.duration, succeeded);
    if (trace_ != nullptr) trace_->command(job, begin, end, ending.failure);
    if (succeeded) return true;
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
    std::string output;
    return run(hookOf(script, job, node_, failed), {kHookTime, grace_}, job.entry->name, true,
               output)
        .failure;
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

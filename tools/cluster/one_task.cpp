// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "one_task.hpp"

#include "json_text.hpp"
#include "status.hpp"
#include "text.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <thread>

namespace cluster_tool {

namespace {

using jtimer::cluster::State;
using jtimer::cluster::TaskInfo;

/// Between looks at a task that runs: at first, and at last.
constexpr std::chrono::milliseconds kFirstPause(50), kLongestPause(1000);

bool isDead(const TaskInfo& task) {
    return task.state == State::Dead ||
           (task.state == State::Paused && task.nextAttempt == jtimer::Date::max());
}

std::string taskIn(const Session& session) {
    return keyText(session.options.name, session.options.id);
}

int changed(Session& session, const std::string& what, const std::string& outcome = {}) {
    const Options& options = session.options;
    session.console.print(options.json ? changedJson(options.name, options.id, true, outcome)
                                       : taskIn(session) + ' ' + what + '\n');
    return kDone;
}

int unchanged(Session& session, const std::string& why) {
    const Options& options = session.options;
    if (options.json && options.command != Command::Show)
        session.console.print(changedJson(options.name, options.id, false));
    Console::tell(taskIn(session) + ' ' + why);
    return kUnchanged;
}

int absent(Session& session) { return unchanged(session, "does not exist"); }

int absentOrRunning(Session& session) {
    return session.find() ? unchanged(session, "is running") : absent(session);
}

int failed(Session& session, const std::string& what, const std::string& outcome) {
    if (session.options.json) changed(session, {}, outcome);
    Console::tell(taskIn(session) + ' ' + what);
    return kRunFailed;
}

/// Waits for the end of the first run that was claimed after one with that token.
int awaitRun(Session& session, std::int64_t before) {
    const auto begin = std::chrono::steady_clock::now();
    const auto& limit = session.options.limit;
    std::int64_t awaited = 0;
    for (auto pause = kFirstPause;; pause = std::min(2 * pause, kLongestPause)) {
        const std::optional<TaskInfo> task = session.find();
        if (!task) return changed(session, "has succeeded", "succeeded");
        if (awaited == 0 && task->fencingToken > before) awaited = task->fencingToken;
        const bool isOver =
            awaited != 0 && (task->fencingToken != awaited || task->state != State::Running);
        if (isOver || isDead(*task)) {
            // It is this run's, as a success would have removed it.
            if (!task->lastError.empty())
                return failed(session, "has failed: " + task->lastError, "failed");
            if (isDead(*task) || task->state == State::Retrying)
                return failed(session, "has failed: its process died", "failed");
            return changed(session, "has succeeded", "succeeded");
        }
        if (limit && std::chrono::steady_clock::now() - begin >= *limit)
            return failed(session, "has not ended in time", "not ended");
        std::this_thread::sleep_for(pause);
    }
}

}  // namespace

int showTask(Session& session) {
    const std::optional<TaskInfo> task = session.find();
    if (!task) return absent(session);
    const bool withPayload = session.options.payload;
    session.console.print(session.options.json ? jsonOf(*task, withPayload)
                                               : textOf(*task, withPayload));
    return kDone;
}

int runTask(Session& session) {
    const Options& options = session.options;
    // A run that begins and ends between this and the next statement would count as the one that is
    // waited for.
    const std::optional<TaskInfo> before = session.find();
    if (!before) return absent(session);
    if (!session.scheduler.runNow(options.name, options.id)) return absentOrRunning(session);
    wakeNodes(session.scheduler);
    if (!options.wait) return changed(session, "is due now");
    if (!options.json) changed(session, "is due now");
    session.console.flush();
    return awaitRun(session, before->fencingToken);
}

int rescheduleTask(Session& session) {
    const Options& options = session.options;
    if (!session.scheduler.reschedule(options.name, options.id, options.when))
        return absentOrRunning(session);
    wakeNodes(session.scheduler);
    return changed(session, "is rescheduled");
}

int cancelTask(Session& session) {
    const std::optional<TaskInfo> task = session.find();
    if (!task) return absent(session);
    session.scheduler.cancel(session.options.name, session.options.id);
    const bool isRunning = task->state == State::Running;
    return changed(session, isRunning ? "is deleted, and its run goes on" : "is deleted");
}

int reviveTask(Session& session) {
    const std::optional<TaskInfo> task = session.find();
    if (!task) return absent(session);
    if (!isDead(*task)) return unchanged(session, "is not dead");
    if (!session.scheduler.reschedule(session.options.name, session.options.id, 0))
        return absentOrRunning(session);
    wakeNodes(session.scheduler);
    return changed(session, "is due now");
}

}  // namespace cluster_tool

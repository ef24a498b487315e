// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "serve_actions.hpp"

#include "session.hpp"
#include "text.hpp"

#include <jtimer/cluster/exceptions.hpp>

#include <chrono>
#include <optional>
#include <utility>

namespace cluster_tool {

namespace {

using jtimer::cluster::Scope;
using jtimer::cluster::State;
using jtimer::cluster::Target;
using jtimer::cluster::TaskInfo;
using page::Action;
using page::Result;
using page::Subject;

/// Of each transaction. The client waits for all.
constexpr std::chrono::milliseconds kMostTime(4000);

jtimer::cluster::Options actingOptions(jtimer::cluster::Options options) {
    options.operationTimeout = kMostTime;
    return options;
}

Target targetIn(const Subject& subject) {
    return targetOf(subject.scope.value_or(Scope::Everything), subject.name, subject.id);
}

}  // namespace

Actions::Actions(jtimer::cluster::Options options)
    : scheduler_(actingOptions(std::move(options))) {}

page::Done Actions::perform(const Instruction& instruction) {
    page::Done done;
    done.action = instruction.action;
    done.subject = instruction.subject;
    done.result = change(instruction, done);
    if (done.result == Result::Changed && done.action != Action::Pause &&
        done.action != Action::Cancel)
        wakeNodes(scheduler_);
    return done;
}

Result Actions::change(const Instruction& instruction, page::Done& done) {
    const Subject& subject = instruction.subject;
    switch (instruction.action) {
    case Action::Run:
        return scheduler_.runNow(subject.name, subject.id) ? Result::Changed
                                                           : absentOr(Result::Running, subject);
    case Action::Reschedule:
        return scheduler_.reschedule(subject.name, subject.id, instruction.when)
                   ? Result::Changed
                   : absentOr(Result::Running, subject);
    case Action::Pause:
        return scheduler_.pause(targetIn(subject), instruction.note)
                   ? Result::Changed
                   : absentOr(Result::Already, subject);
    case Action::Resume:
        return scheduler_.resume(targetIn(subject), instruction.missed)
                   ? Result::Changed
                   : absentOr(Result::Already, subject);
    case Action::Revive:
        done.count = scheduler_.revive(subject.filter);
        return done.count > 0 ? Result::Changed : Result::Absent;
    case Action::Cancel:
        break;
    }
    return cancel(subject, done);
}

Result Actions::cancel(const Subject& subject, page::Done& done) {
    if (!subject.scope) {
        done.count = scheduler_.cancelAll(subject.filter);
        return done.count > 0 ? Result::Changed : Result::Absent;
    }
    const std::optional<TaskInfo> task = scheduler_.find(subject.name, subject.id);
    if (!task) return Result::Absent;
    scheduler_.cancel(subject.name, subject.id);
    return task->state == State::Running ? Result::Running : Result::Changed;
}

/// Why nothing has changed.
Result Actions::absentOr(Result result, const Subject& subject) {
    const bool isTask = subject.scope == Scope::Task;
    return isTask && !scheduler_.find(subject.name, subject.id) ? Result::Absent : result;
}

std::string textOf(const page::Done& done) {
    if (!done.subject.scope) return tasksText(done.count);
    return page::nameOf(done.result);
}

}  // namespace cluster_tool

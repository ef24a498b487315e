// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "line_tasks.hpp"

#include "task_name.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>

using jtimer::Date;
using jtimer::cluster::SchemaException;
using ClusterSchedule = jtimer::cluster::Schedule;

namespace {

constexpr std::size_t kMostTasks = 100'000;

ClusterSchedule scheduleOf(const Entry& entry, Date now) {
    const auto missedRuns =
        entry.overlap == Overlap::Skip ? jtimer::MissedRuns::Skip : jtimer::MissedRuns::Once;
    switch (entry.kind) {
    case Entry::Kind::After:
        return ClusterSchedule::once(entry.after);
    case Entry::Kind::At:
        return ClusterSchedule::once(entry.firstDate(now));
    case Entry::Kind::Every:
        return ClusterSchedule::fixedDelay(entry.after, entry.period);
    case Entry::Kind::Rate:
        return ClusterSchedule::fixedRate(entry.after, entry.period, missedRuns);
    case Entry::Kind::Cron:
        break;
    }
    return ClusterSchedule::cron(entry.calendar->expression(), entry.calendar->zone().name(),
                                 missedRuns);
}

}  // namespace

jtimer::cluster::Options clusterOptions(const Options& options) {
    jtimer::cluster::Options result;
    result.conninfo = options.cluster;
    result.schema = options.schema;
    if (!options.node.empty()) result.name = options.node;
    result.concurrency = options.jobs;
    return result;
}

jtimer::cluster::NewTask newTaskOf(const Entry& entry, Date now) {
    return {taskNameOf(entry), taskIdOf(entry), scheduleOf(entry, now), {}};
}

jtimer::cluster::TaskOptions taskOptionsOf(const Entry& entry) {
    jtimer::cluster::TaskOptions options;
    options.maxAttempts = entry.retry.times + 1;
    options.firstBackoff = entry.retry.delay;
    options.maxBackoff =
        std::max<std::chrono::milliseconds>(entry.retry.delay, std::chrono::hours(1));
    options.goesOnAfterCrashes = true;
    return options;
}

std::vector<jtimer::cluster::TaskInfo> allTasks(jtimer::cluster::Scheduler& scheduler,
                                                jtimer::cluster::Filter filter) {
    filter.limit = kMostTasks;
    try {
        return scheduler.list(filter);
    } catch (const SchemaException& e) {
        // The library says what a program has to do, and not its user.
        constexpr std::string_view kProgram = "call migrate()";
        std::string what = e.what();
        const std::size_t begin = what.find(kProgram);
        if (begin == what.npos) throw;
        what.replace(begin, kProgram.size(), "a start of run_schedule sets it up, if its role may");
        throw SchemaException(what);
    }
}

// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
//
// How many runs and inserts a second.

#include "bare.hpp"
#include "node.hpp"
#include "peers.hpp"
#include "processes.hpp"
#include "workloads.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace bench {

namespace {

constexpr auto kAtLeast = Figure::Goal::AtLeast;
constexpr auto kNone = Figure::Goal::None;

/// A process that runs tasks, by the library or by bare statements.
using Worker = void (*)(Shared& shared, std::size_t process, const std::string& schema, int batch);

/// Claims a batch, ends it, and so on.
void workBare(Shared& shared, std::size_t process, const std::string& schema, int batch) {
    const Bare bare(schema);
    ++shared.ready;
    while (!shared.stop) {
        const Bare::Claimed tasks = bare.claim(batch);
        if (!tasks.ids.empty()) bare.end(tasks);
        shared.done[process] += static_cast<long>(tasks.ids.size());
    }
}

void workJtimer(Shared& shared, std::size_t process, const std::string& schema, int batch) {
    Node node(shared, process, schema, batch);
    node.run();
}

/// Leaves so many tasks that are due, and no others but those of the far future.
void fill(const std::string& schema, long tasks) {
    const Database database;
    database.run("delete from " + schema + ".task where name = 'bench'");
    database.run("delete from " + schema + ".node");
    database.run("vacuum " + schema + ".task");
    database.run("insert into " + schema +
                 ".task (name, id, payload, kind, missed, origin, due, wake)"
                 " select 'bench', i, '', 'once', 'once', now(), now(), now()"
                 " from generate_series(1, " +
                 std::to_string(tasks) + ") i");
    database.run("analyze " + schema + ".task");
}

struct Crew {
    Worker worker;
    std::size_t processes;
    int batch;  ///< or concurrency
};

void start(Processes& processes, const Crew& crew, const std::string& schema) {
    for (std::size_t i = 0; i < crew.processes; ++i)
        processes.start([&](Shared& shared, std::size_t process) {
            crew.worker(shared, process, schema, crew.batch);
        });
}

/// Runs a second; the first tenth of the tasks warms up.
double rate(const Crew& crew, long tasks, const std::string& schema = "jtimer") {
    fill(schema, tasks);
    Processes processes;
    start(processes, crew, schema);
    const Shared& shared = processes.shared();
    Processes::await([&] { return shared.allDone() >= tasks / 10; });
    const long before = shared.allDone();
    const std::int64_t begin = nanos();
    Processes::await([&] { return shared.allDone() >= tasks; });
    return static_cast<double>(tasks - before) * 1e9 / static_cast<double>(nanos() - begin);
}

/// Calls a second of `threads` threads, for some seconds.
template <class Call>
double callRate(const Settings& settings, int threads, const Call& call) {
    fill("jtimer", 0);
    Processes processes;
    processes.start([&](Shared& shared, std::size_t) { call(shared, threads); });
    Processes::await([&] { return processes.shared().allDone() > 0; });
    const long before = processes.shared().allDone();
    const std::int64_t begin = nanos();
    pause(std::chrono::seconds(settings.quick ? 1 : 3));
    const long after = processes.shared().allDone();
    return static_cast<double>(after - before) * 1e9 / static_cast<double>(nanos() - begin);
}

}  // namespace

void measureRuns(Report& report, const Settings& settings) {
    const long tasks = settings.quick ? 500 : 3000;
    const double bare = rate({workBare, 1, 10}, tasks);
    const double ours = rate({workJtimer, 1, 10}, tasks);
    report.add({"C1", "runs/s, a node, concurrency 10", "bare, batches of 10", kAtLeast, 0.8}, ours,
               bare);
    if (const double theirs = graphileRate(settings, 10, -1, tasks); theirs > 0)
        report.add({"C1", "runs/s, a node, concurrency 10", "Graphile Worker", kAtLeast, 1.2}, ours,
                   theirs);
    const QuartzRates quartz = quartzRates(settings, tasks / 5);
    if (quartz.runs == 0) return;
    report.add({"C1", "runs/s, a node, concurrency 10", "Quartz", kAtLeast, 4}, ours, quartz.runs);
    report.add({"C1", "schedule calls/s, 8 threads", "Quartz", kAtLeast, 2},
               callRate(settings, 8, scheduleInThreads), quartz.inserts);
}

void measureRunsOfNodes(Report& report, const Settings& settings) {
    const long tasks = settings.quick ? 10'000 : 60'000;
    const double bare = rate({workBare, 4, 100}, tasks);
    const double ours = rate({workJtimer, 4, 100}, tasks);
    report.add({"C2", "runs/s, 4 nodes, concurrency 100", "bare, 4 connections, batches of 100",
                kAtLeast, 0.7},
               ours, bare);
}

void measureRunsBesideQueue(Report& report, const Settings& settings) {
    const long tasks = settings.quick ? 5000 : 30'000;
    const double ours = rate({workJtimer, 1, 100}, tasks);
    if (const double theirs = graphileRate(settings, 100, 500, tasks); theirs > 0)
        report.add({"C3", "runs/s, a node, concurrency 100", "Graphile Worker, local queue of 500",
                    kAtLeast, 1},
                   ours, theirs);
}

void measureScheduling(Report& report, const Settings& settings) {
    const auto bareRate = [&](long tasks, void (*insert)(const Bare&)) {
        return callRate(settings, 1, [=](Shared& shared, int) {
            const Bare bare;
            for (++shared.ready; !shared.stop; shared.done[0] += tasks) insert(bare);
        });
    };
    const double bareOne = bareRate(1, [](const Bare& bare) { bare.insert(newIds(1)); });
    report.add({"C4", "schedule calls/s, a thread", "bare inserts", kAtLeast, 0.8},
               callRate(settings, 1, scheduleInThreads), bareOne);
    report.add({"C4", "bare inserts/s, each between a begin and a commit", "bare inserts", kNone},
               bareRate(1, [](const Bare& bare) { bare.insertBetween(newIds(1)[0]); }), bareOne);
    const double bareMany = bareRate(1000, [](const Bare& bare) { bare.insert(newIds(1000)); });
    report.add({"C4", "tasks/s, scheduleAll of 1,000", "bare inserts of 1,000", kAtLeast, 0.7},
               callRate(settings, 1, scheduleMany), bareMany);
}

void measureFutureTasks(Report& report, const Settings& settings) {
    const std::string schema = "million";
    if (migrateAgain(schema)) {
        const Database database;
        database.run("insert into million.task (name, id, payload, kind, missed, origin, due, wake)"
                     " select 'bench later', i, '', 'once', 'once', at, at, at"
                     " from generate_series(1, " +
                     std::string(settings.quick ? "100000" : "1000000") +
                     ") i, lateral (select now() + interval '1 day' + random() * i * interval '1 s'"
                     " as at) clock");
        database.run("vacuum analyze million.task");
        database.run("checkpoint");  // not while the rates are measured
    }
    const long tasks = settings.quick ? 3000 : 30'000;
    const double without = rate({workJtimer, 1, 100}, tasks);
    report.add(
        {"C5",
         std::string("runs/s, beside ") + (settings.quick ? "100,000" : "a million") + " later",
         "without them", kAtLeast, 0.9},
        rate({workJtimer, 1, 100}, tasks, schema), without);
}

void measureSnapshot(Report& report, const Settings& settings) {
    const auto seconds = std::chrono::seconds(settings.quick ? 4 : 20);
    const long tasks = settings.quick ? 150'000 : 800'000;
    // Of the last quarter of the time.
    const auto lateRate = [&](bool held) {
        fill("jtimer", tasks);
        const Database holder;
        Processes processes;
        start(processes, {workJtimer, 1, 100}, "jtimer");
        if (held)
            holder.run("begin isolation level repeatable read; select count(*) from jtimer.meta");
        pause(seconds * 3 / 4);
        const long before = processes.shared().allDone();
        const std::int64_t begin = nanos();
        pause(seconds / 4);
        const double rate = static_cast<double>(processes.shared().allDone() - before) * 1e9 /
                            static_cast<double>(nanos() - begin);
        processes.kill(0);
        return rate;
    };
    const double without = lateRate(false);
    report.add({"C6",
                std::string("runs/s, a snapshot held for ") + (settings.quick ? "4 s" : "20 s"),
                "without one", kAtLeast, 0.5},
               lateRate(true), without);
}

void measureHistory(Report& report, const Settings& settings) {
    const long tasks = settings.quick ? 5000 : 30'000;
    jtimer::cluster::Scheduler scheduler;
    // Each node asks what to keep when it starts.
    scheduler.keepHistory(jtimer::cluster::History::All);
    const double with = rate({workJtimer, 1, 100}, tasks);
    scheduler.keepHistory(jtimer::cluster::History::Off);
    Database().run("truncate jtimer.run");
    report.add(
        {"C11", "runs/s, a node, concurrency 100, History::All", "history off", kAtLeast, 0.75},
        with, rate({workJtimer, 1, 100}, tasks));
}

}  // namespace bench

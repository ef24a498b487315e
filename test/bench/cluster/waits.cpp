// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
//
// How late runs begin, what an idle node does, and how long a take-over takes.

#include "bare.hpp"
#include "node.hpp"
#include "processes.hpp"
#include "workloads.hpp"

#include <jtimer/cluster/scheduler.hpp>

#include <chrono>
#include <cstddef>
#include <random>
#include <set>
#include <string>
#include <thread>
#include <vector>

namespace bench {

namespace {

using namespace std::chrono_literals;
using jtimer::cluster::Run;
using jtimer::cluster::Scheduler;

constexpr auto kAtMost = Figure::Goal::AtMost;
constexpr auto kNone = Figure::Goal::None;
constexpr double kMillis = 1e6;  // in nanoseconds

constexpr const char* kPaused = "paused";

/// A node of the tasks named "bench" that says when a run begins, and how late.
void startNode(Processes& processes, jtimer::TimeSpan lease = 30'000,
               jtimer::TimeSpan pollInterval = 1000, bool endless = false) {
    processes.start([&](Shared& shared, std::size_t process) {
        Node node(shared, process, "jtimer", 10);
        node.options.lease = lease;
        node.options.pollInterval = pollInterval;
        node.otherName = kPaused;
        node.run([&shared, endless](Run& run) {
            shared.begunAt = nanos();
            shared.add(std::chrono::duration<double, std::milli>(std::chrono::system_clock::now() -
                                                                 run.scheduledExecutionTime())
                           .count());
            ++shared.runs;
            while (endless) pause(1s);
        });
    });
}

/// As long as a node waits between two tasks that come now and then.
void pauseAtRandom() {
    static std::minstd_rand random(static_cast<unsigned>(nanos()));
    pause(std::chrono::milliseconds(30 + random() % 70));
}

void clear() { Database().run("truncate jtimer.task, jtimer.node, jtimer.pause"); }

/// Tasks of that name that have been due for an hour.
void addDueTasks(const std::string& name, int count) {
    const Database database;
    database.run("insert into jtimer.task (name, id, payload, kind, missed, origin, due, wake)"
                 " select '" +
                 name + "', i, '', 'once', 'once', at, at, at from generate_series(1, " +
                 std::to_string(count) +
                 ") i, lateral (select now() - interval '1 hour' as at) clock");
    database.run("vacuum analyze jtimer.task");
}

/// From the call of schedule() to the start of the run in another process, in milliseconds.
std::vector<double> waitsForRuns(int count) {
    clear();
    Processes node;
    startNode(node);
    Processes caller;
    caller.start([&](Shared& shared, std::size_t) {
        Scheduler scheduler;
        scheduler.schedule("nobody's", "warms up", 1h);
        for (int i = 0; i < count; ++i) {
            pauseAtRandom();
            const std::int64_t begin = nanos();
            scheduler.schedule("bench", newIds(1)[0], 0);
            Processes::await([&] { return node.shared().runs > i; });
            shared.add(static_cast<double>(node.shared().begunAt - begin) / kMillis);
        }
        ++shared.ready;
    });
    return caller.shared().allSamples();
}

/// How late tasks begin that were scheduled before, beside what the table has.
std::vector<double> latenessOfKnownDues(int count) {
    Processes node;
    startNode(node);
    Processes caller;
    caller.start([&](Shared& shared, std::size_t) {
        Scheduler scheduler;
        std::minstd_rand random(static_cast<unsigned>(nanos()));
        for (int i = 0; i < count; ++i)
            scheduler.schedule(
                "bench", newIds(1)[0],
                std::chrono::microseconds(1'500'000 +
                                          random() % static_cast<unsigned long>(count * 50'000)));
        ++shared.ready;
    });
    Processes::await([&] { return node.shared().runs >= count; });
    return node.shared().allSamples();
}

/// Of one task, in milliseconds. As often as those of the node: a processor that has been idle
/// takes several times as long as one that goes from claim to claim.
double bareClaim(int count) {
    clear();
    const Database database;
    const Bare bare;
    std::vector<double> spans;
    for (int i = 0; i < count; ++i) {
        bare.insert("one");
        database.run("update jtimer.task set wake = now()");
        pauseAtRandom();
        const std::int64_t begin = nanos();
        const Bare::Claimed task = bare.claim(1);
        spans.push_back(static_cast<double>(nanos() - begin) / kMillis);
        bare.end(task);
    }
    return quantile(spans, 0.5);
}

/// From an insert, which notifies, to the claim in another process, in milliseconds.
double bareWait(int count) {
    clear();
    Processes processes;
    processes.start([&](Shared& shared, std::size_t) {
        const Bare listener, bare;
        listener.listen();
        for (++shared.ready; !shared.stop; ++shared.runs) {
            listener.awaitNotification();
            const Bare::Claimed task = bare.claim(1);
            shared.begunAt = nanos();
            bare.end(task);
        }
    });
    const Shared& shared = processes.shared();
    const Bare bare;
    std::vector<double> spans;
    for (int i = 0; i < count; ++i) {
        pauseAtRandom();
        const std::int64_t begin = nanos();
        bare.insertDueAndNotify(newIds(1)[0]);
        Processes::await([&] { return shared.runs > i; });
        spans.push_back(static_cast<double>(shared.begunAt - begin) / kMillis);
    }
    processes.kill(0);
    return quantile(spans, 0.5);
}

}  // namespace

void measureLateness(Report& report, const Settings& settings) {
    const int count = settings.quick ? 20 : 100;
    const double claim = bareClaim(count);
    const std::vector<double> waits = waitsForRuns(count);
    report.add({"C7", "ms from schedule(now) to the run in another process, p50", "bare claim",
                kAtMost, 2},
               quantile(waits, 0.5), claim);
    report.add({"C7", "the same, p99", "", kAtMost, 50}, quantile(waits, 0.99));
    report.add({"C7", "ms from a bare insert and notify to a bare claim in another process, p50",
                "bare claim", kNone},
               bareWait(count), claim);
    clear();
    const std::vector<double> lateness = latenessOfKnownDues(count);
    report.add({"C7", "ms late of a known due, p50", "bare claim", kAtMost, 2},
               quantile(lateness, 0.5), claim);
    report.add({"C7", "the same, p99 ", "", kAtMost, 50}, quantile(lateness, 0.99));
}

void measureLatenessBesideOthers(Report& report, const Settings& settings) {
    const int count = settings.quick ? 20 : 100;
    const int others = settings.quick ? 30'000 : 300'000;
    clear();
    const double alone = quantile(latenessOfKnownDues(count), 0.5);
    clear();
    addDueTasks("foreign", others);
    report.add({"C10", "ms late of a known due, p50, beside due tasks that no node runs",
                "without them", kAtMost, 1.3},
               quantile(latenessOfKnownDues(count), 0.5), alone);
    clear();
    addDueTasks(kPaused, others);
    Scheduler().pause(jtimer::cluster::Target::name(kPaused));
    report.add({"C10", "the same, beside due tasks of a paused name", "without them", kAtMost, 1.3},
               quantile(latenessOfKnownDues(count), 0.5), alone);
    clear();
}

void measureIdleNode(Report& report, const Settings& settings) {
    const int seconds = settings.quick ? 4 : 10;
    const Database database;
    const auto walOf = [&](std::chrono::microseconds span) {
        const std::string position = database.run("select pg_current_wal_insert_lsn()")[0][0];
        pause(span);
        return database.number("select pg_current_wal_insert_lsn() - '" + position + "'");
    };
    {
        // No renewal falls into this one, and nothing else writes: autovacuum would.
        clear();
        database.run("alter system set autovacuum = off");
        database.run("select pg_reload_conf()");
        database.run("vacuum");
        database.run("checkpoint");
        Processes processes;
        startNode(processes, 1h, 100ms);
        pause(500ms);
        const std::string workers = "select count(*) from pg_stat_activity"
                                    " where backend_type = 'autovacuum worker'";
        Processes::await([&] { return database.number(workers) == 0; });
        report.add({"C8", "bytes of WAL by claims of an idle node", "", kAtMost, 0},
                   static_cast<double>(walOf(std::chrono::seconds(seconds))));
        database.run("alter system reset autovacuum");
        database.run("select pg_reload_conf()");
    }
    clear();
    Processes processes;
    startNode(processes, 3s, 1s);
    pause(500ms);  // from the middle between two claims to another one
    std::set<std::string> leases;
    const long before = processes.shared().polls;
    const std::int64_t end = nanos() + std::int64_t{seconds} * 1'000'000'000;
    for (; nanos() < end; pause(10ms))
        leases.insert(database.run("select lease_until from jtimer.node").at(0).at(0));
    report.add({"C8", "claims each pollInterval of an idle node", "", kAtMost, 1},
               static_cast<double>(processes.shared().polls - before) / seconds);
    report.add({"C8", "renewals each lease", "", kAtMost, 3},
               static_cast<double>(leases.size() - 1) * 3 / seconds);
}

void measureTakeOver(Report& report, const Settings&) {
    clear();
    Processes processes;
    startNode(processes, 2s, 1s, true);
    const Shared& shared = processes.shared();
    Bare().insert("endless");
    Database().run("update jtimer.task set wake = now(), due = now()");
    Processes::await([&] { return shared.runs == 1; });
    startNode(processes, 2s, 1s, true);
    std::minstd_rand random(static_cast<unsigned>(nanos()));
    pause(std::chrono::milliseconds(random() % 1000));
    const std::int64_t begin = nanos();
    processes.kill(0);
    Processes::await([&] { return shared.runs == 2; });
    report.add({"C9", "s from kill -9 to the run by another node, lease 2 s", "", kAtMost, 2.5},
               static_cast<double>(shared.begunAt - begin) / 1e9);
    processes.kill(1);
}

}  // namespace bench

// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

// What a node of the stress runs, and how its tasks are scheduled. The library of schema version 1
// compiles it, too: version1/node.cpp.

#include "cluster/plain_session.hpp"

#include <jtimer/cluster/scheduler.hpp>

#include <boost/thread/thread.hpp>

#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <unistd.h>
#include <vector>

namespace test::stress {

namespace cluster = jtimer::cluster;

constexpr int kLease = 1000;
constexpr int kRepeating = 20;
constexpr int kCron = 4;

/// A one-shot of this number. Those that are called `mortal` die now and then, and those called
/// `doomed` are cancelled by the dozen.
inline std::string nameOf(int number) {
    return number % 4 == 0 ? "mortal" : number % 4 == 1 ? "doomed" : "once";
}

inline void sleepFor(std::chrono::milliseconds time) {
    boost::this_thread::sleep_for(boost::chrono::milliseconds(time.count()));
}

inline std::string environment(const char* name) {
    const char* const value = std::getenv(name);
    return value == nullptr ? "" : value;
}

/// Of the node or scheduler with this name, which its connections have, too.
inline cluster::Options optionsOf(const std::string& conninfo, const std::string& name,
                                  const std::string& application = "jtimer") {
    cluster::Options options;
    options.conninfo = conninfo + " application_name=" + application;
    options.name = name;
    options.lease = kLease;
    options.pollInterval = 500;
    options.operationTimeout = 3000;
    options.concurrency = 8;
    return options;
}

/// The effect and the end of the run, together.
inline void takeEffect(cluster::Run& run) {
    thread_local std::optional<Session> session;
    try {
        if (!session.has_value()) session.emplace(environment("STRESS_CONNINFO"));
        Session& sql = *session;
        sql("begin");
        sql("insert into effect (name, id, due, token, attempt, pid) values ($1, $2, $3, $4, $5, "
            "$6)",
            {run.name(), run.id(),
             std::to_string(std::chrono::duration_cast<std::chrono::microseconds>(
                                run.scheduledExecutionTime().time_since_epoch())
                                .count()),
             std::to_string(run.fencingToken()), std::to_string(run.attempt()),
             std::to_string(::getpid())});
        if (run.fencingToken() % 3 == 0) sleepFor(std::chrono::milliseconds(20));
        run.complete(sql.get());
        sql("commit");
    } catch (...) {
        session.reset();  // which rolls back
        throw;
    }
}

inline void registerTasks(cluster::Scheduler& scheduler) {
    cluster::TaskOptions tireless;
    tireless.maxAttempts = 1'000'000;
    tireless.maxCrashes = 1'000'000;
    tireless.firstBackoff = 50;
    tireless.maxBackoff = 500;
    const auto once = [](cluster::Run& run) {
        const std::int64_t token = run.fencingToken();
        if (token % 5 == 0) sleepFor(std::chrono::milliseconds(token % 300));
        if (token % 11 == 0) throw std::runtime_error("now and then");
        takeEffect(run);
    };
    scheduler.registerTask("once", once, tireless);
    scheduler.registerTask("doomed", once, tireless);
    scheduler.registerTask("repeat", takeEffect, tireless);
    scheduler.registerTask("cron", takeEffect, tireless);
    cluster::TaskOptions mortal = tireless;
    mortal.maxAttempts = 1;
    scheduler.registerTask("mortal", once, mortal);
}

/// A node until its standard input ends. Its name stays when its process is followed by another.
inline void runNode(const std::function<void(cluster::Scheduler&)>& registerMore = {}) {
    cluster::Scheduler scheduler(
        optionsOf(environment("STRESS_CONNINFO"), environment("STRESS_NAME")));
    registerTasks(scheduler);
    if (registerMore) registerMore(scheduler);
    for (;;) {
        try {
            scheduler.start();
            break;
        } catch (const cluster::DatabaseException&) {
            sleepFor(std::chrono::milliseconds(50));  // the server is just being restarted
        }
    }
    char byte = 0;
    while (::read(STDIN_FILENO, &byte, 1) != 0) continue;
    scheduler.stop();
}

/// Calls the function until the database has answered it, also if that makes it twice.
template <class Function>
auto insist(const Function& function) {
    for (;;) {
        try {
            return function();
        } catch (const cluster::DatabaseException&) {
            sleepFor(std::chrono::milliseconds(10));
        }
    }
}

/// The repeating task with this number; beyond kRepeating, of cron.
inline cluster::NewTask repeatingTask(int number) {
    using cluster::Schedule;
    const std::string id = std::to_string(number);
    if (number >= kRepeating) return {"cron", id, Schedule::cron("* * * * *", "Europe/Berlin"), {}};
    return {"repeat",
            id,
            number % 2 == 0 ? Schedule::fixedRate(0, 400 + 10 * number)
                            : Schedule::fixedDelay(0, 300 + 10 * number),
            {}};
}

/// The one-shots of these numbers, and before the first one those that repeat.
/// \returns false if it is not known whether they exist. A second call might make them again after
///   their run.
inline bool scheduleTasks(cluster::Scheduler& scheduler, int from, int to) {
    std::vector<cluster::NewTask> tasks;
    for (int i = 0; from == 0 && i < kRepeating + kCron; ++i) tasks.push_back(repeatingTask(i));
    for (int i = from; i < to; ++i) {
        const int delay = i * 37 % (nameOf(i) == "doomed" ? 3000 : 500);
        tasks.push_back({nameOf(i), std::to_string(i), cluster::Schedule::once(delay), {}});
    }
    return insist([&] {
        try {
            scheduler.scheduleAll(tasks);
            return true;
        } catch (const cluster::OutcomeUnknownException&) {
            return false;
        }
    });
}

}  // namespace test::stress

// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "cluster/page/pages.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

/// \file
/// Values that the tests of pages show.

namespace page_test {

using jtimer::Date;
using jtimer::cluster::NameInfo;
using jtimer::cluster::NodeInfo;
using jtimer::cluster::Outcome;
using jtimer::cluster::PastRun;
using jtimer::cluster::PastRuns;
using jtimer::cluster::Pause;
using jtimer::cluster::Scope;
using jtimer::cluster::State;
using jtimer::cluster::TaskInfo;
using std::chrono::milliseconds;
using std::chrono::seconds;

/// 2030-01-01T00:00:00Z
inline const Date kNow{seconds(1'893'456'000)};

/// Ends elements and attributes, and turns the direction of text.
inline const std::string kHostile = "</title><script>alert('\"&\")</script>\xE2\x80\xAE\x1b\xFFz";

/// kHostile in HTML.
inline const std::string kHarmless =
    "&lt;/title&gt;&lt;script&gt;alert(&#39;&quot;&amp;&quot;)&lt;/script&gt;"
    "\\xe2\\x80\\xae\\x1b\\xffz";

inline page::Context context() {
    page::Context context;
    context.cluster = "jtimer at db.example";
    context.now = context.read = kNow;
    return context;
}

/// With actions.
inline page::Context actingContext() {
    page::Context acting = context();
    acting.actions = true;
    acting.token = "0123abcd";
    return acting;
}

inline TaskInfo taskOf(std::string name, std::string id, State state = State::Scheduled) {
    TaskInfo task;
    task.name = std::move(name);
    task.id = std::move(id);
    task.state = state;
    task.scheduledExecutionTime = kNow + seconds(90);
    task.nextAttempt = state == State::Dead ? Date::max() : kNow + seconds(90);
    task.kind = "fixed rate";
    task.period = 300'000;
    if (state == State::Running) {
        task.runningOn = "worker-1";
        task.runningSince = kNow - milliseconds(2500);
        task.attempt = 1;
    }
    return task;
}

inline NameInfo nameOf(std::string name) {
    NameInfo info;
    info.name = std::move(name);
    info.scheduled = 3;
    info.registeringNodes = 1;
    info.nextDue = kNow + seconds(90);
    return info;
}

inline NodeInfo nodeOf(std::int64_t number, std::vector<std::string> names) {
    NodeInfo node;
    node.number = number;
    node.name = "worker-" + std::to_string(number);
    node.library = "1.2.0";
    node.started = kNow - std::chrono::hours(3);
    node.lease = 30'000;
    node.leaseLeft = 21'000;
    node.concurrency = 16;
    node.running = 4;
    node.names = std::move(names);
    return node;
}

inline Pause pauseOf(Scope scope, std::string name) {
    return {scope, std::move(name), {}, kNow - std::chrono::minutes(5), "ann@host", "maintenance"};
}

inline PastRun runOf(std::int64_t token, Outcome outcome, seconds before) {
    PastRun run;
    run.name = "report";
    run.id = "nightly";
    run.node = "worker-1";
    run.attempt = 1;
    run.fencingToken = token;
    run.finished = kNow - before;
    run.started = run.finished - milliseconds(1200);
    run.due = run.started - milliseconds(10);
    run.outcome = outcome;
    if (outcome != Outcome::Succeeded) run.error = "Connection refused";
    return run;
}

inline page::Overview overviewOf(std::vector<NameInfo> names, std::vector<NodeInfo> nodes,
                                 std::vector<Pause> pauses = {}) {
    return {jtimer::cluster::Backlog(), std::move(names),
            std::move(nodes),           std::move(pauses),
            std::vector<TaskInfo>(),    std::vector<TaskInfo>(),
            std::vector<TaskInfo>(),    PastRuns()};
}

inline bool contains(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

inline std::size_t countOf(const std::string& text, const std::string& part) {
    std::size_t count = 0;
    for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
        ++count;
    return count;
}

}  // namespace page_test

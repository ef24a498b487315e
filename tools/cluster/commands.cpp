// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "commands.hpp"

#include "../text/parsing.hpp"
#include "json_text.hpp"
#include "many_tasks.hpp"
#include "one_task.hpp"
#include "pauses.hpp"
#include "serve.hpp"
#include "session.hpp"
#include "status.hpp"
#include "text.hpp"

#include <jtimer/cluster/migrate.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace cluster_tool {

namespace {

using jtimer::cluster::NameInfo;
using jtimer::cluster::NodeInfo;
using jtimer::cluster::PastRun;
using jtimer::cluster::Pause;
using jtimer::cluster::TaskInfo;

template <class Value, class ToJson>
int print(Session& session, const std::vector<Value>& values, ToJson toJson) {
    if (session.options.json) {
        for (const Value& value : values) session.console.print(toJson(value));
    } else {
        session.console.print(textOf(values, Console::width()));
    }
    return kDone;
}

int list(Session& session) {
    std::vector<TaskInfo> tasks;
    const std::size_t most = session.options.filter.limit;
    if (session.options.id.empty()) {
        session.forEach(session.options.filter, [&](TaskInfo& task) {
            tasks.push_back(std::move(task));
            return tasks.size() <= most;
        });
    } else if (std::optional<TaskInfo> task = session.find()) {
        tasks.push_back(*std::move(task));
    }
    const bool isCut = tasks.size() > most;
    if (isCut) tasks.pop_back();
    print(session, tasks, [](const TaskInfo& task) { return jsonOf(task, false); });
    if (isCut) Console::tell("there are more than " + tasksText(most) + ": see --limit");
    return kDone;
}

int backlog(Session& session) {
    const jtimer::cluster::Backlog backlog = session.scheduler.backlog();
    session.console.print(session.options.json ? jsonOf(backlog) : textOf(backlog));
    return kDone;
}

int history(Session& session) {
    const jtimer::cluster::PastRuns past = session.scheduler.history(session.options.past);
    print(session, past.runs, [](const PastRun& run) { return jsonOf(run); });
    if (!past.complete) Console::tell("there may be earlier runs: see --limit and --before");
    return kDone;
}

int keepHistory(Session& session) {
    const Options& options = session.options;
    session.scheduler.keepHistory(options.kept, options.age, options.rows);
    session.console.print(keptText(options.kept, options.age, options.rows));
    return kDone;
}

int migrate(const Options& options, Console& console) {
    jtimer::cluster::migrate(clusterOptions(options));
    console.print("the schema " + inQuotes(options.schema) + " is ready\n");
    return kDone;
}

}  // namespace

int execute(const Options& options, Console& console) {
    if (!options.print.empty()) {
        console.print(options.print);
        return kDone;
    }
    if (options.command == Command::Serve) return serve(options);
    Session session(options, console);
    const bool isOne = !options.id.empty();
    switch (options.command) {
    case Command::List:
        return list(session);
    case Command::Show:
        return showTask(session);
    case Command::Names:
        return print(session, session.scheduler.names(kCountTo),
                     [](const NameInfo& name) { return jsonOf(name); });
    case Command::Nodes:
        return print(session, session.scheduler.nodes(),
                     [](const NodeInfo& node) { return jsonOf(node); });
    case Command::Backlog:
        return backlog(session);
    case Command::Pauses:
        return print(session, session.scheduler.pauses(),
                     [](const Pause& pause) { return jsonOf(pause); });
    case Command::History:
        return history(session);
    case Command::KeepHistory:
        return keepHistory(session);
    case Command::Run:
        return runTask(session);
    case Command::Pause:
        return pause(session);
    case Command::Resume:
        return resume(session);
    case Command::Cancel:
        return isOne ? cancelTask(session) : cancelSelected(session);
    case Command::Revive:
        return isOne ? reviveTask(session) : reviveSelected(session);
    case Command::Reschedule:
        return rescheduleTask(session);
    case Command::Prune:
        return prune(session);
    case Command::Migrate:
        return migrate(options, console);
    case Command::Schema:
    case Command::Serve:
        break;
    }
    console.print(jtimer::cluster::schemaSql(options.schema, options.from));
    return kDone;
}

}  // namespace cluster_tool

// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "job_command.hpp"

#include "../text/time_text.hpp"

#include <cstddef>
#include <map>
#include <vector>

namespace {

using Environment = std::map<std::string, std::string>;

Environment environmentOfThisProcess() {
    Environment result;
    for (const std::string& each : ownEnvironment()) {
        const std::size_t equals = each.find('=');
        if (equals != std::string::npos) result[each.substr(0, equals)] = each.substr(equals + 1);
    }
    return result;
}

void describeRun(const Job& job, const std::string& node, Environment& result) {
    result["RUN_SCHEDULE_TASK"] = job.entry->name;
    result["RUN_SCHEDULE_DUE"] = formatDate(job.date);
    result["RUN_SCHEDULE_ATTEMPT"] = std::to_string(job.attempt);
    if (!node.empty()) result["RUN_SCHEDULE_NODE"] = node;
}

std::vector<std::string> inLines(const Environment& environment) {
    std::vector<std::string> lines;
    for (const auto& [name, value] : environment)
        lines.push_back(std::string(name).append("=").append(value));
    return lines;
}

}  // namespace

Command commandOf(const Job& job, const std::string& node) {
    const Entry& entry = *job.entry;
    Command command;
    command.script = entry.command;
    command.shell = entry.shell;
    Environment environment = environmentOfThisProcess();
    for (const auto& [name, value] : entry.variables) environment[name] = value;
    if (entry.user) {
        environment["HOME"] = entry.user->home;
        environment["LOGNAME"] = environment["USER"] = entry.user->name;
    }
    describeRun(job, node, environment);
    command.environment = inLines(environment);
    command.folder = entry.folder;
    command.user = entry.user;
    command.input = entry.input;
    return command;
}

Command hookOf(const std::string& script, const Job& job, const std::string& node,
               const FailedCommand& failed) {
    Environment environment = environmentOfThisProcess();
    describeRun(job, node, environment);
    environment["RUN_SCHEDULE_REASON"] = failed.ending.failure;
    environment["RUN_SCHEDULE_STATUS"] = std::to_string(failed.ending.status);
    environment["RUN_SCHEDULE_STARTED"] = formatDate(failed.started);
    environment["RUN_SCHEDULE_ENDED"] = formatDate(failed.ended);
    Command command;
    command.script = script;
    command.environment = inLines(environment);
    command.input = failed.output;
    return command;
}

// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "job_command.hpp"

#include "time_text.hpp"

#include <cstddef>
#include <map>
#include <vector>

namespace {

using Environment = std::map<std::string, std::string>;

Environment environmentOf(const Job& job, const std::string& node) {
    const Entry& entry = *job.entry;
    Environment result;
    for (const std::string& each : ownEnvironment()) {
        const std::size_t equals = each.find('=');
        if (equals != std::string::npos) result[each.substr(0, equals)] = each.substr(equals + 1);
    }
    for (const auto& [name, value] : entry.variables) result[name] = value;
    if (entry.user) {
        result["HOME"] = entry.user->home;
        result["LOGNAME"] = result["USER"] = entry.user->name;
    }
    result["RUN_SCHEDULE_TASK"] = entry.name;
    result["RUN_SCHEDULE_DUE"] = formatDate(job.date);
    result["RUN_SCHEDULE_ATTEMPT"] = std::to_string(job.attempt);
    if (!node.empty()) result["RUN_SCHEDULE_NODE"] = node;
    return result;
}

}  // namespace

Command commandOf(const Job& job, const std::string& node) {
    const Entry& entry = *job.entry;
    Command command;
    command.script = entry.command;
    command.shell = entry.shell;
    for (const auto& [name, value] : environmentOf(job, node))
        command.environment.push_back(name + '=' + value);
    command.folder = entry.folder;
    command.user = entry.user;
    command.input = entry.input;
    return command;
}

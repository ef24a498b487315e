// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "task_name.hpp"

#include "../rule.hpp"

std::string taskNameOf(const Entry& entry) {
    return entry.repeats() ? entry.name : entry.name + ' ' + ruleOf(entry);
}

std::string taskIdOf(const Entry& entry) { return entry.repeats() ? "repeats" : "once"; }

std::string lineNameOf(const std::string& taskName) {
    return taskName.substr(0, taskName.find(' '));
}

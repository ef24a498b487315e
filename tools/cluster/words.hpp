// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include <jtimer/cluster/history.hpp>
#include <jtimer/cluster/pause.hpp>
#include <jtimer/cluster/run_end.hpp>
#include <jtimer/cluster/task_info.hpp>

#include <string>

/// \file
/// The words of the command line and of what is printed.

namespace cluster_tool {

const char* nameOf(jtimer::cluster::State state);

/// \throws std::invalid_argument that says what is wrong, and what was expected
jtimer::cluster::State stateOf(const std::string& name);

const char* nameOf(jtimer::MissedRuns missedRuns);

const char* nameOf(jtimer::cluster::Scope scope);

const char* nameOf(jtimer::cluster::Outcome outcome);

/// \throws std::invalid_argument that says what is wrong, and what was expected
jtimer::cluster::Outcome outcomeOf(const std::string& name);

/// \throws std::invalid_argument that says what is wrong, and what was expected
jtimer::cluster::History historyOf(const std::string& name);

/// A name or id of a task.
/// \param what which of them
/// \throws std::invalid_argument that says what is wrong, and what was expected
std::string keyOf(const std::string& what, const std::string& text);

/// The note of a pause.
/// \throws std::invalid_argument that says what is wrong, and what was expected
std::string noteOf(const std::string& text);

/// The name of a schema.
/// \throws std::invalid_argument that says what is wrong, and what was expected
std::string schemaOf(const std::string& name);

}  // namespace cluster_tool

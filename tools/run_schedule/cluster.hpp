// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "ledger.hpp"
#include "options.hpp"
#include "pages.hpp"
#include "schedule_player.hpp"

#include <memory>
#include <string>
#include <vector>

// What --cluster needs. There are two programs of one source: run_schedule, without PostgreSQL's
// client library, and run_schedule-cluster, with it. The first becomes the second for --cluster.

/// Becomes run_schedule-cluster, which must be in the folder of this program, unless this is it.
/// \throws std::runtime_error if there is none
void becomeClusterProgram(char** argv);

/// \returns all tasks: name, state, node, due time and last error of each
/// \throws std::runtime_error if the database cannot be reached
std::string listTasks(const Options& options);

/// Makes the dead tasks of a line due now: those of Options::revive.
/// \returns what has been done, a line for each task
/// \throws std::runtime_error if none is dead, or the database cannot be reached
std::string revive(const Options& options);

/// Deletes the tasks of lines that are not among the entries, but for those that run.
/// \returns what has been deleted, a line for each task
/// \throws std::runtime_error if the database cannot be reached
std::string prune(const Options& options, const std::vector<Entry>& entries);

/// Checks what can be checked without the database: the names of the entries, their times, and
/// their options.
/// \throws ScheduleError if one cannot be played in a cluster
void checkForCluster(const std::vector<Entry>& entries);

/// The pages of the cluster, to be read only. They connect when the first is asked for.
/// \param address where they are
std::shared_ptr<OtherPages> makeClusterPages(const Options& options, const http::Address& address);

/// A player that shares its schedule with all copies on Options::cluster.
/// \throws std::invalid_argument if an option is out of range
std::unique_ptr<SchedulePlayer> makeClusterPlayer(const Options& options, Ledger& ledger,
                                                  SchedulePlayer::Actions actions);

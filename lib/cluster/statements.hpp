// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "cluster/connection.hpp"

#include <jtimer/cluster/history.hpp>
#include <jtimer/cluster/pause.hpp>
#include <jtimer/cluster/run_end.hpp>
#include <jtimer/cluster/schedule.hpp>
#include <jtimer/cluster/task_info.hpp>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <string>

namespace jtimer::cluster::detail {

/// The names of the enumerators of Kind, MissedRuns, Scope, History and Outcome in the tables, by
/// value.
inline constexpr const char* kKinds[] = {"once", "fixed rate", "fixed delay", "cron"};
static_assert(static_cast<int>(Kind::Once) == 0 && static_cast<int>(Kind::FixedRate) == 1 &&
              static_cast<int>(Kind::FixedDelay) == 2 && static_cast<int>(Kind::Cron) == 3);
inline constexpr const char* kMissedRuns[] = {"burst", "skip", "once"};
static_assert(static_cast<int>(MissedRuns::Burst) == 0 && static_cast<int>(MissedRuns::Skip) == 1 &&
              static_cast<int>(MissedRuns::Once) == 2);

inline constexpr const char* kScopes[] = {"task", "name", "node", "everything"};
inline constexpr const char* kHistories[] = {"off", "failures", "all"};
inline constexpr const char* kOutcomes[] = {"succeeded", "retrying", "gave up", "dead",
                                            "abandoned", "lost",     "fenced"};
static_assert(static_cast<int>(Scope::Task) == 0 && static_cast<int>(Scope::Name) == 1 &&
              static_cast<int>(Scope::Node) == 2 && static_cast<int>(Scope::Everything) == 3);

/// The enumerator of such a name.
template <class Enum, std::size_t n>
Enum fromName(const char* const (&names)[n], const std::string& name, Enum otherwise) {
    const auto* const found = std::find(std::begin(names), std::end(names), name);
    return found == std::end(names) ? otherwise : static_cast<Enum>(found - std::begin(names));
}

/// The version of the schema that this library creates and needs.
inline constexpr int kSchemaVersion = 2;

/// Puts the schema's name in the place of each `@`, and a literal that names its sequence in the
/// place of each `#`.
std::string inSchema(const std::string& sql, const std::string& schema);

/// The channel of notifications.
std::string channelOf(const std::string& schema);

}  // namespace jtimer::cluster::detail

/// The SQL of the library, for inSchema(). Each function is one statement, and says what its
/// parameters are; the columns of its result are in columns.hpp if it has more than one. Every name
/// carries its schema, so that search_path does not matter. Dues are compared with SCHEMA.now(),
/// leases with the server's clock.
namespace jtimer::cluster::detail::statements {

// Transactions. A client that is cut off must not hold locks for longer than it would have waited
// itself.
Statement begin();
Statement limitTransaction();                  // transactionLimit()
std::string transactionLimit(Micros timeout);  // milliseconds
std::string beginLimited(Micros timeout);      // both, as one command
inline constexpr const char* kCommit = "commit";
inline constexpr const char* kRollBack = "rollback";
Statement checkSchema();  // -> version, serves, read-only, tests, started
Statement isReadOnly();   // -> boolean
Statement outcome();      // xid -> status or null, started
Statement writtenBy();    // xid, name, id -> whether that row was written by it

// Nodes.
Statement
registerNode();     // name, lease, names[], concurrency, library -> number, shortens, history
Statement renew();  // node -> alive, end of the next lease - now, shortest lease, pauses, history,
                    // whether it is time to prune
Statement deleteExpired();  // node -> number, name
Statement recordLost();     // nodes[], their names[]
Statement freeTasks();      // nodes[], crashes to count -> number of tasks
Statement findOrphans();    // -> owner
Statement deleteNode();     // node
Statement claim();          // node, names[], limit, cursor, ahead, number of pauses
Statement claimByName();    // node, names[], limit, ahead, number of pauses
/// node, names[], limit, ahead, number of pauses, limit of each name in this node, and, if
/// `inCluster`, in all of them
Statement claimLimited(bool inCluster);
Statement lockNames();  // schema, names[] -> those that have due tasks, whether locked
Statement pausesOf();   // node, names[] -> number, whether of all, names
Statement firstDue();   // names[] -> name, id, size of the payload
Statement release();    // node, tokens[] of its runs -> number of tasks
Statement writeEnds(bool skipLocked, History history);
Statement deleteEnds();
Statement owns();    // name, id, token -> boolean
Statement notify();  // channel, payload
std::string listen(const std::string& schema);

// Callers. The parameters of a filter, of which each statement uses some: name, id prefix, what
// sorts after all ids with that prefix, node's name, time, after name, after id, limit. `one`: of a
// single task.
Statement schedule(IfExists policy, bool one);
Statement cancel();                         // name, id -> prevented, xid
Statement reschedule();                     // name, id, time, delay -> changed, xid
Statement runNow();                         // name, id -> changed, xid
Statement find();                           // name, id
Statement list(const Filter& filter);       // those of a filter
Statement revive(const Filter& filter);     // those of a filter
Statement cancelAll(const Filter& filter);  // those of a filter
Statement cancelOthers();                   // name, ids[], after id, limit
Statement nodes();
Statement names();  // limit of each count
Statement backlog();

// Pauses. Their scope is one of kScopes, and the name of Scope::Everything is empty.
Statement pauseTask();    // name, id, by, note -> changed, xid
Statement resumeTask();   // name, id -> changed, xid
Statement raisePauses();  // -> number
Statement writePause();   // scope, name, by, note, number -> changed, xid
Statement deletePause();  // scope, name, number -> changed, xid
Statement pauses();
Statement missedInPause(Scope scope);  // name, id, scope, after name, after id, limit
Statement skipMissed();                // names[], ids[], dues[], missed[] -> changed, xid

// Past runs.
Statement keepHistory();                         // history, age, rows -> changed, xid
Statement history(const HistoryFilter& filter);  // before, limit, name, id, outcome
Statement beginPruning();  // -> earliest end that is kept, last token that is not; or no row
Statement prune();  // after token, earliest end, last token, limit -> how many, last looked at

// Time.
Statement isZone();              // name -> boolean
Statement unknownZones();        // names, a line each -> those that are no zones
Statement localTimes();          // zone, time -> of now and of it: itself, local, 25 hours around
Statement instants();            // zone, local times[] -> time
Statement instantsByInterval();  // the same; those skipped have none, those shown twice have two
Statement now();                 // -> time
Statement advance();             // span -> changed, xid

/// The statements that bring a schema from a version to kSchemaVersion; 0: there is none.
std::string migration(int from, bool forTests);
/// The same as a script for psql, with the schema itself and what to grant.
std::string script(int from);
/// Not `if not exists`, which needs the privilege to create schemas even if the schema exists.
inline constexpr const char* kCreateSchema = "create schema @";
Statement lockMigration();  // schema
Statement schemaExists();   // schema -> boolean, whether it holds meta
Statement lackingRight();   // schema -> role, right, table or sequence; without a row: none

}  // namespace jtimer::cluster::detail::statements

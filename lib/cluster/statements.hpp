// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "cluster/connection.hpp"

#include <jtimer/cluster/schedule.hpp>
#include <jtimer/cluster/task_info.hpp>

#include <optional>
#include <string>

namespace jtimer::cluster::detail {

/// The version of the schema that this library creates and needs.
inline constexpr int kSchemaVersion = 1;

/// How the schema is written in SQL. Whatever is not ASCII is escaped, so that the encoding in
/// which a caller's connection sends SQL does not matter, and PQescapeIdentifier is not enough.
std::string quoteIdentifier(const std::string& name);

/// The channel of notifications.
std::string channelOf(const std::string& schema);

/// All SQL of the library. Each function is one statement, and says what its parameters are. Every
/// name carries its schema, so that search_path does not matter. Dues are compared with
/// SCHEMA.now(), leases with the server's clock.
class Statements {
  public:
    explicit Statements(const std::string& schema);

    // Transactions.
    std::string begin(Micros timeout) const;
    Statement checkSchema() const;  // -> version, serves, read-only, tests, started
    Statement isReadOnly() const;   // -> boolean
    Statement outcome() const;      // xid -> status or null, started
    Statement writtenBy() const;    // xid, name, id -> whether that row was written by it

    // Nodes.
    Statement registerNode() const;   // name, lease -> number
    Statement renew() const;          // node, lease -> alive, end of the next lease - now
    Statement deleteExpired() const;  // node -> number
    Statement freeTasks() const;      // nodes[], crashes to count -> number of tasks
    Statement findOrphans() const;    // -> owner
    Statement deleteNode() const;     // node
    Statement claim() const;          // node, names[], limit, cursor, ahead
    Statement release() const;        // node, tokens[] of its runs -> number of tasks
    Statement writeEnds(bool skipLocked) const;
    Statement owns() const;    // name, id, token -> boolean
    Statement notify() const;  // channel
    std::string listen(const std::string& schema) const;

    // Callers.
    Statement schedule(IfExists policy) const;
    Statement cancel() const;                    // name, id -> prevented, xid
    Statement reschedule() const;                // name, id, time, delay -> changed, xid
    Statement find() const;                      // name, id
    Statement list(const Filter& filter) const;  // name, after name, after id, limit
    Statement backlog() const;

    // Time.
    Statement isZone() const;      // name -> boolean
    Statement localTimes() const;  // zone, time -> of now and of it: itself, local, 25 hours around
    Statement instants() const;    // zone, local times[] -> time
    Statement now() const;         // -> time
    Statement advance() const;     // span -> changed, xid

    /// The statements that bring a schema from a version to kSchemaVersion; 0: there is none.
    std::string migration(int from, bool forTests) const;
    std::string privileges() const;
    Statement lockMigration() const;  // schema
    Statement schemaExists() const;   // schema -> boolean, whether it holds meta

  private:
    Statement make(const char* name, const std::string& sql) const;
    std::string in(const std::string& sql) const;

    std::string schema_;    ///< quoted
    std::string sequence_;  ///< as a literal
};

}  // namespace jtimer::cluster::detail

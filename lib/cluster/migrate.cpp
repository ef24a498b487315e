// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include <jtimer/cluster/migrate.hpp>

#include "cluster/checks.hpp"
#include "cluster/connection.hpp"
#include "cluster/session.hpp"
#include "cluster/statements.hpp"

#include <jtimer/cluster/exceptions.hpp>
#include <jtimer/exceptions.hpp>

#include <string>

namespace jtimer::cluster {

namespace {

using namespace detail;

/// The version of the schema, 0 if there is none. Under the lock.
int versionOf(Session& session, bool forTests, Deadline end) {
    Connection& connection = session.connection();
    const Statements& statements = session.statements();
    const std::string& schema = session.schema();
    const Result exists = connection.execute(statements.schemaExists(), Params().text(schema), end);
    // Not `if not exists`, which needs the privilege to create schemas even if the schema exists.
    if (!exists.boolean(0, 0)) {
        connection.command("create_schema", "create schema " + quoteIdentifier(schema), end);
    }
    if (!exists.boolean(0, 1)) return 0;
    const Result meta = connection.execute(statements.checkSchema(), {}, end);
    const int version = static_cast<int>(meta.number(0, 0));
    if (meta.number(0, 1) > kSchemaVersion) {
        throw SchemaException("Schema \"" + schema + "\" has version " + std::to_string(version) +
                              ", which needs a newer library than " +
                              std::to_string(kSchemaVersion));
    }
    if (meta.boolean(0, 3) != forTests) {
        throw SchemaException("Schema \"" + schema + "\" exists and is " +
                              (forTests ? "not " : "") + "for tests");
    }
    return version;
}

void migrateOnce(const Options& options, bool forTests, Deadline end) {
    Session session(options, options.conninfo);
    session.open(end);
    Connection& connection = session.connection();
    const Statements& statements = session.statements();
    connection.command("begin", statements.begin(toMicros(options.operationTimeout)), end);
    connection.execute(statements.lockMigration(), Params().text(options.schema), end);
    const int version = versionOf(session, forTests, end);
    const std::string sql = statements.migration(version, forTests);
    if (!sql.empty()) connection.command("migrate", sql, end);
    connection.command("commit", "commit", end);
}

}  // namespace

void migrate(const Options& options, bool forTests) {
    check(options);
    const Deadline end = Session::deadlineAfter(toMicros(options.operationTimeout));
    for (int failures = 0;;) {
        try {
            return migrateOnce(options, forTests, end);
        } catch (const DatabaseException& e) {
            // Repeating it is harmless, so the outcome of a commit does not matter. With a code,
            // the server has refused.
            if (!e.sqlState().empty() || !Session::pause(failures, end))
                throw DatabaseException(e.what(), e.sqlState());
        }
    }
}

std::string schemaSql(const std::string& schema, int from) {
    checkSchemaName(schema);
    if (from < 0 || from > kSchemaVersion) {
        throw IllegalArgumentException("from: expected 0 to " + std::to_string(kSchemaVersion));
    }
    const Statements statements(schema);
    const std::string create =
        from == 0 ? "create schema if not exists " + quoteIdentifier(schema) + ";\n\n" : "";
    return "begin;\n\n" + create + statements.migration(from, false) + "\ncommit;\n\n" +
           statements.privileges();
}

}  // namespace jtimer::cluster

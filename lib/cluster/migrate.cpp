// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include <jtimer/cluster/migrate.hpp>

#include "cluster/checks.hpp"
#include "cluster/columns.hpp"
#include "cluster/session.hpp"
#include "cluster/statements.hpp"

#include <jtimer/cluster/exceptions.hpp>
#include <jtimer/exceptions.hpp>

#include <string>

namespace jtimer::cluster {

namespace {

using namespace detail;

/// The version of the schema, 0 if there is none. Under the lock.
int versionOf(Session& session, bool forTests) {
    const std::string& schema = session.schema();
    const Result exists = session.execute(statements::schemaExists(), Params().text(schema));
    if (!exists.boolean(0, columns::exists::Schema)) {
        session.command("create_schema", inSchema(statements::kCreateSchema, schema));
    }
    if (!exists.boolean(0, columns::exists::Meta)) return 0;
    const Result meta = session.execute(statements::checkSchema(), {});
    const int version = static_cast<int>(meta.number(0, columns::schema::Version));
    if (meta.number(0, columns::schema::Serves) > kSchemaVersion) {
        throw SchemaException("Schema \"" + schema + "\" has version " + std::to_string(version) +
                              ", which needs a newer library than " +
                              std::to_string(kSchemaVersion));
    }
    if (meta.boolean(0, columns::schema::ForTests) != forTests) {
        throw SchemaException("Schema \"" + schema + "\" exists and is " +
                              (forTests ? "not " : "") + "for tests");
    }
    return version;
}

/// Of which each waits for every lock of a table up to 5 s, for what waits behind it waits as long.
constexpr int kTries = 3;

/// The lock was not available, or a deadlock was detected.
bool isLocked(const DatabaseException& e) {
    return e.sqlState() == "55P03" || e.sqlState() == "40P01";
}

void migrateOnce(Session& session, bool forTests) {
    session.open();
    session.begin([&] {
        session.execute(statements::lockMigration(), Params().text(session.schema()));
        const std::string sql = statements::migration(versionOf(session, forTests), forTests);
        if (!sql.empty()) session.command("migrate", inSchema(sql, session.schema()));
    });
    session.commit();
}

/// Until Options::operationTimeout.
void migrateInTime(const Options& options, bool forTests) {
    Session session(options, options.conninfo);
    for (int failures = 0;;) {
        try {
            return migrateOnce(session, forTests);
        } catch (const DatabaseException& e) {
            // Repeating it is harmless, so the outcome of a commit does not matter. With a code,
            // the server has refused.
            if (!e.sqlState().empty() || !session.pause(failures))
                throw DatabaseException(e.what(), e.sqlState());
        }
    }
}

}  // namespace

void migrate(const Options& options, bool forTests) {
    check(options);
    for (int tries = 1;; ++tries) {
        try {
            return migrateInTime(options, forTests);
        } catch (const DatabaseException& e) {
            if (!isLocked(e) || tries == kTries) throw;
        }
    }
}

std::string schemaSql(const std::string& schema, int from) {
    checkSchemaName(schema);
    if (from < 0 || from > kSchemaVersion) {
        throw IllegalArgumentException("from: expected 0 to " + std::to_string(kSchemaVersion));
    }
    return inSchema(statements::script(from), schema);
}

}  // namespace jtimer::cluster

// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include <jtimer/cluster/options.hpp>
#include <jtimer/detail/compiler.hpp>

#include <string>

namespace jtimer::cluster {

/// Creates Options::schema, or brings it to the version of this library, in one transaction. Any
/// number of processes may call it at once, and again. A newer schema is left as it is. Migrate
/// first, then roll out the new program: a schema serves older libraries too. To upgrade a schema,
/// it waits for a lock of a table up to 5 s, three times; the roles that may use the older tables
/// may use the new ones then.
/// \param forTests whether the schema gets a clock that a TestClock can move. It cannot be changed
///   later.
/// \throws SchemaException if the schema has become too new for this library, or exists and differs
///   in forTests; or if the server is read-only, as a standby is
/// \throws DatabaseException also if the role may not create schemas: see schemaSql(); or if other
///   transactions hold their locks for longer
/// \throws IllegalArgumentException if an option is out of range
JTIMER_API void migrate(const Options& options, bool forTests = false);

/// The statements of migrate() as text, for review or for psql, with the privileges that programs
/// need in a comment at the end.
/// \param from the version of the existing schema; 0: there is none
/// \throws IllegalArgumentException if the schema's name is not 1 to 48 bytes of UTF-8 without NUL,
///   or there is no such version
JTIMER_API std::string schemaSql(const std::string& schema = "jtimer", int from = 0);

}  // namespace jtimer::cluster

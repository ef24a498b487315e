// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "cluster/schema.hpp"

#include "cluster/server.hpp"

#include <jtimer/cluster/migrate.hpp>

#include <libpq-fe.h>

#include <cstddef>
#include <memory>

namespace test {

std::string ask(const std::string& conninfo, const std::string& sql) {
    const std::unique_ptr<PGconn, decltype(&PQfinish)> connection(PQconnectdb(conninfo.c_str()),
                                                                  PQfinish);
    const std::unique_ptr<PGresult, decltype(&PQclear)> result(
        PQexec(connection.get(), sql.c_str()), PQclear);
    const ExecStatusType status = PQresultStatus(result.get());
    if (status == PGRES_COMMAND_OK) return {};
    if (status != PGRES_TUPLES_OK) return PQerrorMessage(connection.get());
    return PQntuples(result.get()) == 0 ? "" : PQgetvalue(result.get(), 0, 0);
}

Schema::Schema() {
    static int number = 0;
    options.conninfo = server().conninfo();
    options.schema = "test" + std::to_string(number++);
    jtimer::cluster::migrate(options, true);
}

Schema::~Schema() { ask("set client_min_messages = error; drop schema if exists @ cascade"); }

std::string Schema::ask(std::string sql) const {
    for (std::size_t at = 0; (at = sql.find('@', at)) != std::string::npos;) {
        sql.replace(at, 1, '"' + options.schema + '"');
    }
    return test::ask(options.conninfo, sql);
}

}  // namespace test

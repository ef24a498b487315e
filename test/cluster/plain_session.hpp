// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "cluster/server.hpp"

#include <libpq-fe.h>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace test {

/// A plain connection to the private server, for what a user's handler does, and to look behind.
class Session {
  public:
    explicit Session(const std::string& conninfo = server().conninfo())
        : connection_(PQconnectdb(conninfo.c_str()), PQfinish) {
        if (PQstatus(connection_.get()) != CONNECTION_OK) fail();
    }

    PGconn* get() const { return connection_.get(); }

    /// \returns the first value of the first row, or "" without one
    std::string operator()(const std::string& sql,
                           const std::vector<std::string>& parameters = {}) {
        std::vector<const char*> values;
        for (const std::string& parameter : parameters) values.push_back(parameter.c_str());
        const std::unique_ptr<PGresult, decltype(&PQclear)> result(
            PQexecParams(connection_.get(), sql.c_str(), static_cast<int>(values.size()), nullptr,
                         values.data(), nullptr, nullptr, 0),
            PQclear);
        const ExecStatusType status = PQresultStatus(result.get());
        if (status != PGRES_TUPLES_OK && status != PGRES_COMMAND_OK) fail();
        return PQntuples(result.get()) == 0 ? "" : PQgetvalue(result.get(), 0, 0);
    }

  private:
    [[noreturn]] void fail() const { throw std::runtime_error(PQerrorMessage(connection_.get())); }

    std::unique_ptr<PGconn, decltype(&PQfinish)> connection_;
};

}  // namespace test

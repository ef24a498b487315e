// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include <libpq-fe.h>

#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

/// A connection of libpq to where PGHOST and the like say, for the demo's own statements.
class Database {
  public:
    Database() : connection_(PQconnectdb(""), &PQfinish) {
        if (PQstatus(connection_.get()) != CONNECTION_OK)
            throw std::runtime_error(PQerrorMessage(connection_.get()));
    }

    PGconn* get() const { return connection_.get(); }

    using Rows = std::vector<std::vector<std::string>>;

    /// Runs one statement, with $1, $2 and so on.
    Rows run(const char* statement, const std::vector<std::string>& values = {}) const {
        std::vector<const char*> texts;
        texts.reserve(values.size());
        for (const std::string& value : values) texts.push_back(value.c_str());
        const std::unique_ptr<PGresult, decltype(&PQclear)> result(
            PQexecParams(connection_.get(), statement, static_cast<int>(texts.size()), nullptr,
                         texts.data(), nullptr, nullptr, 0),
            &PQclear);
        const ExecStatusType status = PQresultStatus(result.get());
        if (status != PGRES_COMMAND_OK && status != PGRES_TUPLES_OK)
            throw std::runtime_error(PQresultErrorMessage(result.get()));
        Rows rows;
        for (int row = 0; row < PQntuples(result.get()); ++row) {
            rows.emplace_back();
            for (int column = 0; column < PQnfields(result.get()); ++column)
                rows.back().emplace_back(PQgetvalue(result.get(), row, column));
        }
        return rows;
    }

  private:
    const std::unique_ptr<PGconn, decltype(&PQfinish)> connection_;
};

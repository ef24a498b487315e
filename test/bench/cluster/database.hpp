// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include <libpq-fe.h>
#include <poll.h>

#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace bench {

/// A plain connection of libpq to where PGHOST and the like say.
class Database {
  public:
    using Rows = std::vector<std::vector<std::string>>;
    using Values = std::vector<std::string>;

    Database() : connection_(PQconnectdb(""), &PQfinish) {
        if (PQstatus(connection_.get()) != CONNECTION_OK)
            throw std::runtime_error(PQerrorMessage(connection_.get()));
    }

    /// One or more statements without parameters.
    Rows run(const std::string& sql) const { return rows(PQexec(connection_.get(), sql.c_str())); }

    void prepare(const char* name, const std::string& sql) const {
        rows(PQprepare(connection_.get(), name, sql.c_str(), 0, nullptr));
    }

    /// A prepared statement.
    Rows execute(const char* name, const Values& values) const {
        std::vector<const char*> texts;
        texts.reserve(values.size());
        for (const std::string& value : values) texts.push_back(value.c_str());
        return rows(PQexecPrepared(connection_.get(), name, static_cast<int>(texts.size()),
                                   texts.data(), nullptr, nullptr, 0));
    }

    void awaitNotification() const {
        for (;;) {
            if (PGnotify* const notification = PQnotifies(connection_.get())) {
                PQfreemem(notification);
                return;
            }
            pollfd readable{PQsocket(connection_.get()), POLLIN, 0};
            ::poll(&readable, 1, -1);
            if (PQconsumeInput(connection_.get()) == 0)
                throw std::runtime_error(PQerrorMessage(connection_.get()));
        }
    }

    long number(const std::string& sql) const { return std::stol(run(sql).at(0).at(0)); }

  private:
    static Rows rows(PGresult* answer) {
        const std::unique_ptr<PGresult, decltype(&PQclear)> result(answer, &PQclear);
        const ExecStatusType status = PQresultStatus(answer);
        if (status != PGRES_COMMAND_OK && status != PGRES_TUPLES_OK)
            throw std::runtime_error(PQresultErrorMessage(answer));
        Rows rows;
        for (int row = 0; row < PQntuples(answer); ++row) {
            rows.emplace_back();
            for (int column = 0; column < PQnfields(answer); ++column)
                rows.back().emplace_back(PQgetvalue(answer, row, column));
        }
        return rows;
    }

    const std::unique_ptr<PGconn, decltype(&PQfinish)> connection_;
};

}  // namespace bench

// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "cluster/server.hpp"

#include <jtimer/cluster/scheduler.hpp>

#include <boost/test/unit_test.hpp>
#include <boost/thread/condition_variable.hpp>
#include <boost/thread/lock_guard.hpp>
#include <boost/thread/lock_types.hpp>
#include <boost/thread/mutex.hpp>

#include <functional>
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

/// A number that threads count up, and others wait for.
class Counted {
  public:
    void add() {
        const boost::lock_guard<boost::mutex> lock(mutex_);
        ++count_;
        condition_.notify_all();
    }
    int get() const {
        const boost::lock_guard<boost::mutex> lock(mutex_);
        return count_;
    }
    void await(int count) const {
        boost::unique_lock<boost::mutex> lock(mutex_);
        while (count_ < count) condition_.wait(lock);
    }

  private:
    mutable boost::mutex mutex_;
    mutable boost::condition_variable condition_;
    int count_ = 0;
};

}  // namespace test

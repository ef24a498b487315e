// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "database.hpp"

#include <string>
#include <vector>

namespace bench {

/// What jtimer::cluster is measured by: the least that claims, ends and inserts one-shots in its
/// tables, as prepared statements of plain libpq, each a transaction of its own.
class Bare {
  public:
    explicit Bare(const std::string& schema = "jtimer");

    struct Claimed {
        std::vector<std::string> ids, tokens;
    };

    /// Claims at most `limit` tasks that are due.
    Claimed claim(int limit) const;
    void end(const Claimed& tasks) const;  ///< deletes them, as one-shots that have succeeded
    void insert(const std::string& id) const;
    void insert(const std::vector<std::string>& ids) const;  ///< in one statement

    /// Between a begin and a commit of its own: in three statements.
    void insertBetween(const std::string& id) const;

    // The least way of a task that is scheduled for now to another process.

    void insertDueAndNotify(const std::string& id) const;
    void listen() const;
    void awaitNotification() const;

  private:
    Database database_;
};

}  // namespace bench

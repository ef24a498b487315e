// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "cluster/session.hpp"
#include "cluster/store.hpp"

#include <set>
#include <string>
#include <vector>

namespace jtimer::cluster::detail {

/// What the parts of Store share.
class Store::Impl {
  public:
    Impl(const Options& options, const std::string& conninfo) : session(options, conninfo) {}

    /// \throws IllegalArgumentException "Unknown time zone: NAME"
    void checkZone(Connection& connection, Deadline deadline, const std::string& zone);

    /// Writes the ends by a statement and a connection of its own or the caller's.
    std::vector<EndStatus> writeEnds(Connection& connection, const Statement& statement,
                                     NodeNumber node, const std::vector<End>& ends,
                                     Deadline deadline, TransactionNumber* transaction = nullptr);

    Session::Written schedule(Connection& connection, const std::vector<NewTask>& tasks,
                              Deadline deadline);

    Session session;

  private:
    std::set<std::string> zones_;  ///< that the server knows: to ask takes it 50 ms
};

/// The names of enumerators in the table.
const char* nameOf(Kind kind);
const char* nameOf(MissedRuns missedRuns);
Kind kindOf(const std::string& name);
MissedRuns missedRunsOf(const std::string& name);

}  // namespace jtimer::cluster::detail

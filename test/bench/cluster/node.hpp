// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "processes.hpp"

#include <jtimer/cluster/scheduler.hpp>

#include <cstddef>
#include <string>
#include <vector>

namespace bench {

/// A Scheduler in a process of its own that runs the tasks named "bench".
class Node {
  public:
    Node(Shared& shared, std::size_t process, const std::string& schema, int concurrency);

    jtimer::cluster::Options options;

    /// Another name that it has a handler for, unless empty.
    std::string otherName;

    /// Runs tasks until the end, and counts those whose end is written.
    /// \param handler by default, counts the run
    void run(const jtimer::cluster::Handler& handler = {});

  private:
    Shared& shared_;
    std::size_t process_;
};

/// Ids that have not been used in this process.
std::vector<std::string> newIds(std::size_t count);

// Schedule until the end, and count the tasks.
void scheduleInThreads(Shared& shared, int threads);  ///< each thread one task after another
void scheduleMany(Shared& shared, int);               ///< 1,000 tasks in a call

/// \returns whether the schema was missing
bool migrateAgain(const std::string& schema);

}  // namespace bench

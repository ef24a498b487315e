// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include <jtimer/cluster/options.hpp>
#include <jtimer/detail/compiler.hpp>
#include <jtimer/time.hpp>

#include <memory>

namespace jtimer::cluster {

namespace detail {
class Store;
}

/// Moves the time at which tasks are due, for tests: a year takes as long as its runs. It needs a
/// schema that was made by migrate(options, true). It is the server's clock plus a shift that is
/// kept in the schema, so it applies to all nodes. Leases stay on the server's clock.
///
/// Threads: one call at a time.
class JTIMER_API TestClock {
  public:
    /// Connects with Options::conninfo; Options::schema and operationTimeout apply too.
    /// \throws IllegalArgumentException if an option is out of range
    /// \throws IllegalStateException if the schema is not for tests
    /// \throws DatabaseException, SchemaException
    explicit TestClock(const Options& options);
    ~TestClock();
    TestClock(const TestClock&) = delete;
    TestClock& operator=(const TestClock&) = delete;

    /// The present time at which tasks are due.
    /// \throws DatabaseException, SchemaException
    Date now();

    /// Moves the time forward, wakes the nodes, and returns when no task is due or running. So it
    /// needs a node that has handlers for all due tasks, and does not return while there is none,
    /// or that is paused. Tasks that are paused, or whose name or everything is, are not waited
    /// for. Those that wait for a limit of TaskOptions are: they begin as the runs end which fill
    /// it, and it waits for these, too.
    ///
    /// The time jumps: a repeating task whose period passes several times has missed runs. To see
    /// each of them at its own time, advance period by period.
    /// \throws IllegalArgumentException "Negative delay."
    /// \throws DatabaseException, SchemaException
    void advance(TimeSpan span);

  private:
    const std::unique_ptr<detail::Store> store_;
};

}  // namespace jtimer::cluster

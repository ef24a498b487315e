// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include <jtimer/detail/compiler.hpp>
#include <jtimer/time.hpp>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

struct pg_conn;  ///< libpq's connection: PGconn

namespace jtimer::cluster {

namespace detail {
class RunState;
}

/// One run of a task, as its handler sees it. It exists as long as the handler's call. leaseLost(),
/// checkLease(), stopRequested(), timedOut() and timeLeft() may be called by any thread during that
/// call, the other functions by the handler's thread only.
class JTIMER_API Run {
  public:
    Run(const Run&) = delete;
    Run& operator=(const Run&) = delete;

    const std::string& name() const noexcept;     ///< of the task
    const std::string& id() const noexcept;       ///< of the task
    const std::string& payload() const noexcept;  ///< as it was when the run began

    /// When the run was due, by the database's clock. The same for all attempts.
    Date scheduledExecutionTime() const noexcept;

    /// 1, or more after failures and deaths of processes. It starts anew with each period.
    int attempt() const noexcept;

    /// A number greater than that of every run that was claimed before in the schema. A resource
    /// that refuses numbers lower than the highest it has seen is protected from runs that have
    /// lost their lease.
    std::int64_t fencingToken() const noexcept;

    /// How many runs were dropped, or merged into this one, since the previous run: see MissedRuns.
    std::uint64_t missedRuns() const noexcept;

    /// Whether the lease may have expired, so that another node may have taken over the task, or
    /// TaskOptions::grace after the time limit is over. True at once when a process that was
    /// stopped or suspended for longer goes on. Sends no query: it reads a clock.
    bool leaseLost() const noexcept;

    /// \throws LeaseLostException if leaseLost()
    void checkLease() const;

    /// Whether Scheduler::stop or the destructor waits for this run, or timedOut(). If not
    /// timedOut(), the handler may then return, which is a success, throw, or return after
    /// again(0).
    bool stopRequested() const noexcept;

    /// Whether it has taken as long as TaskOptions::timeout. Reads a clock, as leaseLost().
    bool timedOut() const noexcept;

    /// How long until timedOut(), then 0. None if there is no time limit.
    std::optional<TimeSpan> timeLeft() const noexcept;

    /// Stores a new payload with the end of the run, even if the run fails, unless it is abandoned.
    /// \throws IllegalArgumentException if it is longer than 1 MiB
    /// \throws IllegalStateException after complete()
    void setPayload(std::string payload);

    /// If the run succeeds, the task is due then, instead of being over or due at its next period.
    /// Later periods are not moved, and earlier ones not repeated.
    /// \throws IllegalArgumentException "Negative delay."
    /// \throws IllegalStateException after complete()
    void again(When when);

    /// Ends the run, with success, inside a transaction of the caller's: the effect of the run and
    /// its end are committed together or not at all. setPayload() and again() must come before.
    ///
    /// The handler commits before it returns. If it does not, or the commit fails, the run has
    /// failed. What the handler throws after the commit is reported, but changes nothing.
    /// \param transaction in a transaction block, on the same database
    /// \throws NullPointerException if `transaction` is null
    /// \throws LeaseLostException if another node has taken over the task, or it was cancelled. The
    ///   caller must roll back.
    /// \throws IllegalStateException if there is no transaction block, or the run has been
    ///   completed before
    /// \throws DatabaseException if the statement fails
    void complete(pg_conn* transaction);

  private:
    friend class detail::RunState;
    explicit Run(detail::RunState& state) noexcept : state_(state) {}
    ~Run() = default;

    detail::RunState& state_;
};

/// Runs the tasks of one name, several at once if there are. A run fails if an exception leaves the
/// handler, or if it ends its thread by pthread_exit.
using Handler = std::function<void(Run&)>;

}  // namespace jtimer::cluster

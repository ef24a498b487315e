// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "cluster/environment.hpp"
#include "cluster/lease.hpp"
#include "cluster/micros.hpp"
#include "cluster/pending_end.hpp"
#include "cluster/registry.hpp"
#include "cluster/store.hpp"
#include "cluster/time_limit.hpp"

#include <jtimer/cluster/run.hpp>

#include <atomic>
#include <memory>
#include <optional>
#include <string>

namespace jtimer::cluster::detail {

/// The state of one run: what Run shows, and what the handler has asked for. Only the thread of the
/// run uses it, but for the lease, whether the node stops, and the time limit. Who ends the run,
/// that thread or abandon(), is decided once, by an atomic exchange, so that the failure of an
/// abandoned run is written once and a handler that has returned is not abandoned.
class RunState {
  public:
    /// \param stopping whether the node is; it and the environment outlive the run
    RunState(const Environment& environment, const std::atomic<bool>& stopping, ClaimedTask task,
             std::shared_ptr<const Lease> lease);

    const ClaimedTask& task() const noexcept { return *task_; }

    /// The end of a task that must not be run (again): its process died too often, or it is
    /// delivered at most once.
    std::optional<PendingEnd> refusal() const;

    /// Whether it may be another node's by now: then it must not begin.
    bool lost() const noexcept { return lease_->lost() || limit_.graceOver(); }

    const TimeLimit& limit() const noexcept { return limit_; }

    /// If the handler has not returned in the time limit and its grace: the failure, without a
    /// payload, which belongs to the handler. Nothing more than once. Any thread; lost() is true by
    /// then.
    std::optional<PendingEnd> abandon();

    /// Calls the handler by Options::around, and the uncaught exception handler if that throws.
    PendingEnd execute();

    /// The end of a run that could not begin, or whose handler ended its thread.
    PendingEnd fail(const std::string& error);

  private:
    friend class cluster::Run;

    /// How the thread of the run has found it.
    struct Return {
        bool late = false;       ///< after the time limit
        bool abandoned = false;  ///< so the failure is on its way, or written
    };

    bool goesOn() const;  ///< to its next period, whatever has failed
    End::Kind givingUp() const;
    PendingEnd makeEnd(End::Kind kind, const std::string& error) const;
    PendingEnd success() const;
    PendingEnd failure(const std::string& error) const;
    void callHandler();
    Return returned();
    std::string errorOf(const std::string& cause, Return how) const;
    void requireNotCompleted() const;

    const Environment& environment_;
    const std::atomic<bool>& stopping_;
    const std::shared_ptr<const ClaimedTask> task_;
    const Registered& registered_;
    const std::shared_ptr<const Lease> lease_;
    const TimeLimit limit_;
    std::atomic<bool> ended_{false};  ///< by the thread of the run, or by abandon()
    std::optional<std::string> payload_;
    std::optional<When> again_;
    std::optional<TransactionNumber> completedIn_;
    std::optional<Micros> nextDue_;  ///< by complete(), if that is committed
};

}  // namespace jtimer::cluster::detail

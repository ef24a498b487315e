// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "cluster/environment.hpp"
#include "cluster/lease.hpp"
#include "cluster/micros.hpp"
#include "cluster/pending_end.hpp"
#include "cluster/registry.hpp"
#include "cluster/store.hpp"

#include <jtimer/cluster/run.hpp>

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace jtimer::cluster::detail {

/// The state of one run: what Run shows, and what the handler has asked for. Only the thread of the
/// run uses it, but for the lease and whether the node stops.
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
    bool lost() const noexcept { return lease_->lost(); }

    /// Calls the handler by Options::around, and the uncaught exception handler if that throws.
    PendingEnd execute();

    std::int64_t begunAt() const noexcept { return begunAt_; }  ///< by Environment::clock

    /// The end of a run that could not begin.
    PendingEnd failure(const std::string& error) const;

  private:
    friend class cluster::Run;

    bool goesOn() const;  ///< to its next period, whatever has failed
    End::Kind givingUp() const;
    PendingEnd makeEnd(End::Kind kind, const std::string& error) const;
    PendingEnd success() const;
    void callHandler();
    void requireNotCompleted() const;

    const Environment& environment_;
    const std::atomic<bool>& stopping_;
    const std::shared_ptr<const ClaimedTask> task_;
    const Registered& registered_;
    const std::shared_ptr<const Lease> lease_;
    const std::int64_t begunAt_;
    std::optional<std::string> payload_;
    std::optional<When> again_;
    std::optional<TransactionNumber> completedIn_;
    std::optional<Micros> nextDue_;  ///< by complete(), if that is committed
};

}  // namespace jtimer::cluster::detail

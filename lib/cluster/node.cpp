// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "cluster/node.hpp"

#include "cluster/lease_times.hpp"
#include "cluster/reports.hpp"

#include <jtimer/cluster/exceptions.hpp>

#include <boost/thread/lock_guard.hpp>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <exception>
#include <utility>

namespace jtimer::cluster::detail {

namespace {

/// Tasks of owners without a row are not announced by any lease: they are looked for as often.
constexpr int kRenewalsPerLook = 3;

}  // namespace

Node::Node(Environment& environment, Calls calls)
    : environment_(environment), calls_(std::move(calls)),
      leaseTime_(toMicros(environment.options.lease)),
      renewal_(*environment.timer, [this] { renewNow(); }),
      listener_(
          environment,
          {calls_.lookForTasks, [this] { renewNow(); }, [this] { turn(); }, [this] { finish(); }},
          environment.options.conninfo,
          environment.options.notifications && environment.options.notifyConninfo.empty(),
          longestRenewalPause(leaseTime_)),
      store_(listener_.store()) {}

void Node::start() {
    store_.checkRights();
    registerNode();
    store_.setTimeout(renewalTimeout(leaseTime_));
    try {
        listener_.start();
    } catch (...) {
        deleteRow();
        throw;
    }
}

void Node::registerNode() {
    const std::int64_t sentAt = environment_.clock->nanos();
    NewNode node{*environment_.options.name, leaseTime_};
    for (const auto& entry : environment_.registry) node.names.push_back(entry.first);
    node.concurrency = environment_.options.concurrency;
    const Registration done = store_.registerNode(node);
    environment_.history.store(done.history, std::memory_order_relaxed);
    hurriesOthers_ = done.shortensLeases;
    auto lease = std::make_shared<Lease>(done.node, environment_.clock);
    lease->renewed(sentAt, leaseTime_);
    const boost::lock_guard<boost::mutex> lock(mutex_);
    lease_ = std::move(lease);
}

std::shared_ptr<const Lease> Node::lease() const {
    const boost::lock_guard<boost::mutex> lock(mutex_);
    return lease_;
}

void Node::renewNow() {
    renewalDue_ = true;
    listener_.wake();
}

bool Node::waitUntilStopped(Micros wait) {
    return whenStopped_.wait_for(std::chrono::microseconds(wait)) == std::future_status::ready;
}

/// A renewal that fails stays due, and however long the database has been away, it comes in time
/// when it is back: see longestRenewalPause.
void Node::turn() {
    if (renewalDue_.exchange(false)) {
        try {
            renew();
        } catch (...) {
            renewalDue_ = true;
            throw;
        }
    }
    if (needsNumber_) {
        registerNode();
        needsNumber_ = false;
        renewal_.setIn(0);  // which tells the other nodes' leases
        calls_.lookForTasks();
    }
    if (!hurriesOthers_) return;
    store_.notify(Notification::Renewal);
    hurriesOthers_ = false;
}

void Node::renew() {
    const std::int64_t sentAt = environment_.clock->nanos();
    const Renewal renewal = store_.renew(lease_->node());
    if (!renewal.alive) {
        if (!needsNumber_) lost();
        return;
    }
    const bool wasLost = lease_->lost();
    lease_->renewed(sentAt, leaseTime_);
    // Without a survivor that renews in the shortest lease, there would be a gap.
    const Micros elapsed = (environment_.clock->nanos() - sentAt) / 1000;
    const Micros nextEnd = renewal.nextLeaseEndIn.value_or(kLongestWait);
    interval_ = renewalInterval(renewal.shortestLease);
    renewal_.setIn(std::min(nextRenewalIn(renewal.shortestLease, nextEnd), interval_ - elapsed));
    if (nextEnd <= 0 || renewals_++ % kRenewalsPerLook == 0) takeOver();
    if (wasLost) calls_.lookForTasks();
    calls_.releaseLostClaims();
    if (std::exchange(pauses_, renewal.pauses) != renewal.pauses) calls_.readPauses();
    environment_.history.store(renewal.history, std::memory_order_relaxed);
    if (renewal.pruneIsDue) calls_.pruneHistory();
}

/// The row is gone: another node has taken over. The runs in progress have lost their tasks, and
/// see so; this node goes on under a new number.
void Node::lost() {
    lease_->revoke();
    environment_.counters.add(&Stats::leasesLost);
    printLine("Node \"" + *environment_.options.name + "\" lost its lease");
    needsNumber_ = true;
}

/// If the database refuses it, for example because a trigger fails, the own lease goes on. The
/// next attempt comes with the next renewal.
void Node::takeOver() {
    try {
        const TakeOver result = store_.takeOver(lease_->node());
        environment_.counters.add(&Stats::takenOver, result.tasks);
        if (result.tasks + result.orphans != 0) {
            calls_.lookForTasks();
            if (environment_.options.notifications)
                store_.notify();  // for nodes with more idle slots
        }
        takeOverFails_ = false;
    } catch (const DatabaseException& exception) {
        if (!store_.connected()) throw;
        renewal_.setIn(interval_);
        if (!std::exchange(takeOverFails_, true))
            printLine("Node \"" + *environment_.options.name +
                      "\" cannot take over tasks: " + exception.what());
    }
}

void Node::finish() {
    deleteRow();
    stopped_.set_value();
}

/// If it fails, the lease expires, and another node deletes the row.
void Node::deleteRow() {
    try {
        store_.deleteNode(lease_->node());
    } catch (const std::exception&) {  // NOLINT(bugprone-empty-catch)
    }
    store_.disconnect();
}

}  // namespace jtimer::cluster::detail

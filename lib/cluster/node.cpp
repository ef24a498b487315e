// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "cluster/node.hpp"

#include "cluster/lease_times.hpp"
#include "cluster/reports.hpp"
#include "cluster/scheduler_state.hpp"

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

Node::Node(Engine& engine)
    : Listener(engine, engine.options.conninfo,
               engine.options.notifications && engine.options.notifyConninfo.empty()),
      leaseTime_(toMicros(engine.options.lease)), renewal_(*engine.timer, [this] { renewNow(); }) {}

void Node::start() {
    store_.checkRights();
    registerNode();
    store_.setTimeout(renewalTimeout(leaseTime_));
    try {
        Listener::start();
    } catch (...) {
        deleteRow();
        throw;
    }
}

void Node::registerNode() {
    const std::int64_t sentAt = engine_.clock->nanos();
    const Registration done = store_.registerNode(*engine_.options.name, leaseTime_);
    hurriesOthers_ = done.shortensLeases;
    auto lease = std::make_shared<Lease>(done.node, engine_.clock);
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
    wake();
}

bool Node::waitUntilEnded(Micros wait) {
    return whenEnded_.wait_for(std::chrono::microseconds(wait)) == std::future_status::ready;
}

/// A renewal that fails stays due.
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
        engine_.dispatcher.lookForTasks();
    }
    if (!hurriesOthers_) return;
    store_.notify(Notification::Renewal);
    hurriesOthers_ = false;
}

/// However long the database has been away, a lease is renewed in time when it is back.
Micros Node::pauseAfter(int failures) const {
    return std::min(ConnectedThread::pauseAfter(failures), longestRenewalPause(leaseTime_));
}

void Node::renew() {
    const std::int64_t sentAt = engine_.clock->nanos();
    const Renewal renewal = store_.renew(lease_->node());
    if (!renewal.alive) {
        if (!needsNumber_) lost();
        return;
    }
    const bool wasLost = lease_->lost();
    lease_->renewed(sentAt, leaseTime_);
    // Without a survivor that renews in the shortest lease, there would be a gap.
    const Micros elapsed = (engine_.clock->nanos() - sentAt) / 1000;
    const Micros nextEnd = renewal.nextLeaseEndIn.value_or(kLongestWait);
    interval_ = renewalInterval(renewal.shortestLease);
    renewal_.setIn(std::min(nextRenewalIn(renewal.shortestLease, nextEnd), interval_ - elapsed));
    if (nextEnd <= 0 || renewals_++ % kRenewalsPerLook == 0) takeOver();
    if (wasLost) engine_.dispatcher.lookForTasks();
    engine_.dispatcher.releaseLostClaims();
}

/// The row is gone: another node has taken over. The runs in progress have lost their tasks, and
/// see so; this node goes on under a new number.
void Node::lost() {
    lease_->end();
    engine_.counters.add(&Stats::leasesLost);
    printLine("Node \"" + *engine_.options.name + "\" lost its lease");
    needsNumber_ = true;
}

/// If the database refuses it, for example because a trigger fails, the own lease goes on. The
/// next attempt comes with the next renewal.
void Node::takeOver() {
    try {
        const TakeOver result = store_.takeOver(lease_->node());
        engine_.counters.add(&Stats::takenOver, result.tasks);
        if (result.tasks + result.orphans != 0) {
            engine_.dispatcher.lookForTasks();
            if (engine_.options.notifications) store_.notify();  // for nodes with more idle slots
        }
        takeOverFails_ = false;
    } catch (const DatabaseException& exception) {
        if (!store_.connected()) throw;
        renewal_.setIn(interval_);
        if (!std::exchange(takeOverFails_, true))
            printLine("Node \"" + *engine_.options.name +
                      "\" cannot take over tasks: " + exception.what());
    }
}

void Node::finish() {
    deleteRow();
    ended_.set_value();
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

// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "cluster/alarm.hpp"
#include "cluster/environment.hpp"
#include "cluster/lease.hpp"
#include "cluster/listener.hpp"
#include "cluster/micros.hpp"

#include <boost/thread/mutex.hpp>

#include <atomic>
#include <cstdint>
#include <functional>
#include <future>
#include <memory>

namespace jtimer::cluster::detail {

/// A node's number and lease: renews it, listens for notifications on the same connection, and
/// takes over from nodes whose lease has expired. A thread and a connection of its own, so that no
/// claim, handler or slow statement delays a renewal.
class Node {
  public:
    /// What it tells others. All are called on its thread.
    struct Calls {
        std::function<void()> lookForTasks;       ///< there may be tasks, or a lease to claim with
        std::function<void()> releaseLostClaims;  ///< renewed
        std::function<void()> readPauses;         ///< they have changed
        std::function<void()> pruneHistory;       ///< it is time
    };

    Node(Environment& environment, Calls calls);

    /// Connects, draws a number, and starts the thread.
    /// \throws what the Store throws; nothing is left behind
    void start();

    /// The lease of the present number. Any thread.
    std::shared_ptr<const Lease> lease() const;

    /// When a renewal is due, or a claim has found the row of this number gone. Any thread.
    void renewNow();

    void stop() noexcept {
        listener_.stop();
    }                                  ///< has the row deleted and the thread end; any thread
    void join() { listener_.join(); }  ///< after stop(), or without start()

    /// Waits until the thread is about to end. \returns false if that takes longer than `wait`
    bool waitUntilStopped(Micros wait);

  private:
    void turn();
    void finish();
    void renew();
    void lost();
    void takeOver();
    void deleteRow();
    void registerNode();

    Environment& environment_;
    const Calls calls_;
    const Micros leaseTime_;

    mutable boost::mutex mutex_;  ///< guards lease_
    std::shared_ptr<Lease> lease_;
    std::promise<void> stopped_;
    const std::shared_future<void> whenStopped_ = stopped_.get_future().share();
    std::atomic<bool> renewalDue_{true};

    // The rest belongs to the thread, and before it exists to start().
    Alarm renewal_;
    Micros interval_ = 0;         ///< between two renewals
    bool needsNumber_ = false;    ///< the row of the present one is gone
    bool hurriesOthers_ = false;  ///< they do not renew often enough for its lease yet
    bool takeOverFails_ = false;  ///< and that has been said
    int renewals_ = 0;
    std::int64_t pauses_ = 0;  ///< their number, as of the last renewal

    Listener listener_;
    Store& store_;  ///< the listener's
};

}  // namespace jtimer::cluster::detail

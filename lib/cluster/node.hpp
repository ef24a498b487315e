// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "cluster/alarm.hpp"
#include "cluster/counters.hpp"
#include "cluster/lease.hpp"
#include "cluster/listener.hpp"
#include "cluster/outage.hpp"
#include "cluster/store.hpp"

#include <jtimer/cluster/options.hpp>
#include <jtimer/timer.hpp>

#include <boost/thread/condition_variable.hpp>
#include <boost/thread/mutex.hpp>

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>

namespace jtimer::cluster::detail {

/// A node's number and lease: renews it, listens for notifications on the same connection, and
/// takes over from nodes whose lease has expired. A thread and a connection of its own, so that no
/// claim, handler or slow statement delays a renewal.
class Node {
  public:
    /// Called on the node's thread, with no lock held; must not throw.
    struct Events {
        std::function<void()> lookForTasks;  ///< there may be something to claim
        std::function<void()> renewed;       ///< each time
    };

    Node(const Options& options, Timer& timer, Outage& outage, Counters& counters, Events events);

    /// Connects, draws a number, and starts the thread.
    /// \throws what the Store throws; nothing is left behind
    void start();

    /// The lease of the present number. Any thread.
    std::shared_ptr<const Lease> lease() const;

    /// A claim has found the row of this number gone. Any thread.
    void rowGone();

    void end() { thread_.end(); }    ///< has the row deleted and the thread end; any thread
    void join() { thread_.join(); }  ///< after end()

    /// Waits until the thread is about to end. \returns false if that takes longer than `wait`
    bool waitUntilEnded(Micros wait);

  private:
    void turn();
    void renew();
    void lost();
    void tryToTakeOver();
    void takeOver();
    void deleteRow();
    void registerNode();
    void finish();

    const Options& options_;
    const Micros leaseTime_;
    const Events events_;
    Counters& counters_;

    mutable boost::mutex mutex_;  ///< guards the following three
    boost::condition_variable endedCondition_;
    std::shared_ptr<Lease> lease_;
    bool ended_ = false;

    std::atomic<bool> renewalDue_{true};

    Listener thread_;  ///< to which the rest belongs, and before it exists to start()
    Store& store_;
    Alarm renewal_;
    bool needsNumber_ = false;    ///< the row of the present one is gone
    bool takeOverFails_ = false;  ///< and that has been said
    int renewals_ = 0;
};

}  // namespace jtimer::cluster::detail

// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "cluster/alarm.hpp"
#include "cluster/counters.hpp"
#include "cluster/lease.hpp"
#include "cluster/outage.hpp"
#include "cluster/store.hpp"
#include "cluster/wake_pipe.hpp"

#include <jtimer/cluster/options.hpp>
#include <jtimer/timer.hpp>

#include <boost/thread/condition_variable.hpp>
#include <boost/thread/mutex.hpp>
#include <boost/thread/thread.hpp>

#include <atomic>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <string>

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

    Node(const Options& options, std::string name, Timer& timer, Outage& outage, Counters& counters,
         Events events);

    /// Connects, draws a number, and starts the thread.
    /// \throws what the Store throws; nothing is left behind
    void start();

    /// The lease of the present number. Any thread.
    std::shared_ptr<const Lease> lease() const;

    /// A claim has found the row of this number gone. Any thread.
    void rowGone();

    /// Has the row deleted and the thread end. Any thread.
    void end();

    void join();  ///< after end()

    /// Waits until the thread is about to end. \returns false if that takes longer than `wait`
    bool waitUntilEnded(Micros wait);

  private:
    void run();
    void turn();
    void renew();
    void lost();
    void tryToTakeOver();
    void takeOver();
    void listenAgain();
    void waitForEvent();
    void failed(const std::exception& exception);
    void deleteRow();
    void registerNode();

    const Options& options_;
    const std::string name_;
    const Micros leaseTime_;
    const Events events_;
    Counters& counters_;
    WakePipe pipe_;

    mutable boost::mutex mutex_;  ///< guards the following three
    boost::condition_variable endedCondition_;
    std::shared_ptr<Lease> lease_;
    bool ended_ = false;

    std::atomic<bool> renewalDue_{true};
    std::atomic<bool> ending_{false};

    // The rest belongs to the thread, and before it exists to start().
    Store store_;
    Attempts attempts_;
    Alarm renewal_;
    bool listening_ = false;
    bool needsNumber_ = false;    ///< the row of the present one is gone
    bool takeOverFails_ = false;  ///< and that has been said
    int renewals_ = 0;
    boost::thread thread_;
};

}  // namespace jtimer::cluster::detail

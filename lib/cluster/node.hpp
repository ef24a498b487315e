// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "cluster/alarm.hpp"
#include "cluster/lease.hpp"
#include "cluster/listener.hpp"
#include "cluster/micros.hpp"

#include <boost/thread/mutex.hpp>

#include <atomic>
#include <future>
#include <memory>

namespace jtimer::cluster::detail {

/// A node's number and lease: renews it, listens for notifications on the same connection, and
/// takes over from nodes whose lease has expired. A thread and a connection of its own, so that no
/// claim, handler or slow statement delays a renewal.
class Node : private Listener {
  public:
    explicit Node(Engine& engine);

    /// Connects, draws a number, and starts the thread.
    /// \throws what the Store throws; nothing is left behind
    void start();

    /// The lease of the present number. Any thread.
    std::shared_ptr<const Lease> lease() const;

    /// When a renewal is due, or a claim has found the row of this number gone. Any thread.
    void renewNow();

    using Listener::end;  ///< has the row deleted and the thread end; any thread
    using Listener::join;

    /// Waits until the thread is about to end. \returns false if that takes longer than `wait`
    bool waitUntilEnded(Micros wait);

  private:
    void turn() override;
    Micros pauseAfter(int failures) const override;
    void finish() override;
    void renew();
    void lost();
    void takeOver();
    void deleteRow();
    void registerNode();

    const Micros leaseTime_;

    mutable boost::mutex mutex_;  ///< guards lease_
    std::shared_ptr<Lease> lease_;
    std::promise<void> ended_;
    const std::shared_future<void> whenEnded_ = ended_.get_future().share();
    std::atomic<bool> renewalDue_{true};

    // The rest belongs to the thread, and before it exists to start().
    Alarm renewal_;
    Micros interval_ = 0;         ///< between two renewals
    bool needsNumber_ = false;    ///< the row of the present one is gone
    bool hurriesOthers_ = false;  ///< they do not renew often enough for its lease yet
    bool takeOverFails_ = false;  ///< and that has been said
    int renewals_ = 0;
};

}  // namespace jtimer::cluster::detail

// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "cluster/alarm.hpp"
#include "cluster/counters.hpp"
#include "cluster/outage.hpp"
#include "cluster/store.hpp"
#include "cluster/wake_pipe.hpp"

#include <jtimer/cluster/options.hpp>
#include <jtimer/timer.hpp>

#include <boost/thread/thread.hpp>

#include <atomic>
#include <exception>
#include <functional>

namespace jtimer::cluster::detail {

/// Listens on Options::notifyConninfo: a connection and a thread, which exist only if that is set.
/// Otherwise Node listens on its own.
class Listener {
  public:
    Listener(const Options& options, Timer& timer, Outage& outage, Counters& counters,
             std::function<void()> lookForTasks);

    /// Connects, listens, and starts the thread. \throws what the Store throws
    void start();

    void join();  ///< ends the thread

  private:
    void run();
    void turn();
    void failed(const std::exception& exception);

    const std::function<void()> lookForTasks_;  ///< called with no lock held; must not throw
    Counters& counters_;
    WakePipe pipe_;
    std::atomic<bool> ending_{false};
    std::atomic<bool> retryDue_{false};

    // The rest belongs to the thread, and before it exists to start().
    Store store_;
    Attempts attempts_;
    Alarm retry_;
    bool listening_ = false;
    boost::thread thread_;
};

}  // namespace jtimer::cluster::detail

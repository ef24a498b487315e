// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "cluster/connected_thread.hpp"
#include "cluster/environment.hpp"

#include <boost/thread/condition_variable.hpp>
#include <boost/thread/lock_types.hpp>
#include <boost/thread/mutex.hpp>

namespace jtimer::cluster::detail {

/// Deletes the past runs that are not to be kept any longer: one node of all, once a minute. It has
/// a connection of its own, so that this delays neither renewals, claims nor ends. Where no run was
/// ever kept, it connects to nothing.
class HistoryPruner : private ConnectedThread::Duty {
  public:
    explicit HistoryPruner(Environment& environment);

    void start() { thread_.start(); }
    void prune();                    ///< it is time; any thread
    void stop();                     ///< has the thread end, in the middle of it if need be
    void join() { thread_.join(); }  ///< after stop(), or without start()

  private:
    using Lock = boost::unique_lock<boost::mutex>;

    bool waitForWork() override;
    void work() override;
    void resume() override;
    bool isStopping();

    boost::mutex mutex_;  ///< guards the following two
    bool wanted_ = false;
    bool stopping_ = false;
    boost::condition_variable condition_;
    ConnectedThread thread_;
};

}  // namespace jtimer::cluster::detail

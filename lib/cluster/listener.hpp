// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "cluster/connected_thread.hpp"
#include "cluster/wake_pipe.hpp"

#include <atomic>
#include <functional>
#include <string>

namespace jtimer::cluster::detail {

/// A thread that sleeps until a notification comes or it is woken. A Node has one; with
/// Options::notifyConninfo, another one listens.
class Listener final : private ConnectedThread::Duty {
  public:
    /// What it tells others. All are called on its thread.
    struct Calls {
        std::function<void()> lookForTasks;  ///< notified, or not able to hear for a while
        std::function<void()> renewNow;      ///< notified
        /// Before each sleep. May throw what the store throws, and is called again then.
        std::function<void()> turn = [] {};
        std::function<void()> finish = [] {};  ///< the last call; must not throw
    };

    /// \param listens false: it only connects
    Listener(Environment& environment, Calls calls, const std::string& conninfo, bool listens,
             Micros longestPause = kLongestWait);

    /// For turn() and finish(), and before start() for the caller.
    Store& store() noexcept { return thread_.store(); }

    /// Connects, listens, and starts the thread. \throws what the Store throws
    void start();

    void wake() noexcept { pipe_.wake(); }  ///< for a turn; any thread
    void stop() noexcept;                   ///< has the thread end; any thread
    void join() { thread_.join(); }         ///< after stop(), or without start()

  private:
    bool waitForWork() override;
    void work() override;
    void pausing(Micros) override { listening_ = false; }
    void resume() override { wake(); }
    void finish() override { calls_.finish(); }
    void listen();

    Environment& environment_;
    const Calls calls_;
    const bool listens_;
    WakePipe pipe_;
    std::atomic<bool> stopping_{false};
    bool listening_ = false;  ///< or connected, if it does not listen; the thread's
    ConnectedThread thread_;
};

}  // namespace jtimer::cluster::detail

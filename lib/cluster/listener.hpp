// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "cluster/alarm.hpp"
#include "cluster/counters.hpp"
#include "cluster/outage.hpp"
#include "cluster/store.hpp"

#include <jtimer/cluster/options.hpp>
#include <jtimer/timer.hpp>

#include <boost/thread/thread.hpp>

#include <atomic>
#include <exception>
#include <functional>
#include <string>

namespace jtimer::cluster::detail {

/// Wakes a thread that waits for a socket. Any thread may call wake(), one the other functions.
class WakePipe {
  public:
    /// \throws std::system_error without file descriptors
    WakePipe();
    ~WakePipe();
    WakePipe(const WakePipe&) = delete;
    WakePipe& operator=(const WakePipe&) = delete;

    void wake() noexcept;

    int fd() const noexcept { return ends_[0]; }  ///< readable after wake(), until clear()
    void clear() noexcept;
    void wait() noexcept;  ///< until it is readable

  private:
    int ends_[2] = {-1, -1};
};

/// A thread with a connection of its own, which sleeps until a notification comes or it is woken. A
/// node renews its lease on one. With Options::notifyConninfo, another one only listens.
class Listener {
  public:
    /// Called on the thread, with no lock held.
    struct Work {
        std::function<void()> lookForTasks;  ///< something may have been notified; must not throw
        /// Before each wait; may use the store, and throw what that throws. Is called again then.
        std::function<void()> turn;
        std::function<void()> finish;  ///< comes last; must not throw
    };

    /// \param listens false: it only connects
    Listener(const Options& options, const std::string& conninfo, bool listens, Timer& timer,
             Outage& outage, Counters& counters, Work work);

    /// Connects, listens, and starts the thread. \throws what the Store throws
    void start();

    void wake() noexcept { pipe_.wake(); }  ///< for a turn; any thread
    void end() noexcept;                    ///< has the thread end; any thread
    void join();                            ///< after end()

    Store& store() noexcept { return store_; }  ///< the thread's, and before start() the caller's

  private:
    void run();
    void listen();
    void waitForEvent();
    void failed(const std::exception& exception);

    const bool listens_;
    const Work work_;
    Counters& counters_;
    WakePipe pipe_;
    std::atomic<bool> ending_{false};

    // The rest belongs to the thread, and before it exists to start().
    Store store_;
    Attempts attempts_;
    bool listening_ = false;  ///< or connected, if it does not listen
    boost::thread thread_;
};

}  // namespace jtimer::cluster::detail

// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "cluster/outage.hpp"
#include "cluster/store.hpp"

#include <boost/thread/thread.hpp>

#include <atomic>
#include <exception>
#include <string>

namespace jtimer::cluster::detail {

struct Engine;

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

/// A thread with a connection of its own, which sleeps until a notification comes or it is woken,
/// and looks for tasks then. With Options::notifyConninfo, one only listens. A Node is another one.
class Listener {
  public:
    /// \param listens false: it only connects
    Listener(Engine& engine, const std::string& conninfo, bool listens);
    virtual ~Listener() = default;
    Listener(const Listener&) = delete;
    Listener& operator=(const Listener&) = delete;

    /// Connects, listens, and starts the thread. \throws what the Store throws
    void start();

    void wake() noexcept { pipe_.wake(); }  ///< for a turn; any thread
    void end() noexcept;                    ///< has the thread end; any thread
    void join();                            ///< after end()

  protected:
    Engine& engine_;
    Store store_;  ///< the thread's, and before start() the caller's

  private:
    /// On the thread, before each wait. May throw what the store throws, and is called again then.
    virtual void turn() {}
    virtual void finish() noexcept {}  ///< the last on the thread

    void run();
    void listen();
    void waitForEvent();
    void failed(const std::exception& exception);

    const bool listens_;
    WakePipe pipe_;
    std::atomic<bool> ending_{false};

    // The rest belongs to the thread, and before it exists to start().
    Attempts attempts_;
    bool listening_ = false;  ///< or connected, if it does not listen
    boost::thread thread_;
};

}  // namespace jtimer::cluster::detail

// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "cluster/connected_thread.hpp"

#include <atomic>
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

/// Sleeps until a notification comes or it is woken, and looks for tasks then. With
/// Options::notifyConninfo, one only listens. A Node is another one.
class Listener : public ConnectedThread {
  public:
    /// \param listens false: it only connects
    Listener(Engine& engine, const std::string& conninfo, bool listens);

    /// Connects, listens, and starts the thread. \throws what the Store throws
    void start();

    void wake() noexcept { pipe_.wake(); }  ///< for a turn; any thread
    void end() noexcept;                    ///< has the thread end; any thread

  private:
    /// Before each sleep. May throw what the store throws, and is called again then.
    virtual void turn() {}

    bool waitForWork() override;
    void work() override;
    void failed(Micros pause) override;
    void resume() override { wake(); }
    void listen();

    const bool listens_;
    WakePipe pipe_;
    std::atomic<bool> ending_{false};
    bool listening_ = false;  ///< or connected, if it does not listen; the thread's
};

}  // namespace jtimer::cluster::detail

// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "cluster/alarm.hpp"
#include "cluster/reports.hpp"
#include "cluster/store.hpp"

#include <boost/thread/lock_guard.hpp>
#include <boost/thread/mutex.hpp>
#include <boost/thread/thread.hpp>

#include <atomic>
#include <exception>
#include <string>
#include <utility>

namespace jtimer::cluster::detail {

struct Engine;

/// Prints one line when the database goes and one when it is back, however many of a node's
/// connections notice. Any thread; its mutex is taken last.
class Outage {
  public:
    explicit Outage(std::string node) : node_(std::move(node)) {}

    /// A connection cannot be used, not even a new one.
    void begins(const std::string& why) {
        const boost::lock_guard<boost::mutex> lock(mutex_);
        if (away_++ == 0) printLine("Node \"" + node_ + "\" cannot use the database: " + why);
    }

    /// One for which begins() was called works again.
    void ends() {
        const boost::lock_guard<boost::mutex> lock(mutex_);
        if (--away_ == 0) printLine("Node \"" + node_ + "\" can use the database again");
    }

  private:
    const std::string node_;
    boost::mutex mutex_;
    int away_ = 0;  ///< connections that are, under the mutex
};

/// A thread with a connection of its own, which waits for work and does it, again and again. If
/// either fails, it pauses, each time longer, and goes on with a new connection.
class ConnectedThread {
  public:
    virtual ~ConnectedThread() = default;
    ConnectedThread(const ConnectedThread&) = delete;
    ConnectedThread& operator=(const ConnectedThread&) = delete;

    void connect() { store_.connect(); }  ///< before start(). \throws what the Store throws
    void start();
    void join();  ///< after waitForWork() has been made to end it, or without start()

    /// Whether the last attempt has failed. Any thread.
    bool failing() const noexcept { return failures_ != 0; }

  protected:
    ConnectedThread(Engine& engine, const std::string& conninfo);

    virtual Micros pauseAfter(int failures) const;       ///< in a row, the last one included
    int failures() const noexcept { return failures_; }  ///< in a row
    bool paused() const noexcept { return paused_; }

    Engine& engine_;
    Store store_;  ///< the thread's, and before start() the caller's

  private:
    /// Waits until there is something to do and no pause. \returns false at the end
    virtual bool waitForWork() = 0;
    virtual void work() = 0;
    virtual void failed(Micros) {}  ///< how long the pause is
    virtual void recovered() {}     ///< worked, after a failure
    virtual void resume() = 0;      ///< a pause is over; on the timer's thread, must not throw
    virtual void finish() { store_.disconnect(); }  ///< the last on the thread; must not throw

    void run();
    void pause(const std::exception& exception);

    std::atomic<int> failures_{0};
    std::atomic<bool> paused_{false};
    Alarm alarm_;
    boost::thread thread_;
};

}  // namespace jtimer::cluster::detail

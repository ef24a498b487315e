// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "cluster/alarm.hpp"
#include "cluster/environment.hpp"
#include "cluster/micros.hpp"
#include "cluster/store.hpp"

#include <boost/thread/thread.hpp>

#include <atomic>
#include <exception>
#include <string>

namespace jtimer::cluster::detail {

/// A thread with a connection of its own, which waits for work and does it, again and again. If
/// either fails, it pauses, each time longer, and goes on with a new connection.
class ConnectedThread {
  public:
    /// What a thread does. Its functions are called on the thread, but for resume().
    class Duty {
      public:
        /// Waits until there is something to do and no pause. \returns false at the end
        virtual bool waitForWork() = 0;
        virtual void work() = 0;
        /// One of the two has thrown, and a pause begins. Must not throw.
        virtual void pausing(Micros) {}
        /// work() has succeeded again. Must not throw.
        virtual void recovered() {}
        /// The pause is over, or may be. On the timer's thread; must not throw.
        virtual void resume() = 0;
        /// The last call. Must not throw.
        virtual void finish() {}

      protected:
        ~Duty() = default;
    };

    /// \param duty outlives the thread
    /// \param longestPause after a failure
    ConnectedThread(Environment& environment, const std::string& conninfo, Duty& duty,
                    Micros longestPause = kLongestWait);
    ConnectedThread(const ConnectedThread&) = delete;
    ConnectedThread& operator=(const ConnectedThread&) = delete;

    /// Belongs to the thread, and to the caller before start().
    Store& store() noexcept { return store_; }

    void start();
    void join();  ///< after waitForWork() has been made to return false, or without start()

    /// \name Any thread
    /// @{
    int failures() const noexcept { return failures_; }  ///< in a row; 0: the last attempt worked
    bool paused() const noexcept { return paused_; }
    /// @}

  private:
    void run();
    void pause(const std::exception& exception);

    Environment& environment_;
    Duty& duty_;
    const Micros longestPause_;
    Store store_;
    std::atomic<int> failures_{0};
    std::atomic<bool> paused_{false};
    Alarm alarm_;
    boost::thread thread_;
};

}  // namespace jtimer::cluster::detail

// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "cluster/alarm.hpp"
#include "cluster/backoff.hpp"
#include "cluster/counters.hpp"
#include "cluster/reports.hpp"

#include <boost/thread/lock_guard.hpp>
#include <boost/thread/mutex.hpp>

#include <atomic>
#include <exception>
#include <functional>
#include <string>
#include <utility>

namespace jtimer::cluster::detail {

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

/// How one connection fares: counts failures in a row, and pauses after each. failures() and
/// paused() are for any thread, the rest is for the thread that uses the connection.
class Attempts {
  public:
    /// \param resume called by the timer's thread after a pause; must not throw
    Attempts(Timer& timer, Outage& outage, Counters& counters, std::function<void()> resume)
        : outage_(outage), counters_(counters), alarm_(timer, [this, resume = std::move(resume)] {
              paused_ = false;
              resume();
          }) {}

    /// The first failure may be the end of a connection that had been idle, so only the second in a
    /// row makes an outage.
    /// \returns how long the pause is
    Micros failed(const std::exception& exception) {
        if (++failures_ == 2) outage_.begins(exception.what());
        const Micros delay = reconnectDelay(failures_, randomFraction());
        paused_ = true;
        alarm_.setIn(delay);
        return delay;
    }

    /// \returns whether the attempt before had failed
    bool succeeded() {
        const int failures = failures_.exchange(0);
        if (failures == 0) return false;
        counters_.add(&Stats::reconnects);
        if (failures >= 2) outage_.ends();
        return true;
    }

    int failures() const noexcept { return failures_; }
    bool paused() const noexcept { return paused_; }

  private:
    Outage& outage_;
    Counters& counters_;
    std::atomic<int> failures_{0};
    std::atomic<bool> paused_{false};
    Alarm alarm_;
};

}  // namespace jtimer::cluster::detail

// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "cluster/alarm.hpp"
#include "cluster/backoff.hpp"
#include "cluster/counters.hpp"
#include "cluster/reports.hpp"

#include <boost/thread/lock_guard.hpp>
#include <boost/thread/mutex.hpp>

#include <exception>
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

/// How one connection fares, for the thread that uses it: counts failures in a row, and says how
/// long to wait before the next attempt.
class Attempts {
  public:
    Attempts(Outage& outage, Counters& counters) : outage_(outage), counters_(counters) {}

    /// \returns how long to wait. The first failure may be the end of a connection that had been
    ///   idle, so only the second in a row makes an outage.
    Micros failed(const std::exception& exception) {
        if (++failures_ == 2) outage_.begins(exception.what());
        return reconnectDelay(failures_, randomFraction());
    }

    void succeeded() {
        if (failures_ == 0) return;
        counters_.add(&Stats::reconnects);
        if (failures_ >= 2) outage_.ends();
        failures_ = 0;
    }

    int failures() const noexcept { return failures_; }

  private:
    Outage& outage_;
    Counters& counters_;
    int failures_ = 0;
};

}  // namespace jtimer::cluster::detail

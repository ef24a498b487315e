// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include <jtimer/cluster/stats.hpp>
#include <jtimer/stats.hpp>

#include <boost/thread/lock_guard.hpp>
#include <boost/thread/mutex.hpp>

#include <atomic>
#include <chrono>
#include <cstdint>

namespace jtimer::cluster::detail {

/// What Stats says, but for the runs in progress. Any thread counts; each number is read by itself,
/// so the increments need no order.
struct Counters {
    std::atomic<std::uint64_t> claimed{0}, succeeded{0}, failed{0}, retried{0}, died{0},
        takenOver{0}, fenced{0}, leasesLost{0}, missed{0}, polls{0}, notifications{0},
        reconnects{0};

    void late(std::chrono::nanoseconds lateness) {
        const boost::lock_guard<boost::mutex> lock(mutex_);
        lateness_.add(lateness);
    }

    Stats read() const {
        Stats stats;
        stats.claimed = claimed;
        stats.succeeded = succeeded;
        stats.failed = failed;
        stats.retried = retried;
        stats.died = died;
        stats.takenOver = takenOver;
        stats.fenced = fenced;
        stats.leasesLost = leasesLost;
        stats.missed = missed;
        stats.polls = polls;
        stats.notifications = notifications;
        stats.reconnects = reconnects;
        const boost::lock_guard<boost::mutex> lock(mutex_);
        stats.lateness = lateness_;
        return stats;
    }

  private:
    mutable boost::mutex mutex_;  ///< taken last
    LatenessHistogram lateness_;  ///< under the mutex
};

}  // namespace jtimer::cluster::detail

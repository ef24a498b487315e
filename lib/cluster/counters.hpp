// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include <jtimer/cluster/stats.hpp>

#include <boost/thread/lock_guard.hpp>
#include <boost/thread/mutex.hpp>

#include <chrono>
#include <cstdint>

namespace jtimer::cluster::detail {

/// What Stats says, but for the runs in progress. Any thread counts.
class Counters {
  public:
    void add(std::uint64_t Stats::*what, std::uint64_t count = 1) {
        const boost::lock_guard<boost::mutex> lock(mutex_);
        stats_.*what += count;
    }

    void late(std::chrono::nanoseconds lateness) {
        const boost::lock_guard<boost::mutex> lock(mutex_);
        stats_.lateness.add(lateness);
    }

    Stats read() const {
        const boost::lock_guard<boost::mutex> lock(mutex_);
        return stats_;
    }

  private:
    mutable boost::mutex mutex_;  ///< taken last
    Stats stats_;
};

}  // namespace jtimer::cluster::detail

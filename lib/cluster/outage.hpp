// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "cluster/reports.hpp"
#include "sync/assert.hpp"

#include <boost/thread/lock_guard.hpp>
#include <boost/thread/mutex.hpp>

#include <string>
#include <utility>

namespace jtimer::cluster::detail {

/// Prints one line when the database goes and one when it is back, however many of a node's
/// connections notice. Any thread.
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
        JTIMER_ASSERT(away_ > 0);
        if (--away_ == 0) printLine("Node \"" + node_ + "\" can use the database again");
    }

  private:
    const std::string node_;
    boost::mutex mutex_;  ///< taken last
    int away_ = 0;        ///< connections that are, under the mutex
};

}  // namespace jtimer::cluster::detail

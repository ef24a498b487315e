// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "cluster/plain_session.hpp"
#include "cluster/server.hpp"

#include <jtimer/cluster/scheduler.hpp>

#include <boost/test/unit_test.hpp>
#include <boost/thread/condition_variable.hpp>
#include <boost/thread/lock_guard.hpp>
#include <boost/thread/lock_types.hpp>
#include <boost/thread/mutex.hpp>

#include <functional>
#include <string>
#include <vector>

namespace test {

/// A number that threads count up, and others wait for.
class Counted {
  public:
    void add() {
        const boost::lock_guard<boost::mutex> lock(mutex_);
        ++count_;
        condition_.notify_all();
    }
    int get() const {
        const boost::lock_guard<boost::mutex> lock(mutex_);
        return count_;
    }
    void await(int count) const {
        boost::unique_lock<boost::mutex> lock(mutex_);
        while (count_ < count) condition_.wait(lock);
    }

  private:
    mutable boost::mutex mutex_;
    mutable boost::condition_variable condition_;
    int count_ = 0;
};

}  // namespace test

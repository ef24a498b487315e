// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include <boost/chrono/duration.hpp>
#include <boost/thread/condition_variable.hpp>
#include <boost/thread/mutex.hpp>

namespace test {

/// Counts up; other threads may wait for a number. Where a Gate would hang for ever if the library
/// were broken, this wait gives up, and the test fails.
class Counter {
  public:
    void up() {
        const boost::unique_lock<boost::mutex> lock(mutex_);
        ++count_;
        changed_.notify_all();
    }
    int get() const {
        const boost::unique_lock<boost::mutex> lock(mutex_);
        return count_;
    }
    /// Waits until the count is `count` or more. \returns false after a minute of waiting in vain
    bool reaches(int count) {
        boost::unique_lock<boost::mutex> lock(mutex_);
        return changed_.wait_for(lock, boost::chrono::minutes(1), [&] { return count_ >= count; });
    }

  private:
    mutable boost::mutex mutex_;
    boost::condition_variable changed_;
    int count_ = 0;
};

}  // namespace test

// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include <boost/thread/condition_variable.hpp>
#include <boost/thread/mutex.hpp>

namespace test {

/// Closed until it is opened, once and for all: one thread's signal to any number of others.
class Gate {
  public:
    void open() {
        const boost::unique_lock<boost::mutex> lock(mutex_);
        open_ = true;
        opened_.notify_all();
    }
    void wait() {
        boost::unique_lock<boost::mutex> lock(mutex_);
        opened_.wait(lock, [this] { return open_; });
    }

  private:
    boost::mutex mutex_;
    boost::condition_variable opened_;
    bool open_ = false;
};

}  // namespace test

// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include <boost/thread/condition_variable.hpp>
#include <boost/thread/mutex.hpp>

#include <cstddef>
#include <deque>
#include <functional>
#include <thread>
#include <vector>

namespace jtimer::cluster::detail {

/// Threads that are made when a function finds none idle, and kept until the end.
class Runners {
  public:
    ~Runners();  ///< after the last function

    /// Runs it on a thread. The caller bounds how many there are at a time.
    /// \param function must not throw
    /// \throws std::exception if there is no thread at all; the function is not run
    void run(std::function<void()> function);

  private:
    void loop();

    boost::mutex mutex_;  ///< guards everything here; not held while a function runs
    boost::condition_variable condition_;
    std::deque<std::function<void()>> functions_;
    std::size_t idle_ = 0;
    bool ending_ = false;
    /// Not of Boost.Thread, where joining a thread that pthread_exit has ended waits for ever.
    std::vector<std::thread> threads_;
};

}  // namespace jtimer::cluster::detail

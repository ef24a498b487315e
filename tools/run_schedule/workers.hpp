// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

/// Threads that run functions: as many as have ever been needed at once. The caller limits that.
class Workers {
  public:
    Workers() = default;
    Workers(const Workers&) = delete;
    Workers& operator=(const Workers&) = delete;
    ~Workers() { finish(); }

    /// Runs the function on a thread that has nothing to do, or on a new one. Not to be called
    /// after finish().
    /// \throws std::system_error if there is no thread, and none can be started
    void run(std::function<void()> function);

    /// Waits until all functions have returned, and ends the threads.
    void finish();

  private:
    void work();

    std::mutex mutex_;
    std::condition_variable changed_;
    // Guarded by mutex_:
    std::deque<std::function<void()>> functions_;  ///< not yet begun
    std::size_t idle_ = 0;                         ///< threads that wait for one
    bool finishing_ = false;
    std::vector<std::thread> threads_;  ///< of the thread that calls run(), and of finish() later
};

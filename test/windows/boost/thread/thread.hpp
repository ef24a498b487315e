// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

// Stands for Boost.Thread on Windows, where the library has the standard library's threads
// (lib/sync/threads.hpp): what the tests use of it, under its names.

#include "windows/system.hpp"

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

namespace boost {

namespace chrono = std::chrono;

using std::condition_variable;
using std::condition_variable_any;
using std::defer_lock;
using std::lock_guard;
using std::mutex;
using std::try_to_lock;
using std::unique_lock;

/// Detaches itself where std::thread would end the program.
class thread : public std::thread {
  public:
    struct attributes {
        void set_stack_size(std::size_t) {}  // the standard library has none
    };

    using std::thread::thread;
    thread() = default;
    template <class Function>
    thread(attributes&, Function function) : std::thread(std::move(function)) {}
    thread(thread&&) = default;
    thread& operator=(thread&& other) {
        if (joinable()) detach();
        std::thread::operator=(std::move(other));
        return *this;
    }
    ~thread() {
        if (joinable()) detach();
    }

    bool try_join_for(std::chrono::milliseconds span) {
        if (!test::windows::endsWithin(span, native_handle())) return false;
        join();
        return true;
    }

    /// Not called: see needInterruption() in support/abilities.hpp.
    void interrupt() {}
};

class thread_group {
  public:
    template <class Function>
    thread* create_thread(Function function) {
        threads_.push_back(std::make_unique<thread>(std::move(function)));
        return threads_.back().get();
    }
    void join_all() {
        for (const auto& each : threads_)
            if (each->joinable()) each->join();
    }

  private:
    std::vector<std::unique_ptr<thread>> threads_;
};

class barrier {
  public:
    explicit barrier(std::size_t count) : count_(count), missing_(count) {}

    void wait() {
        std::unique_lock<std::mutex> lock(mutex_);
        const std::size_t round = round_;
        if (--missing_ == 0) {
            ++round_;
            missing_ = count_;
            complete_.notify_all();
        } else {
            complete_.wait(lock, [&] { return round_ != round; });
        }
    }

  private:
    std::mutex mutex_;
    std::condition_variable complete_;
    const std::size_t count_;
    std::size_t missing_;
    std::size_t round_ = 0;
};

class thread_interrupted {};

namespace this_thread {

using std::this_thread::get_id;
using std::this_thread::sleep_for;
using std::this_thread::yield;
inline void interruption_point() {}

}  // namespace this_thread

}  // namespace boost

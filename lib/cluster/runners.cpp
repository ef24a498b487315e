// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "cluster/runners.hpp"

#include <jtimer/detail/own_thread_end.hpp>

#include <boost/thread/lock_guard.hpp>
#include <boost/thread/lock_types.hpp>

#include <exception>
#include <utility>

namespace jtimer::cluster::detail {

Runners::~Runners() {
    {
        const boost::lock_guard<boost::mutex> lock(mutex_);
        ending_ = true;
        condition_.notify_all();
    }
    for (std::thread& thread : threads_) thread.join();
}

void Runners::run(std::function<void()> function) {
    const boost::lock_guard<boost::mutex> lock(mutex_);
    functions_.push_back(std::move(function));
    if (functions_.size() > idle_) {
        try {
            threads_.emplace_back([this] { loop(); });
        } catch (const std::exception&) {  // no thread, or no memory for it
            // With a thread, the function runs a little later.
            if (threads_.empty()) {
                functions_.pop_back();
                throw;
            }
        }
    }
    condition_.notify_one();
}

void Runners::loop() {
    const jtimer::detail::OwnThreadEnd end;
    boost::unique_lock<boost::mutex> lock(mutex_);
    for (;;) {
        ++idle_;
        while (functions_.empty() && !ending_) condition_.wait(lock);
        --idle_;
        if (functions_.empty()) return;
        std::function<void()> function = std::move(functions_.front());
        functions_.pop_front();
        lock.unlock();
        function();
        function = nullptr;  // what it captured is destroyed without the lock
        lock.lock();
    }
}

}  // namespace jtimer::cluster::detail

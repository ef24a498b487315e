// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "workers.hpp"

#include <utility>

void Workers::run(std::function<void()> function) {
    const std::lock_guard lock(mutex_);
    // Before the function is added, so that nothing has changed if it throws.
    if (idle_ <= functions_.size()) threads_.emplace_back([this] { work(); });
    functions_.push_back(std::move(function));
    changed_.notify_one();
}

void Workers::work() {
    std::unique_lock lock(mutex_);
    for (;;) {
        ++idle_;
        changed_.wait(lock, [this] { return !functions_.empty() || finishing_; });
        --idle_;
        if (functions_.empty()) return;
        const std::function<void()> function = std::move(functions_.front());
        functions_.pop_front();
        lock.unlock();
        function();
        lock.lock();
    }
}

void Workers::finish() {
    {
        const std::lock_guard lock(mutex_);
        finishing_ = true;
        changed_.notify_all();
    }
    for (std::thread& thread : threads_) thread.join();
    threads_.clear();
}

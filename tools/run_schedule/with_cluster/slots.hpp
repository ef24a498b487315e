// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include <condition_variable>
#include <mutex>

/// How many commands run at once. While a new schedule replaces another one, both have a node, and
/// each of them may claim that many. Any thread may call any function.
class Slots {
  public:
    explicit Slots(int count) : free_(count) {}

    /// Waits for a slot.
    /// \returns false after close()
    bool take() {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [this] { return free_ > 0 || isClosed_; });
        if (isClosed_) return false;
        --free_;
        return true;
    }

    void give() {
        const std::lock_guard lock(mutex_);
        ++free_;
        changed_.notify_one();
    }

    /// No more commands begin.
    void close() {
        const std::lock_guard lock(mutex_);
        isClosed_ = true;
        changed_.notify_all();
    }

  private:
    std::mutex mutex_;
    std::condition_variable changed_;
    int free_;               ///< guarded by mutex_
    bool isClosed_ = false;  ///< guarded by mutex_
};

/// A slot, unless they are closed.
class Slot {
  public:
    explicit Slot(Slots& slots) : slots_(slots), isTaken_(slots.take()) {}
    Slot(const Slot&) = delete;
    Slot& operator=(const Slot&) = delete;
    ~Slot() {
        if (isTaken_) slots_.give();
    }

    explicit operator bool() const { return isTaken_; }

  private:
    Slots& slots_;
    const bool isTaken_;
};

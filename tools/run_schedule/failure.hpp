// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include <exception>
#include <mutex>
#include <utility>

/// The exception that has ended a schedule: the first one out of an action. Any thread may use it.
class Failure {
  public:
    void keep(std::exception_ptr exception) {
        const std::lock_guard lock(mutex_);
        if (!exception_) exception_ = std::move(exception);
    }

    /// Does nothing without an exception.
    void rethrow() const {
        const std::lock_guard lock(mutex_);
        if (exception_) std::rethrow_exception(exception_);
    }

  private:
    mutable std::mutex mutex_;
    std::exception_ptr exception_;  ///< guarded by mutex_
};

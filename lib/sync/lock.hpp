// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "sync/mutex.hpp"
#include "sync/thread_annotations.hpp"
#include "sync/threads.hpp"

namespace jtimer::detail {

/// Where a function takes a `Lock&`, its caller holds it. The function asserts that by holds(), or
/// by the function of a class that keeps its mutex to itself.
using Lock = threads::unique_lock<Mutex>;

/// Whether the lock is held, and is a lock of this mutex.
inline bool holds(const Lock& lock, const Mutex& mutex) noexcept {
    return lock.owns_lock() && lock.mutex() == &mutex;
}

/// A Lock of one scope, which clang checks: see sync/thread_annotations.hpp.
class JTIMER_SCOPED_CAPABILITY Guard final : public Lock {
  public:
    explicit Guard(Mutex& guarding) JTIMER_ACQUIRE(guarding) : Lock(guarding) {}
    Guard(const Guard&) = delete;
    Guard& operator=(const Guard&) = delete;
    ~Guard() JTIMER_RELEASE() {}  // NOLINT(modernize-use-equals-default): clang 14 checks no other

    void lock() JTIMER_ACQUIRE() JTIMER_UNCHECKED_LOCKING { Lock::lock(); }
    void unlock() JTIMER_RELEASE() JTIMER_UNCHECKED_LOCKING { Lock::unlock(); }
};

/// A condition variable to wait on with a Lock.
using Condition = threads::condition_variable_any;

}  // namespace jtimer::detail

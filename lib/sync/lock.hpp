// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "sync/mutex.hpp"
#include "sync/thread_annotations.hpp"
#include "sync/threads.hpp"

#if defined(_WIN32)
#include <atomic>
#include <chrono>
#include <cstdint>
#endif

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
#if defined(_WIN32)

/// As the standard library's, but making one takes no memory: it is part of functions that must not
/// fail.
///
/// No wake-up is lost. A thread that waits reads the number of notifications before it releases the
/// lock. What changes under the lock after that is notified after that, too: the number is then
/// another one, and the system, which compares it once the thread is in its list, does not let the
/// thread sleep, or wakes it. Only after 2^32 notifications between the two would it be the same.
class Condition {
  public:
    Condition() noexcept = default;
    Condition(const Condition&) = delete;
    Condition& operator=(const Condition&) = delete;

    void wait(Lock& lock) { wait_for(lock, std::chrono::nanoseconds::max()); }
    template <class IsOver>
    void wait(Lock& lock, const IsOver& isOver) {
        while (!isOver()) wait(lock);
    }
    /// May return early, as wait() may.
    void wait_for(Lock& lock, std::chrono::nanoseconds span);
    template <class IsOver>
    bool wait_for(Lock& lock, std::chrono::nanoseconds span, const IsOver& isOver) {
        const auto begin = std::chrono::steady_clock::now();
        while (!isOver()) {
            const auto left = span - (std::chrono::steady_clock::now() - begin);
            if (left <= left.zero()) return false;
            wait_for(lock, left);
        }
        return true;
    }
    void notify_one() noexcept;
    void notify_all() noexcept;

  private:
    std::atomic<std::uint32_t> notifications_{0};
};

#else

using Condition = threads::condition_variable_any;

#endif

}  // namespace jtimer::detail

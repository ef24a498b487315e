// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include <atomic>
#include <cstdint>

namespace jtimer::detail {

/// A mutex of four bytes, for objects of which there are millions: boost::mutex has forty.
///
/// The word says whether it is taken. Who finds it so tries again for a moment, then waits on a
/// condition variable that it shares with some other mutexes: so it may be woken for another one,
/// which costs time only. Where nobody waits, lock and unlock are one atomic operation each.
///
/// It may be destroyed as soon as it is free, even if the thread that has released it is still
/// inside unlock().
class SmallMutex {
  public:
    SmallMutex() noexcept = default;
    SmallMutex(const SmallMutex&) = delete;
    SmallMutex& operator=(const SmallMutex&) = delete;

    void lock() {
        if (!try_lock()) lockContended();
    }
    bool try_lock() noexcept {
        std::uint32_t expected = kFree;
        return word_.compare_exchange_strong(expected, kTaken, std::memory_order_acquire,
                                             std::memory_order_relaxed);
    }
    void unlock() {
        // Afterwards the mutex may be gone: only its address is used.
        if (word_.exchange(kFree, std::memory_order_release) == kAwaited) wakeWaiters();
    }

  private:
    static constexpr std::uint32_t kFree = 0;
    static constexpr std::uint32_t kTaken = 1;
    /// Taken, and somebody may wait for it.
    static constexpr std::uint32_t kAwaited = 2;

    void lockContended();
    void wakeWaiters() const;

    std::atomic<std::uint32_t> word_{kFree};
};

}  // namespace jtimer::detail

// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "base/cache_line.hpp"

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace jtimer::detail {

/// A mutex for what is held for some ten nanoseconds, a million times a second; of one byte, as
/// there may be millions of them.
///
/// To take it is one compare-and-exchange. To release it is one plain store, and a look at whether
/// somebody waits: then it is also to wake them. Who finds it taken tries again for some time. Then
/// it says that it waits, tries once more, and waits on a condition variable which it shares with
/// the waiters for some other mutexes: so it may be woken for one of these, which costs time only.
///
/// A waiter must not miss its release. It says that it waits, and then reads the mutex; the owner
/// releases the mutex, and then reads whether somebody waits: at least one of them must see what
/// the other wrote. That takes a full barrier between the write and the read on both sides. The
/// owner's would double what a release costs, so on Linux the waiter, which is about to sleep for
/// microseconds anyway, has the kernel execute it on all processors that run the process's threads
/// (membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, as in liburcu and in Folly's asymmetric fences).
/// At that moment the owner has either not read yet, and will see the waiter; or it has, and so has
/// released before, which the waiter will see. The compiler keeps the owner's order. Where the
/// kernel has no such barrier, the release is an exchange, and the four accesses are in the single
/// order of sequential consistency. A model of both: test/base/model/mutex.pml.
///
/// It may be destroyed as soon as it is free, even if the thread that has released it is still
/// inside unlock(): who waits is not written in the mutex. A child that is forked while others wait
/// finds that nobody does.
class Mutex {
  public:
    Mutex() noexcept = default;
    Mutex(const Mutex&) = delete;
    Mutex& operator=(const Mutex&) = delete;

    void lock() {
        if (!try_lock()) lockContended();
    }
    bool try_lock() noexcept {
        bool expected = false;
        return taken_.compare_exchange_strong(expected, true, std::memory_order_acquire,
                                              std::memory_order_relaxed);
    }
    void unlock() noexcept {
        const std::size_t room = roomNumber();
        if (waitersHaveBarrier) {
            taken_.store(false, std::memory_order_release);
            std::atomic_signal_fence(std::memory_order_seq_cst);
        } else {
            taken_.exchange(false, std::memory_order_seq_cst);
        }
        // Now the mutex may be gone.
        if (waiters[room].count.load(std::memory_order_seq_cst) != 0) wakeWaiters(room);
    }

    /// From now on no forked child finds taken what those take who wait: fork() takes it for
    /// itself. Before the first wait at the latest. Who has fork() take a Mutex too must call this
    /// before, as fork() takes first what it was told last.
    static void surviveForks() noexcept;

    /// Whether the kernel executes the barrier for those who wait. Known before main(); a test may
    /// clear it while nobody uses a Mutex.
    static bool waitersHaveBarrier;

  private:
    struct Rooms;
    struct alignas(kCacheLine) Waiters {
        std::atomic<std::uint32_t> count{0};
    };
    static constexpr std::size_t kRooms = 64;

    static std::array<Waiters, kRooms> waiters;

    std::size_t roomNumber() const noexcept {
        // Objects from malloc have 16 bytes or more each.
        return reinterpret_cast<std::uintptr_t>(this) / 16 % kRooms;
    }
    void lockContended();
    bool lockSoon() noexcept;
    static void wakeWaiters(std::size_t room) noexcept;

    std::atomic<bool> taken_{false};
};

}  // namespace jtimer::detail

// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "sync/cache_line.hpp"

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace jtimer::detail {

/// A mutex for what is held for some ten nanoseconds, a million times a second; of one byte, as
/// there may be millions of them.
///
/// lock() is one compare-and-exchange. unlock() is one plain store, and one load that says whether
/// there are waiters to wake. A thread that finds the mutex taken spins briefly, registers as a
/// waiter, tries once more, and sleeps.
///
/// The waiters are registered outside of the mutex, in one of 64 rooms that its address chooses.
/// Each has a word that says what its waiters wait for: nothing, the one mutex with this address,
/// or several. So unlock() of another mutex of that room finds out by a comparison that it is not
/// meant; only where waiters for several mutexes meet in a room must it look through their list.
/// The first waiter for the mutex is woken, and no other.
///
/// A waiter must not miss its release. It registers, and then reads the mutex; the owner releases
/// the mutex, and then reads the room's word: at least one of them must see what the other wrote.
/// That takes a full barrier between the write and the read on both sides. The owner's would double
/// what a release costs, so on Linux the waiter, which is about to sleep for microseconds anyway,
/// has the kernel execute it on all processors that run the process's threads (membarrier,
/// MEMBARRIER_CMD_PRIVATE_EXPEDITED, as in liburcu and in Folly's asymmetric fences). At that
/// moment the owner has either not read yet, and will see the registration, or a later word that
/// covers it too; or it has, and so has released before, which the waiter will see. The compiler
/// keeps the owner's order. Where the kernel has no such barrier, the release is an exchange, and
/// the four accesses are in the single order of sequential consistency. A model of both:
/// test/sync/model/mutex.pml.
///
/// To wake one waiter is enough: it takes the mutex, and wakes the next when it releases it; or it
/// finds the mutex taken by a thread that has come in between, and stays registered, so that this
/// thread wakes it again.
///
/// The mutex may be destroyed as soon as it is free, even if the thread that has released it is
/// still inside unlock(). In a forked child nothing has waiters.
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
        const Address self = address();
        if (waitersHaveBarrier) {
            taken_.store(false, std::memory_order_release);
            std::atomic_signal_fence(std::memory_order_seq_cst);
        } else {
            taken_.exchange(false, std::memory_order_seq_cst);
        }
        // Now the mutex may be gone.
        if (waitedFor[roomOf(self)].word.load(std::memory_order_seq_cst) != kNothing)
            wakeWaiter(self);
    }

    /// In a forked child, while it has one thread: the waiters of the parent are not there.
    static void forgetWaiters() noexcept;

    /// Whether the kernel executes the barrier for waiters. Known before main(); a test may clear
    /// it while nobody uses a Mutex.
    static bool waitersHaveBarrier;

  private:
    using Address = std::uintptr_t;
    struct Rooms;

    /// What the waiters of a room wait for: the address of a mutex, or one of these. Written under
    /// the room's mutex.
    struct alignas(kCacheLine) WaitedFor {
        std::atomic<Address> word{kNothing};
    };
    static constexpr Address kNothing = 0;
    static constexpr Address kSeveral = 1;

    static constexpr std::size_t kRooms = 64;
    static std::array<WaitedFor, kRooms> waitedFor;

    Address address() const noexcept { return reinterpret_cast<Address>(this); }
    static std::size_t roomOf(Address mutex) noexcept {
        // Objects from malloc have 16 bytes or more each.
        return mutex / 16 % kRooms;
    }
    void lockContended();
    bool lockSoon() noexcept;
    static void wakeWaiter(Address mutex) noexcept;

    std::atomic<bool> taken_{false};
};

}  // namespace jtimer::detail

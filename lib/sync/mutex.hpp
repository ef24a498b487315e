// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "sync/cache_line.hpp"
#include "sync/thread_annotations.hpp"

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace jtimer::detail {

/// A mutex for locks that are held for some ten nanoseconds, a million times a second. It takes one
/// byte, as there may be millions of them.
///
/// lock() is one compare-and-exchange. unlock() is one plain store, and one load that says whether
/// there are waiters to wake. A thread that finds the mutex locked spins briefly, registers as a
/// waiter, tries once more, and sleeps.
///
/// Waiters are registered outside the mutex, in one of 64 parking lots, chosen by its address. Each
/// lot has a word that says what its waiters wait for: nothing, one mutex (its address), or
/// several. So when another mutex of that lot is unlocked, one comparison shows that it has no
/// waiters; only if the waiters of a lot wait for several mutexes must unlock() search their list.
/// It wakes only the first waiter for the mutex.
///
/// A waiter must not miss its release. It registers, and then reads the mutex; the owner releases
/// the mutex, and then reads the lot's word: at least one of them must see what the other wrote.
/// That takes a full barrier between the write and the read on both sides. The owner's barrier
/// would double the cost of a release. So on Linux the waiter, which is about to sleep for
/// microseconds anyway, has the kernel execute a barrier on all processors that run threads of the
/// process (membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, as in liburcu and in Folly's asymmetric
/// fences). At that moment, either the owner has not yet read the word, and will see the
/// registration or a later word that also covers it; or it has read the word, so it released the
/// mutex earlier, and the waiter will see that. The compiler keeps the owner's order. Where the
/// kernel has no such barrier, the release is an exchange, as is the waiter's attempt: if the
/// waiter's is the later one it finds the mutex free, and if the owner's is, it acquires the
/// registration. So the accesses to the word need no order of their own; theirs is stronger as this
/// is the slow path, and on x86-64 the owner's load costs the same. A model of both, for store
/// buffers: test/sync/model/mutex.pml. The code itself is searched by test/interleave/mutex_test.
///
/// Waking one waiter is enough. Either it gets the mutex, and wakes the next waiter when it
/// releases it; or another thread has locked the mutex first, and the waiter stays registered, so
/// that this thread wakes it again.
///
/// The mutex may be destroyed as soon as it is free, even if the thread that has released it is
/// still inside unlock(). In a forked child no mutex has waiters.
class JTIMER_CAPABILITY("mutex") Mutex {
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
        // From here on the mutex may no longer exist.
        if (waitedFor[lotOf(self)].word.load(std::memory_order_seq_cst) != kNothing)
            wakeWaiter(self);
    }

    /// To be called in a forked child while it has one thread: the parent's waiters do not
    /// exist in it.
    static void forgetWaiters() noexcept;

    /// Whether the kernel executes the barrier for waiters. Set before main(); a test may clear it
    /// while no Mutex is in use.
    static bool waitersHaveBarrier;

  private:
    using Address = std::uintptr_t;
    struct ParkingLots;

    /// What the waiters of a parking lot wait for: the address of a mutex, kNothing or kSeveral.
    /// Written under the lot's mutex.
    struct alignas(kCacheLine) WaitedFor {
        std::atomic<Address> word{kNothing};
    };
    static constexpr Address kNothing = 0;
    static constexpr Address kSeveral = 1;

    static constexpr std::size_t kLots = 64;
    static std::array<WaitedFor, kLots> waitedFor;

    Address address() const noexcept { return reinterpret_cast<Address>(this); }
    static std::size_t lotOf(Address mutex) noexcept {
        // Each object from malloc takes at least 16 bytes.
        return mutex / 16 % kLots;
    }
    void lockContended();
    bool lockSoon() noexcept;
    static void wakeWaiter(Address mutex) noexcept;

    std::atomic<bool> taken_{false};
};

}  // namespace jtimer::detail

// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "sync/mutex.hpp"

#include "sync/at_load.hpp"
#include "sync/pause.hpp"
#include "sync/process_barrier.hpp"
#include "sync/process_mutex.hpp"
#include "sync/threads.hpp"
#include "sync/uninterruptible.hpp"

#include <boost/intrusive/list.hpp>

#include <new>

namespace jtimer::detail {

/// The waiters. A lot's mutex guards its list and the writes to its word.
struct Mutex::ParkingLots {
    using Hook = boost::intrusive::list_base_hook<
        boost::intrusive::link_mode<boost::intrusive::auto_unlink>>;

    /// A thread inside lockContended(), on its stack.
    struct Waiter : Hook {
        explicit Waiter(Address mutex) noexcept : waitsFor(mutex) {}
        const Address waitsFor;
        threads::condition_variable released;
    };

    struct Lot {
        threads::mutex mutex;
        /// In order of arrival.
        boost::intrusive::list<Waiter, boost::intrusive::constant_time_size<false>> waiters;
    };

    std::array<Lot, kLots> lots;

    /// Never destroyed: objects with a Mutex may outlive all other static objects.
    static ParkingLots& instance() noexcept {
        alignas(ParkingLots) static unsigned char storage[sizeof(ParkingLots)];
        static ParkingLots& lots = *new (storage) ParkingLots;
        return lots;
    }

    [[JTIMER_AT_LOAD]] static void prepare() noexcept {
        instance();
        waitersHaveBarrier = prepareProcessBarrier();
    }

    /// \returns false if the kernel now refuses the barrier that it granted earlier: the process
    ///   has entered a sandbox
    static bool executeBarrier() noexcept { return !waitersHaveBarrier || executeProcessBarrier(); }

    /// The caller of these two holds the lot's mutex.
    static void enter(Lot& lot, Waiter& waiter) noexcept {
        std::atomic<Address>& word = waitedFor[lotOf(waiter.waitsFor)].word;
        lot.waiters.push_back(waiter);
        const Address before = word.load(std::memory_order_relaxed);
        const bool isShared = before != kNothing && before != waiter.waitsFor;
        word.store(isShared ? kSeveral : waiter.waitsFor, std::memory_order_seq_cst);
    }
    static void leave(Lot& lot, Waiter& waiter) noexcept {
        std::atomic<Address>& word = waitedFor[lotOf(waiter.waitsFor)].word;
        waiter.unlink();
        if (lot.waiters.empty()) {
            word.store(kNothing, std::memory_order_seq_cst);
        } else if (word.load(std::memory_order_relaxed) == kSeveral) {
            word.store(allWaitFor(lot), std::memory_order_seq_cst);
        }
    }

    static Address allWaitFor(const Lot& lot) noexcept {
        const Address first = lot.waiters.front().waitsFor;
        for (const Waiter& each : lot.waiters) {
            if (each.waitsFor != first) return kSeveral;
        }
        return first;
    }
};

std::array<Mutex::WaitedFor, Mutex::kLots> Mutex::waitedFor;
bool Mutex::waitersHaveBarrier = false;

/// Spins for about as long as a sleep and a wake-up take: 10 to 30 us with the pauses of x86
/// processors since Skylake and Zen. It tries rarely: moving the mutex to another processor takes
/// longer than most owners hold it, so all threads progress faster if one of them gets it several
/// times in a row.
bool Mutex::lockSoon() noexcept {
    constexpr int attempts = 16;
    constexpr int pauses = 48;  // 0.7 us on an EPYC, 2 us on a Xeon
    for (int attempt = 0; attempt < attempts; ++attempt) {
        for (int i = 0; i < pauses; ++i) pauseShortly();
        if (!taken_.load(std::memory_order_relaxed) && try_lock()) return true;
    }
    return false;
}

/// Holds the lot's mutex from the registration until the wait begins, so that no notification is
/// lost: a thread that has seen the registration locks the lot's mutex before it notifies.
void Mutex::lockContended() {
    ProcessMutex::endOwnFork();
    if (lockSoon()) return;
    const Uninterruptible uninterruptible;
    ParkingLots::Lot& lot = ParkingLots::instance().lots[lotOf(address())];
    ParkingLots::Waiter waiter(address());
    threads::unique_lock<threads::mutex> lock(lot.mutex);
    ParkingLots::enter(lot, waiter);
    const bool isNoticed = ParkingLots::executeBarrier();
    while (taken_.exchange(true, std::memory_order_seq_cst)) {
        if (isNoticed) {
            waiter.released.wait(lock);
        } else {
            waiter.released.wait_for(lock, threads::chrono::milliseconds(1));
        }
    }
    ParkingLots::leave(lot, waiter);
}

/// \param mutex the address of a mutex that has been released and may no longer exist
void Mutex::wakeWaiter(Address mutex) noexcept {
    const std::size_t number = lotOf(mutex);
    const Address waited = waitedFor[number].word.load(std::memory_order_relaxed);
    if (waited != mutex && waited != kSeveral) return;
    ProcessMutex::endOwnFork();
    ParkingLots::Lot& lot = ParkingLots::instance().lots[number];
    const threads::unique_lock<threads::mutex> untilTheyWait(lot.mutex);
    for (ParkingLots::Waiter& each : lot.waiters) {
        // Under the lot's mutex: the waiter needs it to leave, so it still exists.
        if (each.waitsFor == mutex) return each.released.notify_one();
    }
}

/// Does not read the old state of the parking lots: at the fork another thread may have been
/// changing it.
void Mutex::forgetWaiters() noexcept {
    new (&ParkingLots::instance()) ParkingLots;
    for (WaitedFor& each : waitedFor) each.word.store(kNothing, std::memory_order_relaxed);
}

}  // namespace jtimer::detail

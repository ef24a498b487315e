// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "base/mutex.hpp"

#include "base/pause.hpp"
#include "base/uninterruptible.hpp"

#include <boost/chrono/duration.hpp>
#include <boost/thread/condition_variable.hpp>
#include <boost/thread/lock_types.hpp>
#include <boost/thread/mutex.hpp>

#include <new>
#include <pthread.h>

#if defined(__linux__)
#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

namespace jtimer::detail {

namespace {

#if defined(__linux__)
bool callMembarrier(int command) noexcept { return syscall(SYS_membarrier, command, 0, 0) == 0; }
#endif

}  // namespace

/// What the waiters wait on.
struct Mutex::Rooms {
    struct Room {
        boost::mutex mutex;
        boost::condition_variable changed;
    };

    std::array<Room, kRooms> rooms;

    /// Never destroyed: objects with a Mutex may outlive all others.
    static Rooms& instance() noexcept {
        alignas(Rooms) static unsigned char storage[sizeof(Rooms)];
        static Rooms& rooms = *new (storage) Rooms;
        return rooms;
    }

    /// If the system has no memory for it, a forked child is as it would be without it.
    Rooms() noexcept { pthread_atfork(lockAll, unlockAll, unlockAllInChild); }

    static void lockAll() {
        for (Room& room : instance().rooms) room.mutex.lock();
    }
    static void unlockAll() {
        for (Room& room : instance().rooms) room.mutex.unlock();
    }
    /// Those who waited are not there any more.
    static void unlockAllInChild() {
        for (Room& room : instance().rooms) new (&room.changed) boost::condition_variable;
        for (Waiters& each : waiters) each.count.store(0, std::memory_order_relaxed);
        unlockAll();
    }

#if defined(__linux__)
    /// Before all other initializers, which may start threads.
    [[gnu::constructor(101)]] static void askForBarrier() noexcept {
        waitersHaveBarrier = callMembarrier(MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED);
    }
#endif

    /// \returns false if the kernel refuses now what it has granted: a sandbox has been entered
    static bool executeBarrier() noexcept {
#if defined(__linux__)
        if (waitersHaveBarrier) return callMembarrier(MEMBARRIER_CMD_PRIVATE_EXPEDITED);
#endif
        return true;
    }
};

std::array<Mutex::Waiters, Mutex::kRooms> Mutex::waiters;
bool Mutex::waitersHaveBarrier = false;

/// Tries for about as long as it takes to go to sleep and be woken, 10 to 30 us by the pauses of an
/// x86 processor since Skylake or Zen, and seldom: each time the mutex changes processors takes
/// longer than most owners hold it, so those who share it all get further if one of them has it
/// several times in a row.
bool Mutex::lockSoon() noexcept {
    constexpr int attempts = 16;
    constexpr int pauses = 48;  // 0.7 us on an EPYC, 2 us on a Xeon
    for (int attempt = 0; attempt < attempts; ++attempt) {
        for (int i = 0; i < pauses; ++i) pauseShortly();
        if (!taken_.load(std::memory_order_relaxed) && try_lock()) return true;
    }
    return false;
}

/// Holds the room's mutex from before it says that it waits until it does. Who has seen that takes
/// the room's mutex before it notifies, so it comes when the wait has begun.
void Mutex::lockContended() {
    if (lockSoon()) return;
    const Uninterruptible uninterruptible;
    const std::size_t number = roomNumber();
    Rooms::Room& room = Rooms::instance().rooms[number];
    boost::unique_lock<boost::mutex> lock(room.mutex);
    waiters[number].count.fetch_add(1, std::memory_order_seq_cst);
    const bool isNoticed = Rooms::executeBarrier();
    while (taken_.exchange(true, std::memory_order_seq_cst)) {
        if (isNoticed) {
            room.changed.wait(lock);
        } else {
            room.changed.wait_for(lock, boost::chrono::milliseconds(1));
        }
    }
    waiters[number].count.fetch_sub(1, std::memory_order_relaxed);
}

void Mutex::surviveForks() noexcept { Rooms::instance(); }

void Mutex::wakeWaiters(std::size_t number) noexcept {
    Rooms::Room& room = Rooms::instance().rooms[number];
    { const boost::unique_lock<boost::mutex> untilTheyWait(room.mutex); }
    room.changed.notify_all();
}

}  // namespace jtimer::detail

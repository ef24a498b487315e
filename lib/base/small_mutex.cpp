// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "base/small_mutex.hpp"

#include "clock/waiter.hpp"

#include <boost/thread/condition_variable.hpp>
#include <boost/thread/thread.hpp>

#include <array>
#include <cstddef>
#include <cstdint>

namespace jtimer::detail {

namespace {

struct WaitingRoom {
    Mutex mutex;
    boost::condition_variable changed;
};

/// Never destroyed: objects with a SmallMutex may outlive all others.
WaitingRoom& roomOf(const SmallMutex* mutex) {
    constexpr std::size_t count = 64;
    static auto* const rooms = new std::array<WaitingRoom, count>;
    // Objects from malloc have 16 bytes or more each.
    return (*rooms)[reinterpret_cast<std::uintptr_t>(mutex) / 16 % count];
}

}  // namespace

/// Says that it waits before it waits, with the room's mutex held. Who releases the mutex takes
/// that before it notifies: so it comes either before the exchange, which then finds the mutex
/// free, or after the wait has begun.
void SmallMutex::lockContended() {
    constexpr int attempts = 100;
    for (int i = 0; i < attempts; ++i) {
        if (word_.load(std::memory_order_relaxed) == kFree && try_lock()) return;
    }
    const boost::this_thread::disable_interruption uninterrupted;
    WaitingRoom& room = roomOf(this);
    Lock lock(room.mutex);
    while (word_.exchange(kAwaited, std::memory_order_acquire) != kFree) room.changed.wait(lock);
}

void SmallMutex::wakeWaiters() const {
    WaitingRoom& room = roomOf(this);
    const Lock lock(room.mutex);
    room.changed.notify_all();
}

}  // namespace jtimer::detail

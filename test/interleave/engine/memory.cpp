// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "interleave/engine/engine.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>

namespace explore {

namespace {

/// A store to an atomic.
struct Store {
    std::uint64_t value = 0;
    Clock sync;  ///< what a thread that acquires it has seen then
    unsigned thread = 0;
    std::uint32_t time = 0;
    /// When each thread has first read it; 0: not yet.
    std::array<std::uint32_t, kMostThreads> readAt{};
};

/// The stores to an atomic, in modification order, as far back as a load may see.
struct Location {
    unsigned size = 0;
    std::vector<Store> stores;
    std::size_t sequential = 0;  ///< loads of sequential consistency see this one or a later one
    void reset() noexcept {
        size = 0;
        stores.clear();
        sequential = 0;
    }
};
constexpr std::size_t kMostStores = 8;

/// The last accesses to eight bytes.
struct Access {
    std::uint8_t bytes;  ///< a bit for each
    bool isWrite;
    bool isAtomic;
    unsigned thread;
    std::uint32_t time;
};
struct Eight {
    std::array<Access, 12> accesses{};
    std::size_t count = 0;
    std::uint8_t freed = 0;
    bool hasAtomic = false;
    void reset() noexcept {
        count = 0;
        freed = 0;
        hasAtomic = false;
    }
};

Table<Location> locations;
Table<Eight> eights;
bool isWatching = false;

bool acquires(int order) noexcept {
    return order == __ATOMIC_ACQUIRE || order == __ATOMIC_CONSUME || order == __ATOMIC_ACQ_REL ||
           order == __ATOMIC_SEQ_CST;
}
bool releases(int order) noexcept {
    return order == __ATOMIC_RELEASE || order == __ATOMIC_ACQ_REL || order == __ATOMIC_SEQ_CST;
}

std::uint64_t memoryAt(Address address, unsigned size) noexcept {
    std::uint64_t value = 0;
    std::memcpy(&value, reinterpret_cast<const void*>(address), size);
    return value;
}

/// What is in memory is always the newest value. If it is not the newest store's, a plain store has
/// begun the atomic anew.
Location& locationOf(Address address, unsigned size) {
    Location& found = locations.at(address);
    const std::uint64_t value = memoryAt(address, size);
    if (found.size == size && !found.stores.empty() && found.stores.back().value == value)
        return found;
    found.reset();
    found.size = size;
    found.stores.push_back({});
    found.stores.back().value = value;
    return found;
}

/// The oldest store that the current thread may see: none that something which happened before has
/// seen overwritten.
std::size_t oldest(const Location& location, int order) noexcept {
    std::size_t i = location.stores.size() - 1;
    for (; i > 0; --i) {
        if (order == __ATOMIC_SEQ_CST && i <= location.sequential) break;
        const Store& store = location.stores[i];
        const Clock& seen = current->seen;
        if (seen.covers(store.thread, store.time)) break;
        bool wasRead = false;
        for (unsigned t = 0; t < kMostThreads; ++t)
            wasRead = wasRead || (store.readAt[t] != 0 && seen.covers(t, store.readAt[t]));
        if (wasRead) break;
    }
    return i;
}

void read(Store& store, int order) {
    std::uint32_t& readAt = store.readAt[current->number];
    if (readAt == 0) readAt = current->seen.at[current->number];
    (acquires(order) ? current->seen : current->toAcquire).join(store.sync);
}

void append(Location& location, Store store, bool isSequential) {
    if (location.stores.size() == kMostStores) {
        location.stores.erase(location.stores.begin());
        if (location.sequential > 0) --location.sequential;
    }
    location.stores.push_back(store);
    if (isSequential) location.sequential = location.stores.size() - 1;
}

void store(Address address, unsigned size, std::uint64_t value, const Clock& sync,
           std::uint32_t time, unsigned thread, bool isSequential) {
    Location& location = locationOf(address, size);
    Store made;
    made.value = value;
    made.sync = sync;
    made.thread = thread;
    made.time = time;
    append(location, made, isSequential);
    std::memcpy(reinterpret_cast<void*>(address), &value, size);
}

void record(Eight& eight, const Access& made) {
    const auto isCovered = [&](const Access& before) {
        if ((before.bytes & ~made.bytes) != 0) return false;
        if (made.isWrite && !made.isAtomic) return true;
        return before.thread == made.thread && before.isAtomic == made.isAtomic &&
               before.isWrite <= made.isWrite;
    };
    auto* const begin = eight.accesses.begin();
    auto* const kept = std::remove_if(begin, begin + eight.count, isCovered);
    eight.count = static_cast<std::size_t>(kept - begin);
    if (eight.count == eight.accesses.size()) {
        std::copy(begin + 1, begin + eight.count, begin);
        --eight.count;
    }
    eight.accesses[eight.count++] = made;
}

/// The part of an access that is within eight bytes.
void accessEight(Address address, std::uint8_t bytes, bool isWrite, bool isAtomic) {
    Eight& eight = eights.at(address / 8);
    if ((eight.freed & bytes) != 0) failed("use of memory that was freed");
    for (std::size_t i = 0; i < eight.count; ++i) {
        const Access& before = eight.accesses[i];
        if ((before.bytes & bytes) == 0 || !(isWrite || before.isWrite)) continue;
        if (isAtomic && before.isAtomic) continue;
        if (before.thread == current->number || current->seen.covers(before.thread, before.time))
            continue;
        note(isWrite ? "writes" : "reads", address, bytes);
        failed("data race with thread " + std::to_string(before.thread));
    }
    record(eight, {bytes, isWrite, isAtomic, current->number, current->seen.at[current->number]});
    if (isAtomic) {
        eight.hasAtomic = true;
    } else if (isWrite && eight.hasAtomic) {
        const Address begin = address / 8 * 8;
        for (unsigned i = 0; i < 8; ++i) {
            if ((bytes & (1U << i)) == 0) continue;
            if (Location* const atomic = locations.find(begin + i)) atomic->reset();
        }
    }
}

}  // namespace

void beginMemory(bool looksForRaces) {
    isWatching = looksForRaces;
    locations.clear();
    eights.clear();
}

void access(Address address, std::size_t size, bool isWrite, bool isAtomic) {
    if (!isWatching || isThreadLocal(address)) return;
    while (size != 0) {
        const std::size_t offset = address % 8;
        const std::size_t part = std::min(size, 8 - offset);
        accessEight(address, static_cast<std::uint8_t>(((1U << part) - 1) << offset), isWrite,
                    isAtomic);
        address += part;
        size -= part;
    }
}

void freed(Address address, std::size_t size, bool isChecked) {
    if (isChecked) access(address, size, true, false);
    for (Address i = address; i < address + size; i += 8) eights.at(i / 8).freed = 0xff;
}

void allocatedOutside(Address address, std::size_t size) {
    for (Address i = address / 8; i <= (address + size) / 8; ++i)
        if (Eight* const eight = eights.find(i)) eight->reset();
}

void commitDelayed(Thread& thread) {
    if (!std::exchange(thread.delayed.present, false)) return;
    const Delayed& late = thread.delayed;
    note("is seen to store", late.address, late.value);
    store(late.address, late.size, late.value, late.sync, late.time, thread.number, false);
}

std::uint64_t atomicLoad(Address address, unsigned size, int order) {
    point();
    Delayed& late = current->delayed;
    if (late.present && late.address == address) return late.value;
    if (late.present && ++late.loads > 3) commitDelayed(*current);
    access(address, size, false, true);
    Location& location = locationOf(address, size);
    const std::size_t newest = location.stores.size() - 1;
    const std::size_t first = oldest(location, order);
    std::size_t seen = newest;
    if (first < newest && budget.staleReads != 0) {
        seen -= decide(static_cast<unsigned>(newest - first + 1), currentPace.staleRead);
        if (seen != newest) --budget.staleReads;
    }
    read(location.stores[seen], order);
    note(seen == newest ? "loads" : "loads an older value of", address,
         location.stores[seen].value);
    return location.stores[seen].value;
}

void atomicStore(Address address, unsigned size, std::uint64_t value, int order) {
    point();
    commitDelayed(*current);
    access(address, size, true, true);
    const std::uint32_t now = current->seen.at[current->number];
    const Clock sync = releases(order) ? current->seen : current->released;
    if (releases(order)) tick();
    const bool isSequential = order == __ATOMIC_SEQ_CST;
    if (!isSequential && budget.delayedStores != 0 && decide(2, 3) != 0) {
        --budget.delayedStores;
        current->delayed = {true, 0, address, size, value, sync, now};
        note("stores, unseen,", address, value);
        return;
    }
    note("stores", address, value);
    store(address, size, value, sync, now, current->number, isSequential);
}

namespace {

/// A store that replaces the newest one, and carries on what that has released.
void change(Location& location, Address address, unsigned size, std::uint64_t value, int order) {
    read(location.stores.back(), order);
    Clock sync = location.stores.back().sync;
    sync.join(releases(order) ? current->seen : current->released);
    const std::uint32_t now = current->seen.at[current->number];
    if (releases(order)) tick();
    note("changes", address, value);
    store(address, size, value, sync, now, current->number, order == __ATOMIC_SEQ_CST);
}

}  // namespace

std::uint64_t atomicChange(Address address, unsigned size, int order,
                           std::uint64_t (*changed)(std::uint64_t, std::uint64_t),
                           std::uint64_t argument) {
    point();
    commitDelayed(*current);
    access(address, size, true, true);
    Location& location = locationOf(address, size);
    const std::uint64_t before = location.stores.back().value;
    std::uint64_t after = changed(before, argument);
    if (size < 8) after &= (std::uint64_t{1} << (size * 8)) - 1;
    change(location, address, size, after, order);
    return before;
}

bool atomicReplace(Address address, unsigned size, std::uint64_t& expected, std::uint64_t value,
                   int order, int orderOfFailure) {
    point();
    commitDelayed(*current);
    access(address, size, false, true);
    Location& location = locationOf(address, size);
    // It fails with any other value that a load could see.
    std::size_t seen = location.stores.size() - 1;
    const std::size_t newest = seen;
    const std::size_t first = oldest(location, orderOfFailure);
    if (first < newest && budget.staleReads != 0)
        seen -= decide(static_cast<unsigned>(newest - first + 1), 2 * currentPace.staleRead);
    if (seen != newest && location.stores[seen].value != expected) --budget.staleReads;
    if (location.stores[seen].value == expected) seen = newest;
    Store& found = location.stores[seen];
    if (found.value == expected) {
        access(address, size, true, true);
        change(location, address, size, value, order);
        return true;
    }
    read(found, orderOfFailure);
    note("does not change", address, found.value);
    expected = found.value;
    return false;
}

void atomicFence(int order) {
    point();
    commitDelayed(*current);
    if (acquires(order)) current->seen.join(current->toAcquire);
    if (releases(order)) {
        current->released = current->seen;
        tick();
    }
    // Stronger than C++: as if each were the barrier below.
    if (order == __ATOMIC_SEQ_CST) barrierEverywhere();
}

void barrierEverywhere() {
    for (Thread* each : threads()) commitDelayed(*each);
    note("executes a barrier", 0, 0);
    locations.forEach([](Location& location) {
        if (location.stores.size() > 1)
            location.stores.erase(location.stores.begin(), location.stores.end() - 1);
        location.sequential = 0;
    });
}

}  // namespace explore

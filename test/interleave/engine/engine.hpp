// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "interleave/engine/explore.hpp"

#include <array>
#include <csetjmp>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <ucontext.h>
#include <utility>
#include <vector>

/// What the parts of the engine know of each other. All of it runs on one system thread.
namespace explore {

using Address = std::uintptr_t;

constexpr unsigned kMostThreads = 16;

/// How far a thread has seen the others: a vector clock.
struct Clock {
    std::array<std::uint32_t, kMostThreads> at{};

    void join(const Clock& other) noexcept {
        for (unsigned i = 0; i < kMostThreads; ++i)
            if (at[i] < other.at[i]) at[i] = other.at[i];
    }
    bool covers(unsigned thread, std::uint32_t time) const noexcept { return at[thread] >= time; }
};

/// A map from addresses that is emptied in no time. References into it stay valid until then.
template <class T>
class Table {
  public:
    void clear() noexcept {
        ++generation_;
        used_ = 0;
    }
    T* find(Address key) noexcept {
        const Slot& slot = slots_[place(key)];
        return slot.generation == generation_ ? &pool_[slot.index] : nullptr;
    }
    T& at(Address key) {
        Slot* slot = &slots_[place(key)];
        if (slot->generation == generation_) return pool_[slot->index];
        if (used_ * 2 >= slots_.size()) {
            grow();
            slot = &slots_[place(key)];
        }
        if (used_ == pool_.size()) pool_.emplace_back();
        *slot = {key, generation_, used_};
        pool_[used_].reset();
        return pool_[used_++];
    }
    template <class Visit>
    void forEach(const Visit& visit) {
        for (std::size_t i = 0; i < used_; ++i) visit(pool_[i]);
    }

  private:
    struct Slot {
        Address key = 0;
        std::uint64_t generation = 0;
        std::size_t index = 0;
    };
    std::size_t place(Address key) const noexcept {
        std::size_t i = (key * 0x9E3779B97F4A7C15U) >> 20;
        for (;; ++i) {
            const Slot& slot = slots_[i & (slots_.size() - 1)];
            if (slot.generation != generation_ || slot.key == key) return i & (slots_.size() - 1);
        }
    }
    void grow() {
        std::vector<Slot> before(slots_.size() * 2);
        before.swap(slots_);
        for (const Slot& slot : before)
            if (slot.generation == generation_) slots_[place(slot.key)] = slot;
    }

    std::vector<Slot> slots_{std::size_t{1} << 12};
    std::deque<T> pool_;
    std::size_t used_ = 0;
    std::uint64_t generation_ = 1;
};

/// A store that its thread has done and no other thread sees yet.
struct Delayed {
    bool present = false;
    unsigned loads = 0;  ///< that the thread has done since
    Address address = 0;
    unsigned size = 0;
    std::uint64_t value = 0;
    Clock sync;
    std::uint32_t time = 0;
};

constexpr unsigned kKeys = 16;

/// A coroutine that plays a thread.
struct Thread {
    unsigned number = 0;
    bool isStarted = false;
    bool isFinished = false;
    bool isDetached = false;
    unsigned locksHeld = 0;
    /// Not null: blocked, on this. A timed wait may end by itself.
    const void* waitsFor = nullptr;
    bool isTimed = false;
    bool hasTimedOut = false;
    std::uint64_t since = 0;  ///< waits are woken in their order

    Clock seen;       ///< what happened before its next operation
    Clock released;   ///< ... before its last release fence
    Clock toAcquire;  ///< ... and what an acquire fence will add
    Delayed delayed;

    void* (*body)(void*) = nullptr;
    void* argument = nullptr;
    void* result = nullptr;
    ucontext_t start{};
    std::jmp_buf context{};

    // Swapped when the coroutines are: what each system thread has of its own.
    std::vector<unsigned char> threadLocals;
    std::array<unsigned char, 16> exceptions{};
    std::array<void*, kKeys> specific{};
    std::vector<std::pair<void (*)(void*), void*>> atEnd;
};

/// While one exists, the hooks do what they are named after, and nothing is explored: the engine
/// itself runs.
class Inside {
  public:
    Inside() noexcept : before_(std::exchange(isInside, true)) {}
    Inside(const Inside&) = delete;
    Inside& operator=(const Inside&) = delete;
    ~Inside() { isInside = before_; }
    static bool isInside;

  private:
    const bool before_;
};

extern bool isPlaying;
/// Whether the calling code is explored.
inline bool isExplored() noexcept { return isPlaying && !Inside::isInside; }

// explore.cpp: decisions.

/// \param rate of a random execution: one of so many takes another option than 0
unsigned decide(unsigned options, unsigned rate);
bool isRandom() noexcept;
struct Budget {
    unsigned preemptions, staleReads, delayedStores;
};
extern Budget budget;
/// One of so many steps, and of so many loads, of a random execution.
struct Pace {
    unsigned preemption = 10, staleRead = 3;
};
extern Pace currentPace;
void note(const char* what, Address address, std::uint64_t value);
[[noreturn]] void failed(const std::string& what);

// threads.cpp: coroutines, and what they wait for.

extern Thread* current;
std::vector<Thread*>& threads() noexcept;
void beginThreads();
/// Runs the first thread until all have ended. \returns false if failed() was called
bool runThreads(void* (*body)(void*), void* argument);
[[noreturn]] void leaveThreads();
Thread& startThread(void* (*body)(void*), void* argument);
void joinThread(Thread& thread);
/// None of them continues from now on.
void forgetOtherThreads() noexcept;
void point();
void block(const void* on, bool isTimed);
void wakeAll(const void* on);
void tick() noexcept;
void lock(Address mutex);
bool tryLock(Address mutex);
void unlock(Address mutex);
/// \returns whether the time ran out
bool wait(Address condition, Address mutex, bool isTimed);
void notify(Address condition, bool all);
bool isThreadLocal(Address address) noexcept;

// fork.cpp

extern bool isForkedChild;

// memory.cpp: what loads see, and races.

/// \param looksForRaces false: memory of the first, discarded execution is used again
void beginMemory(bool looksForRaces);
void access(Address address, std::size_t size, bool isWrite, bool isAtomic);
void freed(Address address, std::size_t size, bool isChecked);
/// Memory of the system's malloc, which gives it out again.
void allocatedOutside(Address address, std::size_t size);
std::uint64_t atomicLoad(Address address, unsigned size, int order);
void atomicStore(Address address, unsigned size, std::uint64_t value, int order);
/// Replaces the newest value by `change(value, argument)`. \returns the one before
std::uint64_t atomicChange(Address address, unsigned size, int order,
                           std::uint64_t (*change)(std::uint64_t, std::uint64_t),
                           std::uint64_t argument);
bool atomicReplace(Address address, unsigned size, std::uint64_t& expected, std::uint64_t value,
                   int order, int orderOfFailure);
void atomicFence(int order);
/// The system call membarrier: a full fence in each thread.
void barrierEverywhere();
void commitDelayed(Thread& thread);

// allocate.cpp

enum class Allocations { Outside, Kept, OfExecution };
void beginAllocations(Allocations allocations);
/// What was not freed; empty: nothing.
std::string leaks();
extern unsigned allocationsFailOneIn;
extern unsigned threadStartsFailOneIn;

}  // namespace explore

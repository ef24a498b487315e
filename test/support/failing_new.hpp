// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <iostream>
#include <new>
#include <streambuf>
#include <string_view>
#if defined(_WIN32)
#include <malloc.h>
#endif

// Running out of memory: this replaces the program's operator new by one that fails when a case
// says so. For one source of a program. Not malloc's: Boost.Test uses that much less.

namespace test {

namespace detail {

/// How many more allocations of the calling thread succeed; negative: all.
inline thread_local long allocationsLeft = -1;
/// Whether the allocations after the one that fails succeed again.
inline thread_local bool failsOnce = false;
inline std::atomic<long> allocationsFailed{0};
/// How many allocations there have been, on all threads, and how many have not been freed.
inline std::atomic<long> made{0}, living{0};
/// All allocations of the threads that are not spared fail.
inline std::atomic<bool> isMemoryShort{false};
inline thread_local bool isSpared = false;

inline void* allocate(std::size_t size, std::size_t alignment) noexcept {
    if (allocationsLeft == 0 || (isMemoryShort && !isSpared)) {
        ++allocationsFailed;
        if (failsOnce) allocationsLeft = -1;
        return nullptr;
    }
    if (allocationsLeft > 0) --allocationsLeft;
#if defined(_WIN32)
    void* const memory = _aligned_malloc(size == 0 ? 1 : size, alignment);
    if (memory == nullptr) return nullptr;
#else
    void* memory = nullptr;
    if (posix_memalign(&memory, alignment, size == 0 ? 1 : size) != 0) return nullptr;
#endif
    made.fetch_add(1, std::memory_order_relaxed);
    living.fetch_add(1, std::memory_order_relaxed);
    return memory;
}

inline void free(void* memory) noexcept {
    if (memory == nullptr) return;
    living.fetch_sub(1, std::memory_order_relaxed);
#if defined(_WIN32)
    _aligned_free(memory);
#else
    std::free(memory);
#endif
}

inline void* orThrow(void* memory) {
    if (memory == nullptr) throw std::bad_alloc();
    return memory;
}

}  // namespace detail

/// From now on the calling thread has no memory.
inline void beWithoutMemory() { detail::allocationsLeft = 0; }

/// How often an allocation has failed so far, on any thread.
inline long allocationsFailed() { return detail::allocationsFailed; }

/// While this is set, a heap cannot grow, on any thread: its array has an alignment of its own.
inline std::atomic<bool> heapIsFull{false};

/// How many allocations there have been, on all threads.
inline long allocations() { return detail::made; }

/// How many allocations have not been freed, on all threads.
inline long livingAllocations() { return detail::living; }

/// While this lives, the calling thread can allocate `count` times. The next time fails, and then
/// each one does, or with `once` no other.
class AllocationsLeft {
  public:
    explicit AllocationsLeft(long count, bool once = false) {
        detail::failsOnce = once;
        detail::allocationsLeft = count;
    }
    AllocationsLeft(const AllocationsLeft&) = delete;
    AllocationsLeft& operator=(const AllocationsLeft&) = delete;
    ~AllocationsLeft() {
        detail::allocationsLeft = -1;
        detail::failsOnce = false;
    }
};

/// While this lives, only the calling thread can allocate.
class NoMemoryElsewhere {
  public:
    NoMemoryElsewhere() {
        detail::isSpared = true;
        detail::isMemoryShort = true;
    }
    NoMemoryElsewhere(const NoMemoryElsewhere&) = delete;
    NoMemoryElsewhere& operator=(const NoMemoryElsewhere&) = delete;
    ~NoMemoryElsewhere() {
        detail::isMemoryShort = false;
        detail::isSpared = false;
    }
};

/// Calls `function` with no memory left; then with memory for one allocation, for two and so on,
/// until it succeeds; each time after `before`.
/// \returns how often it has thrown std::bad_alloc, which is all that it may throw
template <class Before, class Function>
long countBadAllocs(const Before& before, const Function& function) {
    for (long count = 0;; ++count) {
        before();
        const AllocationsLeft left(count);
        try {
            function();
            return count;
        } catch (const std::bad_alloc&) {
        }
    }
}

/// What is written to std::cerr while this lives, without an allocation; read when nobody writes.
class CerrInFixedMemory : std::streambuf {
  public:
    CerrInFixedMemory() : original_(std::cerr.rdbuf(this)) {
        setp(memory_, memory_ + sizeof(memory_));
    }
    CerrInFixedMemory(const CerrInFixedMemory&) = delete;
    CerrInFixedMemory& operator=(const CerrInFixedMemory&) = delete;
    ~CerrInFixedMemory() override { std::cerr.rdbuf(original_); }

    std::string_view text() const { return {pbase(), static_cast<std::size_t>(pptr() - pbase())}; }
    /// How many pieces it came in.
    int pieces() const { return pieces_; }

  private:
    std::streamsize xsputn(const char* text, std::streamsize size) override {
        ++pieces_;
        return std::streambuf::xsputn(text, size);
    }

    std::streambuf* const original_;
    int pieces_ = 0;
    char memory_[8192];
};

}  // namespace test

void* operator new(std::size_t size) {
    return test::detail::orThrow(test::detail::allocate(size, alignof(std::max_align_t)));
}
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
    return test::detail::allocate(size, alignof(std::max_align_t));
}
// These call those above, but a sanitizer's would not.
void* operator new[](std::size_t size) { return operator new(size); }
void* operator new[](std::size_t size, const std::nothrow_t& none) noexcept {
    return operator new(size, none);
}
void* operator new(std::size_t size, std::align_val_t alignment) {
    if (test::heapIsFull) throw std::bad_alloc();
    return test::detail::orThrow(test::detail::allocate(size, static_cast<std::size_t>(alignment)));
}
void* operator new(std::size_t size, std::align_val_t alignment, const std::nothrow_t&) noexcept {
    return test::detail::allocate(size, static_cast<std::size_t>(alignment));
}
void operator delete(void* memory) noexcept { test::detail::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { test::detail::free(memory); }
void operator delete(void* memory, const std::nothrow_t&) noexcept { test::detail::free(memory); }
void operator delete[](void* memory) noexcept { test::detail::free(memory); }
void operator delete[](void* memory, std::size_t) noexcept { test::detail::free(memory); }
void operator delete[](void* memory, const std::nothrow_t&) noexcept { test::detail::free(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { test::detail::free(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept {
    test::detail::free(memory);
}
void operator delete(void* memory, std::align_val_t, const std::nothrow_t&) noexcept {
    test::detail::free(memory);
}

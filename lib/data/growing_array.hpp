// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "sync/assert.hpp"
#include "sync/cache_line.hpp"

#include <jtimer/detail/sanitizers.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>
#include <type_traits>
#include <utility>
#if defined(__linux__)
#include <sys/mman.h>
#endif

// With sanitizers, arrays come from operator new: ThreadSanitizer does not intercept mremap, and
// LeakSanitizer, which is part of AddressSanitizer, does not search such pages for pointers.
#if defined(__linux__) && !defined(JTIMER_MEMORY_IS_FOLLOWED)
#define JTIMER_MOVES_PAGES 1
#endif

namespace jtimer::detail {

/// An array that only grows, of trivially copyable elements, aligned to a cache line.
///
/// It differs from a std::vector in how it grows, because new pages are expensive. A small array
/// gets its memory from malloc, which may reuse memory; it grows fourfold, and so leaves little
/// unused memory behind. On Linux, a large array has its own pages, which the kernel remaps where a
/// vector would copy its elements to new ones. These are huge pages if the system grants them on
/// request (transparent_hugepage is "madvise" or "always"), because each level of a sift in a large
/// heap is on another page. Room that has not been written to takes no memory, except the rest of a
/// page.
template <class T>
class GrowingArray {
    static_assert(std::is_trivially_copyable_v<T>);

  public:
    GrowingArray() = default;
    GrowingArray(GrowingArray&& other) noexcept
        : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}
    GrowingArray(const GrowingArray&) = delete;
    GrowingArray& operator=(const GrowingArray&) = delete;
    ~GrowingArray() { release(data_, size_); }

    T* data() const noexcept { return data_; }
    T& operator[](std::size_t i) const noexcept { return data_[i]; }
    std::size_t size() const noexcept { return size_; }

    /// The size to grow to when it is full; useless while it is empty.
    std::size_t nextSize() const noexcept {
        return size_ * sizeof(T) < kLeastPages ? 4 * size_ : 2 * size_;
    }

    /// Makes room for `size` elements, more than now. The new elements are uninitialised.
    /// \throws std::bad_alloc, with nothing changed
    void grow(std::size_t size) {
        JTIMER_ASSERT(size > size_);
        if (size > PTRDIFF_MAX / sizeof(T)) throw std::bad_alloc();
        if (hasPages(size_)) {
            data_ = movePages(size);
        } else {
            T* const grown = hasPages(size) ? newPages(size) : newBlock(size);
            if (size_ != 0) std::memcpy(grown, data_, size_ * sizeof(T));
            release(data_, size_);
            data_ = grown;
        }
        size_ = size;
    }

  private:
    static constexpr std::align_val_t kAlignment{kCacheLine};
    /// The least size in bytes of a large array. For less, malloc is cheaper in a process that has
    /// used that memory before, and costs about the same in a new process.
    static constexpr std::size_t kLeastPages = std::size_t{4} * 1024 * 1024;

    static T* newBlock(std::size_t size) {
        return static_cast<T*>(::operator new(size * sizeof(T), kAlignment));
    }

#if defined(JTIMER_MOVES_PAGES)
    static bool hasPages(std::size_t size) noexcept { return size * sizeof(T) >= kLeastPages; }

    static T* checked(void* pages) {
        if (pages == MAP_FAILED) throw std::bad_alloc();
        return static_cast<T*>(pages);
    }
    static T* newPages(std::size_t size) {
        T* const pages = checked(mmap(nullptr, size * sizeof(T), PROT_READ | PROT_WRITE,
                                      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
        madvise(pages, size * sizeof(T), MADV_HUGEPAGE);  // may fail: then the pages are small
        return pages;
    }
    T* movePages(std::size_t size) const {
        return checked(mremap(data_, size_ * sizeof(T), size * sizeof(T), MREMAP_MAYMOVE));
    }
    static void release(T* data, std::size_t size) noexcept {
        if (hasPages(size)) {
            munmap(data, size * sizeof(T));
        } else {
            ::operator delete(data, kAlignment);
        }
    }
#else
    static constexpr bool hasPages(std::size_t) noexcept { return false; }
    static T* newPages(std::size_t size) { return newBlock(size); }
    T* movePages(std::size_t) const noexcept { return data_; }
    static void release(T* data, std::size_t) noexcept { ::operator delete(data, kAlignment); }
#endif

    T* data_ = nullptr;
    std::size_t size_ = 0;
};

}  // namespace jtimer::detail

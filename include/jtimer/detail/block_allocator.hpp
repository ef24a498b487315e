// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include <jtimer/detail/export.hpp>

#include <cstddef>
#include <memory>

namespace jtimer::detail {

/// The largest object that is allocated in a block, and the alignment of the objects there.
inline constexpr std::size_t kMostBytesInBlock = 256;
inline constexpr std::size_t kAlignmentInBlock = 8;

/// Memory for one object of `size` bytes, from 1 to kMostBytesInBlock. Any thread.
///
/// Two objects of the same size that a thread takes one after another share a block from operator
/// new, which halves the calls of malloc in a burst. The block is freed when both are given back.
/// So an object holds at most twice the memory that it needs: the other half of its block may have
/// been given back already, or not taken yet. A change of size leaves the second half of a block
/// unused. Each thread reserves at most one second half, and gives it back when it ends.
/// \throws std::bad_alloc
JTIMER_API void* takeFromBlock(std::size_t size);

/// Gives back memory from takeFromBlock(). Any thread.
JTIMER_API void giveToBlock(void* memory) noexcept;

/// For std::allocate_shared, which asks for one object at a time.
template <class T>
class BlockAllocator {
  public:
    using value_type = T;

    BlockAllocator() = default;
    template <class U>  // NOLINTNEXTLINE(google-explicit-constructor): as allocators must
    BlockAllocator(const BlockAllocator<U>&) noexcept {}

    T* allocate(std::size_t count) {
        if constexpr (kIsSmall) {
            return static_cast<T*>(takeFromBlock(sizeof(T)));
        } else {
            return std::allocator<T>().allocate(count);
        }
    }
    void deallocate(T* memory, std::size_t count) noexcept {
        if constexpr (kIsSmall) {
            giveToBlock(memory);
        } else {
            std::allocator<T>().deallocate(memory, count);
        }
    }

  private:
    static constexpr bool kIsSmall =
        sizeof(T) <= kMostBytesInBlock && alignof(T) <= kAlignmentInBlock;
};

template <class T, class U>
bool operator==(const BlockAllocator<T>&, const BlockAllocator<U>&) noexcept {
    return true;
}
template <class T, class U>
bool operator!=(const BlockAllocator<T>&, const BlockAllocator<U>&) noexcept {
    return false;
}

}  // namespace jtimer::detail

// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include <jtimer/detail/export.hpp>

#include <cstddef>
#include <memory>

namespace jtimer::detail {

/// The largest object for which a block is of use, and the alignment of all in it.
inline constexpr std::size_t kMostBytesInBlock = 256;
inline constexpr std::size_t kAlignmentInBlock = 8;

/// Memory for one object of `size` bytes, from 1 to kMostBytesInBlock. Any thread.
///
/// Four objects that a thread takes one after another lie in one block from operator new: so a
/// burst calls malloc a quarter as often. Only four, since one object that lives long keeps the
/// memory of the others. And what a thread gives back it takes again first, the last 16 objects of
/// one size, so where objects come and go no holes are left.
///
/// A block is freed when all four are given back, and their thread takes from another block or has
/// ended. So a thread keeps its last block until it ends, and those of the 16 objects.
/// \throws std::bad_alloc
JTIMER_API void* takeFromBlock(std::size_t size);

/// Gives back what takeFromBlock(size) has returned. Any thread.
JTIMER_API void giveToBlock(void* memory, std::size_t size) noexcept;

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
            giveToBlock(memory, sizeof(T));
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

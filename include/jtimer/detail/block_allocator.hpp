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
/// Two objects of the same size that a thread takes one after another share a block from operator
/// new: so a burst of them calls malloc half as often. The block is freed when both are given back.
/// So an object keeps at most as much memory again as it needs: that of the other one, which is
/// given back already, or which the thread has not taken yet. An object of another size than the
/// last one has a block for itself. A thread has at most one second object to take, which it gives
/// back when it ends.
/// \throws std::bad_alloc
JTIMER_API void* takeFromBlock(std::size_t size);

/// Gives back what takeFromBlock() has returned. Any thread.
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

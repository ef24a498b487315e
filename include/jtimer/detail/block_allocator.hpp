// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include <jtimer/detail/export.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>

namespace jtimer::detail {

/// Memory for one object of `size` bytes, aligned to 8. Any thread.
///
/// Four objects that a thread takes one after another lie in one block from operator new, which is
/// freed with the last of them: so a burst calls malloc a quarter as often. Only four, since one
/// object that lives long keeps the memory of the others. And what a thread gives back it takes
/// again first, the last 16 objects of one size, so where objects come and go no holes are left.
/// These 16, and the rest of its last block, a thread gives up when it ends.
/// \throws std::bad_alloc
JTIMER_API void* takeFromBlock(std::size_t size);

/// Gives back what takeFromBlock(size) has returned. Any thread.
JTIMER_API void giveToBlock(void* memory, std::size_t size) noexcept;

/// For std::allocate_shared of small objects that come in bursts.
template <class T>
class BlockAllocator {
  public:
    using value_type = T;

    BlockAllocator() = default;
    template <class U>  // NOLINTNEXTLINE(google-explicit-constructor): as allocators must
    BlockAllocator(const BlockAllocator<U>&) noexcept {}

    T* allocate(std::size_t count) {
        if constexpr (kIsSmall) {
            return static_cast<T*>(takeFromBlock(count * sizeof(T)));
        } else {
            return std::allocator<T>().allocate(count);
        }
    }
    void deallocate(T* memory, std::size_t count) noexcept {
        if constexpr (kIsSmall) {
            giveToBlock(memory, count * sizeof(T));
        } else {
            std::allocator<T>().deallocate(memory, count);
        }
    }

    friend bool operator==(const BlockAllocator&, const BlockAllocator&) noexcept { return true; }
    friend bool operator!=(const BlockAllocator&, const BlockAllocator&) noexcept { return false; }

  private:
    static constexpr bool kIsSmall = sizeof(T) <= 256 && alignof(T) <= alignof(std::uint64_t);
};

}  // namespace jtimer::detail

// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include <jtimer/detail/compiler.hpp>

#include <cstddef>
#include <memory>

namespace jtimer::netty::detail {

/// A node is memory for one timeout with its reference counts, of this size and alignment: enough
/// for a callable of two words. With an eighth of its block's overhead it takes 98 bytes.
inline constexpr std::size_t kNodeSize = 11 * sizeof(void*);
inline constexpr std::size_t kNodeAlign = 8;

/// Returns a node that the calling thread has kept, or else a new one.
/// \throws std::bad_alloc
JTIMER_API void* takeNode();

/// Gives back a node from takeNode(). Any thread.
JTIMER_API void giveNode(void* node) noexcept;

/// For std::allocate_shared, which asks for one object at a time. What fits into no node comes from
/// operator new.
template <class T>
class NodeAllocator {
  public:
    using value_type = T;

    NodeAllocator() = default;
    template <class U>  // NOLINTNEXTLINE(google-explicit-constructor): as allocators must
    NodeAllocator(const NodeAllocator<U>&) noexcept {}

    T* allocate(std::size_t count) {
        if constexpr (kFits) {
            return static_cast<T*>(takeNode());
        } else {
            return std::allocator<T>().allocate(count);
        }
    }
    void deallocate(T* memory, std::size_t count) noexcept {
        if constexpr (kFits) {
            giveNode(memory);
        } else {
            std::allocator<T>().deallocate(memory, count);
        }
    }

  private:
    static constexpr bool kFits = sizeof(T) <= kNodeSize && alignof(T) <= kNodeAlign;
};

template <class T, class U>
bool operator==(const NodeAllocator<T>&, const NodeAllocator<U>&) noexcept {
    return true;
}
template <class T, class U>
bool operator!=(const NodeAllocator<T>&, const NodeAllocator<U>&) noexcept {
    return false;
}

}  // namespace jtimer::netty::detail

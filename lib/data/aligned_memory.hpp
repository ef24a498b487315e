// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include <cstddef>
#include <new>

namespace jtimer::detail {

/// Memory for an object of any alignment. \throws std::bad_alloc
inline void* allocateAligned(std::size_t size, std::size_t alignment) {
    return alignment > __STDCPP_DEFAULT_NEW_ALIGNMENT__
               ? ::operator new (size, std::align_val_t{alignment})
               : ::operator new(size);
}

/// \param alignment what allocateAligned() was given
inline void deallocateAligned(void* memory, std::size_t alignment) noexcept {
    if (alignment > __STDCPP_DEFAULT_NEW_ALIGNMENT__) {
        ::operator delete (memory, std::align_val_t{alignment});
    } else {
        ::operator delete(memory);
    }
}

}  // namespace jtimer::detail

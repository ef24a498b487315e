// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "brpc/slot.hpp"

#include <new>

namespace jtimer::brpc::detail {

bool Slot::fillLarge(const FunctionMaker& maker) {
    const FunctionType& type = maker.type();
    void* memory = nullptr;
    try {
        memory = jtimer::detail::allocateAligned(type.size, type.alignment);
    } catch (const std::bad_alloc&) {
        return false;
    }
    try {
        maker(memory);
    } catch (...) {
        jtimer::detail::deallocateAligned(memory, type.alignment);
        throw;
    }
    large_ = memory;
    return true;
}

}  // namespace jtimer::brpc::detail

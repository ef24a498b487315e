// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "sync/thread_end.hpp"

#include <jtimer/detail/block_allocator.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <new>
#include <utility>

namespace jtimer::detail {

namespace {

/// Precedes each object.
struct alignas(kAlignmentInBlock) Header {
    /// Only in a block's first header: how many of its objects have not been given back. The second
    /// object counts from the beginning, while the thread still keeps it.
    std::atomic<std::uint32_t> references;

    /// The distance of this header from the beginning of the block.
    std::uint32_t offset;
};

constexpr std::size_t sizeWithHeader(std::size_t size) noexcept {
    return sizeof(Header) + (size + kAlignmentInBlock - 1) / kAlignmentInBlock * kAlignmentInBlock;
}

/// A thread's record of the objects that it has taken.
struct ThreadMemory {
    /// The second object of a block, which is taken next for its size; null: none.
    void* second;
    std::size_t sizeOfSecond;
    /// The size of the object taken last.
    std::size_t lastSize;

    void giveBackSecond() noexcept {
        if (second != nullptr) giveToBlock(std::exchange(second, nullptr));
    }
};
thread_local ThreadMemory threadMemory{};

void giveBackSecondOfThread() noexcept { threadMemory.giveBackSecond(); }
thread_local ThreadEnd::Call atEnd{giveBackSecondOfThread};

[[gnu::noinline]] void* takeFromNewBlock(std::size_t size) {
    // After ThreadEnd, destructors of thread_local variables may still make objects; a second
    // object would then never be given back. It is also not given back if the thread makes its
    // first two objects in the destructor of a pthread key, which runs even later: then it leaks.
    const bool isForTwo = threadMemory.lastSize == size && !ThreadEnd::hasCome();
    const std::size_t one = sizeWithHeader(size);
    auto* const block = static_cast<unsigned char*>(::operator new(isForTwo ? 2 * one : one));
    new (block) Header{{isForTwo ? 2U : 1U}, 0};
    if (isForTwo) {
        threadMemory.giveBackSecond();
        new (block + one) Header{{0}, static_cast<std::uint32_t>(one)};
        threadMemory.second = block + one + sizeof(Header);
        threadMemory.sizeOfSecond = size;
        ThreadEnd::await(atEnd);
    }
    threadMemory.lastSize = size;
    return block + sizeof(Header);
}

}  // namespace

void* takeFromBlock(std::size_t size) {
    if (threadMemory.second == nullptr || threadMemory.sizeOfSecond != size)
        return takeFromNewBlock(size);
    threadMemory.lastSize = size;
    return std::exchange(threadMemory.second, nullptr);
}

void giveToBlock(void* memory) noexcept {
    auto* const header = static_cast<unsigned char*>(memory) - sizeof(Header);
    unsigned char* const block = header - reinterpret_cast<Header*>(header)->offset;
    // Release and acquire: all use of the objects happens before their memory is freed.
    if (reinterpret_cast<Header*>(block)->references.fetch_sub(1, std::memory_order_acq_rel) == 1)
        ::operator delete(block);
}

}  // namespace jtimer::detail

// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include <jtimer/detail/block_allocator.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <new>
#include <utility>

namespace jtimer::detail {

namespace {

/// Lies before each object.
struct alignas(kAlignmentInBlock) Header {
    /// Of a block's first header only: how many of its objects have not been given back. The second
    /// one counts from the beginning, when it is the thread's.
    std::atomic<std::uint32_t> references;

    /// How far this header is from the beginning of the block.
    std::uint32_t offset;
};

constexpr std::size_t sizeWithHeader(std::size_t size) noexcept {
    return sizeof(Header) + (size + kAlignmentInBlock - 1) / kAlignmentInBlock * kAlignmentInBlock;
}

/// What a thread knows of the objects that it has taken. Without a destructor, so that it can be
/// reached without asking whether it was constructed.
struct ThreadMemory {
    /// The second object of a block, which is taken next for this size; null: none.
    void* second;
    std::size_t sizeOfSecond;
    /// The size of the object that was taken last.
    std::size_t lastSize;

    void giveBackSecond() noexcept {
        if (second != nullptr) giveToBlock(std::exchange(second, nullptr));
    }
};
thread_local ThreadMemory threadMemory{};

/// Gives back the thread's second object when the thread ends.
struct ThreadEnd {
    ThreadEnd() noexcept = default;
    ThreadEnd(const ThreadEnd&) = delete;
    ThreadEnd& operator=(const ThreadEnd&) = delete;
    ~ThreadEnd();

    bool isAwaited = false;
};
thread_local ThreadEnd threadEnd;
thread_local bool threadHasEnded = false;  // outlives threadEnd

ThreadEnd::~ThreadEnd() {
    threadMemory.giveBackSecond();
    threadHasEnded = true;
}

[[gnu::noinline]] void* takeFromNewBlock(std::size_t size) {
    // When destructors of the thread's other variables make objects, nobody would give back a
    // second one. Nor does anybody for a thread whose first two objects are made by the destructor
    // of a pthread key, which comes later still: there it stays.
    const bool isForTwo = threadMemory.lastSize == size && !threadHasEnded;
    const std::size_t one = sizeWithHeader(size);
    auto* const block = static_cast<unsigned char*>(::operator new(isForTwo ? 2 * one : one));
    new (block) Header{{isForTwo ? 2U : 1U}, 0};
    if (isForTwo) {
        threadMemory.giveBackSecond();
        new (block + one) Header{{0}, static_cast<std::uint32_t>(one)};
        threadMemory.second = block + one + sizeof(Header);
        threadMemory.sizeOfSecond = size;
        threadEnd.isAwaited = true;  // the first use constructs it, so that it will be destroyed
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
    // Release and acquire: what was done with the objects was done before their memory is freed.
    if (reinterpret_cast<Header*>(block)->references.fetch_sub(1, std::memory_order_acq_rel) == 1)
        ::operator delete(block);
}

}  // namespace jtimer::detail

// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include <jtimer/detail/block_allocator.hpp>

#include "base/cache_line.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <new>
#include <utility>

namespace jtimer::detail {

namespace {

constexpr std::size_t kObjects = 4;

struct Block;

/// What lies before each object.
struct alignas(kAlignmentInBlock) Header {
    Block* block;
};
static_assert(kAlignmentInBlock <= __STDCPP_DEFAULT_NEW_ALIGNMENT__);

/// The head of a block. Whoever drops the last reference frees the block.
struct alignas(Header) Block {
    /// One for each object that is in use. While a thread takes from the block, also one for each
    /// of kWhileOpen objects that were not taken yet: so to take one changes no count, which other
    /// threads may be changing.
    std::atomic<std::uint32_t> references;

    /// Release and acquire: what was done with the objects was done before their memory is freed.
    void drop(std::uint32_t count) noexcept {
        if (references.fetch_sub(count, std::memory_order_acq_rel) == count)
            ::operator delete(this);  // of more than sizeof(Block)
    }
    unsigned char* firstObject() noexcept { return reinterpret_cast<unsigned char*>(this + 1); }
};
constexpr std::uint32_t kWhileOpen = 1U << 16U;
static_assert(kWhileOpen > kObjects * (sizeof(Header) + kMostBytesInBlock), "more than ever fit");

Block* makeBlock(std::size_t bytes, std::uint32_t references) {
    return new (::operator new(sizeof(Block) + bytes)) Block{{references}};
}

void* putHeader(unsigned char* place, Block* block) noexcept {
    return new (place) Header{block} + 1;
}

Block* blockOf(void* object) noexcept { return (static_cast<Header*>(object) - 1)->block; }

/// An object that was given back, on its way to be taken again. Its header stays.
struct Recycled {
    Recycled* next;
};
constexpr std::uint32_t kMostRecycled = 16;

/// What a thread takes objects from. Without a destructor, so that it can be reached without asking
/// whether it was constructed.
struct ThreadMemory {
    /// The open block, from which objects are taken that are not recycled.
    Block* block;
    unsigned char* next;
    unsigned char* end;
    std::uint32_t taken;  ///< from the open block

    /// How many more objects of `recycledBytes` may be recycled: 0 on a thread that takes none.
    std::uint32_t roomForRecycled;
    std::size_t recycledBytes;
    Recycled* recycled;

    std::size_t bytesLeft() const noexcept { return static_cast<std::size_t>(end - next); }

    /// \param bytes with the header, as always below; no more than are left
    void* take(std::size_t bytes) noexcept {
        unsigned char* const place = next;
        next += bytes;
        ++taken;
        return putHeader(place, block);
    }

    void* takeRecycled() noexcept {
        ++roomForRecycled;
        return std::exchange(recycled, recycled->next);
    }

    void recycle(void* object) noexcept {
        --roomForRecycled;
        recycled = new (object) Recycled{recycled};
    }

    /// From now on objects are taken from `fresh`, which has room for four of `bytes`, and those
    /// of `bytes` are recycled.
    void open(Block* fresh, std::size_t bytes) noexcept {
        close();
        block = fresh;
        next = fresh->firstObject();
        end = next + kObjects * bytes;
        roomForRecycled = kMostRecycled;
        recycledBytes = bytes;
    }

    void close() noexcept {
        while (recycled != nullptr) blockOf(takeRecycled())->drop(1);
        if (block != nullptr) block->drop(kWhileOpen - taken);
        *this = ThreadMemory{};
    }
};
thread_local ThreadMemory threadMemory{};

/// Closes the thread's memory when the thread ends.
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
    threadMemory.close();
    threadHasEnded = true;
}

[[gnu::noinline]] void* takeFromNewBlock(std::size_t bytes) {
    // A destructor of another variable of the thread makes an object: nobody would close the block.
    // Nor does anybody close that of a thread whose very first object is made by the destructor of
    // a pthread key, which comes later still: that block stays.
    if (threadHasEnded) {
        Block* const block = makeBlock(bytes, 1);
        return putHeader(block->firstObject(), block);
    }
    threadMemory.open(makeBlock(kObjects * bytes, kWhileOpen), bytes);
    // In a burst malloc mostly goes up, so after this block comes the place of the next one, the
    // six lines of four callables with two captured words. If they were not loaded together, the
    // next locked operation after each object would wait for it.
    prefetchLines(threadMemory.end, std::make_index_sequence<6>());
    threadEnd.isAwaited = true;  // the first use constructs it, so that it will be destroyed
    return threadMemory.take(bytes);
}

std::size_t withHeader(std::size_t size) noexcept {
    constexpr std::size_t alignment = kAlignmentInBlock;
    return sizeof(Header) + (size + alignment - 1) / alignment * alignment;
}

}  // namespace

void* takeFromBlock(std::size_t size) {
    const std::size_t bytes = withHeader(size);
    if (threadMemory.recycled != nullptr && threadMemory.recycledBytes == bytes)
        return threadMemory.takeRecycled();
    if (threadMemory.bytesLeft() < bytes) return takeFromNewBlock(bytes);
    return threadMemory.take(bytes);
}

void giveToBlock(void* memory, std::size_t size) noexcept {
    if (threadMemory.roomForRecycled != 0 && threadMemory.recycledBytes == withHeader(size))
        return threadMemory.recycle(memory);
    blockOf(memory)->drop(1);
}

}  // namespace jtimer::detail

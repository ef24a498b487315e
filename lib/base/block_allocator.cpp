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

/// Objects of one size lie in pairs, and a pair has one header, before its first object. Which of
/// the two an object is, its address says: a header and a second object are aligned to this, and a
/// first one to half of it only.
constexpr std::uint32_t kPairAlignment = 2 * kAlignmentInBlock;

struct alignas(kAlignmentInBlock) Header {
    /// Only of the header that a block begins with: one for each object that is in use. While a
    /// thread takes from the block, also one for each of kWhileOpen objects that were not taken
    /// yet: so to take one changes no count, which other threads may be changing.
    std::atomic<std::uint32_t> references;

    /// How far it is from the beginning of the block.
    std::uint32_t offset;
};
static_assert(sizeof(Header) == kAlignmentInBlock, "the first of a pair follows it");

constexpr std::uint32_t kWhileOpen = 1U << 16U;
static_assert(kWhileOpen > kObjects * (sizeof(Header) + kMostBytesInBlock), "more than ever fit");

constexpr std::uint32_t roundUp(std::size_t size, std::uint32_t multipleOf) noexcept {
    return (static_cast<std::uint32_t>(size) + multipleOf - 1) / multipleOf * multipleOf;
}

/// How far the second object of a pair is from the first.
constexpr std::uint32_t distanceInPair(std::uint32_t size) noexcept {
    return roundUp(sizeof(Header) + size, kPairAlignment) - std::uint32_t{sizeof(Header)};
}

Header* blockOf(void* object, std::uint32_t size) noexcept {
    // Without a branch, which nobody could predict where objects are given back in random order.
    const auto address = reinterpret_cast<std::uintptr_t>(object);
    const std::uint32_t ifSecond = address % kPairAlignment == 0 ? ~std::uint32_t{0} : 0;
    unsigned char* const first =
        static_cast<unsigned char*>(object) - (distanceInPair(size) & ifSecond);
    Header* const header = reinterpret_cast<Header*>(first) - 1;
    return reinterpret_cast<Header*>(reinterpret_cast<unsigned char*>(header) - header->offset);
}

void* allocateBlock(std::size_t bytes) {
    if constexpr (__STDCPP_DEFAULT_NEW_ALIGNMENT__ < kPairAlignment)
        return ::operator new(bytes, std::align_val_t(kPairAlignment));
    return ::operator new(bytes);
}

void freeBlock(Header* block) noexcept {
    if constexpr (__STDCPP_DEFAULT_NEW_ALIGNMENT__ < kPairAlignment)
        return ::operator delete(block, std::align_val_t(kPairAlignment));
    ::operator delete(block);  // of more than sizeof(Header)
}

/// Whoever drops the last reference frees the block.
void drop(Header* block, std::uint32_t count) noexcept {
    // Release and acquire: what was done with the objects was done before their memory is freed.
    if (block->references.fetch_sub(count, std::memory_order_acq_rel) == count) freeBlock(block);
}

/// An object that was given back, on its way to be taken again. Its header, if any, stays.
struct Recycled {
    Recycled* next;
};
constexpr std::uint32_t kMostRecycled = 16;

/// What a thread takes objects from. Without a destructor, so that it can be reached without asking
/// whether it was constructed.
struct ThreadMemory {
    /// The open block, from which objects are taken that are not recycled.
    void* block;
    std::uint32_t bytes;  ///< how many it has
    std::uint32_t next;   ///< from where on they are free, but for the rest of a kPairAlignment
    std::uint32_t taken;  ///< how many objects
    std::uint32_t half;   ///< the size of the last one, if that is the first of a pair, else 0

    /// How many more objects of `recycledSize` may be recycled: 0 on a thread that takes none.
    std::uint32_t roomForRecycled;
    std::uint32_t recycledSize;
    Recycled* recycled;

    /// \param size a multiple of kAlignmentInBlock, as always below
    /// \returns null if there is no room for it
    void* take(std::uint32_t size) noexcept {
        if (size == half) {
            if (next + size > bytes) return nullptr;
            half = 0;
            return takeAt(next, size);
        }
        const std::uint32_t first = next + std::uint32_t{sizeof(Header)};
        if (first + size > bytes) return nullptr;
        half = size;
        // Only the count of a block's first header is ever looked at.
        new (begin() + next) Header{{kWhileOpen}, next};
        return takeAt(first, size);
    }

    void* takeRecycled() noexcept {
        ++roomForRecycled;
        return std::exchange(recycled, recycled->next);
    }

    void recycle(void* object) noexcept {
        --roomForRecycled;
        recycled = new (object) Recycled{recycled};
    }

    /// From now on objects are taken from a new block, and those of `size` are recycled.
    /// \throws std::bad_alloc, with nothing changed
    void open(std::uint32_t bytesOfBlock, std::uint32_t size) {
        void* const fresh = allocateBlock(bytesOfBlock);
        close();
        block = fresh;
        bytes = bytesOfBlock;
        roomForRecycled = kMostRecycled;
        recycledSize = size;
    }

    void close() noexcept {
        while (recycled != nullptr) drop(blockOf(takeRecycled(), recycledSize), 1);
        if (block != nullptr) drop(static_cast<Header*>(block), kWhileOpen - taken);
        *this = ThreadMemory{};
    }

  private:
    unsigned char* begin() const noexcept { return static_cast<unsigned char*>(block); }

    void* takeAt(std::uint32_t offset, std::uint32_t size) noexcept {
        next = roundUp(offset + size, kPairAlignment);
        ++taken;
        return begin() + offset;
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

[[gnu::noinline]] void* takeFromNewBlock(std::uint32_t size) {
    // A destructor of another variable of the thread makes an object: nobody would close the block.
    // Nor does anybody close that of a thread whose very first object is made by the destructor of
    // a pthread key, which comes later still: that block stays.
    if (threadHasEnded) {
        ThreadMemory onlyThis{};
        onlyThis.open(std::uint32_t{sizeof(Header)} + size, size);
        void* const object = onlyThis.take(size);
        onlyThis.close();
        return object;
    }
    const std::uint32_t pair = std::uint32_t{sizeof(Header)} + distanceInPair(size) + size;
    static_assert(kObjects == 4, "two pairs");
    threadMemory.open(roundUp(pair, kPairAlignment) + pair, size);
    // In a burst malloc mostly goes up, so after this block comes the place of the next one, the
    // six lines of four callables with two captured words. If they were not loaded together, the
    // next locked operation after each object would wait for it.
    prefetchLines(static_cast<unsigned char*>(threadMemory.block) + threadMemory.bytes,
                  std::make_index_sequence<6>());
    threadEnd.isAwaited = true;  // the first use constructs it, so that it will be destroyed
    return threadMemory.take(size);
}

}  // namespace

void* takeFromBlock(std::size_t size) {
    const std::uint32_t rounded = roundUp(size, kAlignmentInBlock);
    if (threadMemory.recycled != nullptr && threadMemory.recycledSize == rounded)
        return threadMemory.takeRecycled();
    void* const object = threadMemory.take(rounded);
    return object != nullptr ? object : takeFromNewBlock(rounded);
}

void giveToBlock(void* memory, std::size_t size) noexcept {
    const std::uint32_t rounded = roundUp(size, kAlignmentInBlock);
    if (threadMemory.roomForRecycled != 0 && threadMemory.recycledSize == rounded)
        return threadMemory.recycle(memory);
    drop(blockOf(memory, rounded), 1);
}

}  // namespace jtimer::detail

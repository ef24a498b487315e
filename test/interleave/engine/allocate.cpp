// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
//
// What an execution allocates comes from an arena that is emptied before the next one: so each
// address is the same when an execution is repeated, and no memory is used twice within one.

#include "interleave/engine/engine.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>
#include <sys/mman.h>

extern "C" const char __executable_start;
extern "C" const char etext;

namespace explore {

unsigned allocationsFailOneIn = 0;
unsigned threadStartsFailOneIn = 0;

namespace {

/// Before each block.
struct Header {
    std::size_t size;
    const void* caller;
    bool isFreed;
};
constexpr std::size_t kArena = std::size_t{1} << 27;
constexpr std::size_t kLine = 64;  // also the alignment of every block

unsigned char* arena = nullptr;
/// What is allocated to warm up, which stays, is at the begin, the rest here.
constexpr std::size_t kExecution = kArena / 2;
std::size_t kept = 0;
std::size_t used = 0;
bool isInUse = false;
bool keeps = false;

std::size_t roundUp(std::size_t size) noexcept { return (size + kLine - 1) / kLine * kLine; }

bool isInArena(const void* memory) noexcept {
    return memory >= arena && memory < arena + kArena && arena != nullptr;
}

Header& headerOf(void* memory) noexcept {
    return *reinterpret_cast<Header*>(static_cast<unsigned char*>(memory) - kLine);
}

/// \returns null if this allocation is to fail
void* allocate(std::size_t size, std::size_t alignment, const void* caller) noexcept {
    if (!isInUse || !isExplored()) {
        if (alignment <= kLine / 4) return std::malloc(size == 0 ? 1 : size);
        return std::aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
    }
    const Inside inside;
    if (allocationsFailOneIn != 0 && isRandom() && decide(2, allocationsFailOneIn) != 0)
        return nullptr;
    // Aligned to more than a line: the next such place, of which the line before is the header's.
    std::size_t begin = used + kLine;
    if (alignment > kLine) begin = (begin + alignment - 1) / alignment * alignment;
    used = begin + roundUp(size);
    if (used > (keeps ? kExecution : kArena)) failed("the arena is full");
    void* const memory = arena + begin;
    headerOf(memory) = {size, caller, false};
    std::memset(memory, 0xcd, size);
    return memory;
}

bool isOfProgram(const void* caller) noexcept {
    return caller >= static_cast<const void*>(&__executable_start) &&
           caller < static_cast<const void*>(&etext);
}

/// Of code that is not instrumented, nothing is known that happened before.
void deallocate(void* memory, const void* caller) noexcept {
    if (!isInArena(memory)) return std::free(memory);
    if (!isPlaying) return;  // of an execution that has ended
    const Inside inside;
    Header& header = headerOf(memory);
    if (header.isFreed) failed("freed twice");
    header.isFreed = true;
    freed(reinterpret_cast<Address>(memory), header.size, isOfProgram(caller));
}

/// The blocks of an execution follow each other, apart from gaps for a greater alignment.
std::string text(const void* caller, std::size_t size) {
    char buffer[100];
    std::snprintf(buffer, sizeof(buffer), "%zu bytes allocated before %p were not freed", size,
                  caller);
    return buffer;
}

}  // namespace

void beginAllocations(Allocations allocations) {
    if (keeps) kept = used;
    keeps = allocations == Allocations::Kept;
    isInUse = allocations != Allocations::Outside;
    if (!isInUse) return;
    if (arena == nullptr) {
        // At a fixed address, if that is free: the same decisions then give the same addresses.
        void* const wanted = reinterpret_cast<void*>(std::uintptr_t{0x100000000000});
        void* const got = mmap(wanted, kArena, PROT_READ | PROT_WRITE,
                               MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (got == MAP_FAILED) std::abort();
        arena = static_cast<unsigned char*>(got);
    }
    if (used > kExecution) std::memset(arena + kExecution, 0, std::min(used, kArena) - kExecution);
    used = keeps ? kept : kExecution;
}

std::string leaks() {
    for (std::size_t i = kExecution + kLine; i < used;) {
        const Header& header = *reinterpret_cast<const Header*>(arena + i - kLine);
        if (header.caller == nullptr) {
            i += kLine;
            continue;
        }
        if (!header.isFreed) return text(header.caller, header.size);
        i += kLine + roundUp(header.size);
    }
    return {};
}

}  // namespace explore

using explore::allocate;
using explore::deallocate;

namespace {
void* orThrow(void* memory) {
    if (memory == nullptr) throw std::bad_alloc();
    return memory;
}
constexpr std::size_t kUsual = __STDCPP_DEFAULT_NEW_ALIGNMENT__;
}  // namespace

#define CALLER __builtin_return_address(0)
void* operator new(std::size_t size) { return orThrow(allocate(size, kUsual, CALLER)); }
void* operator new[](std::size_t size) { return orThrow(allocate(size, kUsual, CALLER)); }
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
    return allocate(size, kUsual, CALLER);
}
void* operator new[](std::size_t size, const std::nothrow_t&) noexcept {
    return allocate(size, kUsual, CALLER);
}
void* operator new(std::size_t size, std::align_val_t alignment) {
    return orThrow(allocate(size, static_cast<std::size_t>(alignment), CALLER));
}
void* operator new(std::size_t size, std::align_val_t alignment, const std::nothrow_t&) noexcept {
    return allocate(size, static_cast<std::size_t>(alignment), CALLER);
}
void operator delete(void* memory) noexcept { deallocate(memory, CALLER); }
void operator delete[](void* memory) noexcept { deallocate(memory, CALLER); }
void operator delete(void* memory, std::size_t) noexcept { deallocate(memory, CALLER); }
void operator delete[](void* memory, std::size_t) noexcept { deallocate(memory, CALLER); }
void operator delete(void* memory, const std::nothrow_t&) noexcept { deallocate(memory, CALLER); }
void operator delete(void* memory, std::align_val_t) noexcept { deallocate(memory, CALLER); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept {
    deallocate(memory, CALLER);
}

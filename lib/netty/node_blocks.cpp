// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "netty/node_blocks.hpp"

#include "sync/address_sanitizer.hpp"

#include <jtimer/detail/sanitizers.hpp>
#include <jtimer/netty/detail/node_allocator.hpp>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <new>

#if defined(__has_include)
#if __has_include(<valgrind/memcheck.h>)
#include <valgrind/memcheck.h>
#endif
#endif

namespace jtimer::netty::detail {

bool memoryIsChecked() noexcept {
#if defined(JTIMER_MEMORY_IS_FOLLOWED) && !defined(__SANITIZE_THREAD__)
    return true;
#else
    if (jtimer::detail::hasAddressSanitizer()) return true;
#if defined(VALGRIND_MAKE_MEM_DEFINED)
    [[maybe_unused]] const bool any = true;  // not used where there is no Valgrind
    if (VALGRIND_MAKE_MEM_DEFINED(&any, sizeof any) != 0) return true;  // 0 outside of Memcheck
#endif
    return false;
#endif
}

bool NodeBlocks::isEnabled = !memoryIsChecked();

namespace {

/// Precedes each node.
struct alignas(kNodeAlign) Header {
    /// Only in a block's first header: how many of its nodes have not been given back.
    std::atomic<std::uint32_t> inUse;
    /// Which node of its block it is; kAlone if it has none.
    std::uint32_t index;
};
constexpr std::uint32_t kAlone = NodeBlocks::kNodes;
constexpr std::size_t kStep =
    sizeof(Header) + (kNodeSize + kNodeAlign - 1) / kNodeAlign * kNodeAlign;

/// How many blocks there are, and how many of them have nodes that were given back. Two threads may
/// count one block in the wrong order, so either may be too low for a moment: they decide on a new
/// block only.
std::atomic<std::ptrdiff_t> allBlocks{0};
std::atomic<std::ptrdiff_t> openBlocks{0};

bool areTooManyOpen() noexcept {
    const std::ptrdiff_t half = allBlocks.load(std::memory_order_relaxed) / 2;
    return openBlocks.load(std::memory_order_relaxed) > std::max(half, NodeBlocks::kFewBlocks);
}

Node* nodeAt(unsigned char* header, std::uint32_t inUse, std::uint32_t index, Node* next) noexcept {
    new (header) Header{{inUse}, index};
    return new (header + sizeof(Header)) Node{next, nullptr};
}

}  // namespace

Node* NodeBlocks::take(bool canKeep) {
    if (!isEnabled || !canKeep || areTooManyOpen())
        return nodeAt(static_cast<unsigned char*>(::operator new(kStep)), 1, kAlone, nullptr);
    auto* const block = static_cast<unsigned char*>(::operator new(kNodes* kStep));
    allBlocks.fetch_add(1, std::memory_order_relaxed);
    Node* first = nullptr;
    for (std::uint32_t i = kNodes; i-- > 0;) first = nodeAt(block + i * kStep, kNodes, i, first);
    return first;
}

void NodeBlocks::give(void* node) noexcept {
    auto* const header = static_cast<unsigned char*>(node) - sizeof(Header);
    const std::uint32_t index = reinterpret_cast<Header*>(header)->index;
    if (index == kAlone) return ::operator delete(header);
    unsigned char* const block = header - index * kStep;
    // Release and acquire: all use of the nodes happens before their memory is freed.
    const std::uint32_t before =
        reinterpret_cast<Header*>(block)->inUse.fetch_sub(1, std::memory_order_acq_rel);
    if (before == kNodes) openBlocks.fetch_add(1, std::memory_order_relaxed);
    if (before > 1) return;
    openBlocks.fetch_sub(1, std::memory_order_relaxed);
    allBlocks.fetch_sub(1, std::memory_order_relaxed);
    ::operator delete(block);
}

std::ptrdiff_t NodeBlocks::blocks() noexcept { return allBlocks.load(std::memory_order_relaxed); }

}  // namespace jtimer::netty::detail

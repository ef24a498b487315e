// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
//
// Only for POSIX: elsewhere only the threads of the library keep nodes.
//
// A program of its own, for it replaces operator new.
#include "netty/node_blocks.hpp"
#include "netty/node_stock.hpp"
#include "support/failing_new.hpp"
#include "support/netty_nodes.hpp"
#include "support/test.hpp"

#include <jtimer/detail/sanitizers.hpp>
#include <jtimer/netty/detail/node_allocator.hpp>

#include <cstring>

using jtimer::netty::detail::kNodeAlign;
using jtimer::netty::detail::kNodeSize;
using jtimer::netty::detail::NodeBlocks;
using jtimer::netty::detail::NodeStock;
using jtimer::netty::detail::takeNode;
using test::allocations;
using test::livingAllocations;
using test::onAThread;
using test::takeNodes;

namespace {

constexpr std::size_t kNodes = NodeBlocks::kNodes;
constexpr auto kFew = static_cast<std::size_t>(NodeBlocks::kFewBlocks);

/// Has blocks also under AddressSanitizer and Valgrind.
struct Enabled {
    const bool was = std::exchange(NodeBlocks::isEnabled, true);
    const bool keptNodes = std::exchange(NodeStock::isEnabled, true);
    ~Enabled() {
        NodeBlocks::isEnabled = was;
        NodeStock::isEnabled = keptNodes;
    }
};

void give(const std::vector<void*>& nodes) {
    for (void* node : nodes) NodeBlocks::give(node);
}

/// Takes as many nodes as `blocks` blocks have, and gives back the first node of each.
std::vector<void*> takeOpen(std::size_t blocks) {
    std::vector<void*> left;
    left.reserve(blocks * kNodes);
    for (std::size_t i = 0; i < blocks; ++i) {
        void* const first = takeNode();
        for (std::size_t k = 1; k < kNodes; ++k) left.push_back(takeNode());
        NodeBlocks::give(first);
    }
    return left;
}

/// How many allocations it takes to get `count` nodes, which are given back.
long allocationsFor(std::size_t count) {
    std::vector<void*> nodes;
    nodes.reserve(count);
    const long before = allocations();
    for (std::size_t i = 0; i < count; ++i) nodes.push_back(takeNode());
    const long result = allocations() - before;
    give(nodes);
    return result;
}

}  // namespace

// Not run under Memcheck.
BOOST_AUTO_TEST_CASE(nodes_are_kept_unless_a_sanitizer_follows_them) {
#if defined(JTIMER_MEMORY_IS_FOLLOWED) && !defined(__SANITIZE_THREAD__)
    constexpr bool isFollowed = true;
#else
    constexpr bool isFollowed = false;
#endif
    BOOST_TEST(NodeBlocks::isEnabled == !isFollowed);
    BOOST_TEST(NodeStock::isEnabled == !isFollowed);
}

BOOST_FIXTURE_TEST_SUITE(node_blocks, Enabled)

BOOST_AUTO_TEST_CASE(eight_nodes_are_one_allocation) {
    onAThread([] {
        BOOST_TEST(allocationsFor(kNodes) == 1);
        BOOST_TEST(allocationsFor(2 * kNodes + 1) == 3);
    });
}

BOOST_AUTO_TEST_CASE(nodes_are_aligned_and_do_not_overlap) {
    onAThread([] {
        const std::vector<void*> nodes = takeNodes(3 * kNodes);
        unsigned char value = 0;
        for (void* node : nodes) {
            BOOST_TEST(reinterpret_cast<std::uintptr_t>(node) % kNodeAlign == 0U);
            std::memset(node, ++value, kNodeSize);
        }
        value = 0;
        for (void* node : nodes) {
            ++value;
            const auto* const bytes = static_cast<const unsigned char*>(node);
            for (std::size_t i = 0; i < kNodeSize; ++i) BOOST_REQUIRE(bytes[i] == value);
        }
        give(nodes);
    });
}

BOOST_AUTO_TEST_CASE(a_block_is_freed_with_its_last_node_in_whatever_order) {
    onAThread([] {
        std::vector<void*> nodes = takeNodes(kNodes);
        const long before = livingAllocations();
        std::swap(nodes.front(), nodes.back());
        void* const last = nodes[kNodes / 2];
        for (void* node : nodes)
            if (node != last) NodeBlocks::give(node);
        BOOST_TEST(livingAllocations() == before);
        NodeBlocks::give(last);
        BOOST_TEST(livingAllocations() == before - 1);
    });
}

BOOST_AUTO_TEST_CASE(a_thread_gives_back_the_rest_of_its_block_when_it_ends) {
    const std::ptrdiff_t before = NodeBlocks::blocks();
    void* node = nullptr;
    onAThread([&] { node = takeNode(); });
    BOOST_TEST(NodeBlocks::blocks() == before + 1);
    NodeBlocks::give(node);
    BOOST_TEST(NodeBlocks::blocks() == before);
}

BOOST_AUTO_TEST_CASE(a_thread_at_its_end_makes_no_more_blocks) {
    const std::ptrdiff_t before = NodeBlocks::blocks();
    struct Late {
        ~Late() { BOOST_TEST(allocationsFor(kNodes) == static_cast<long>(kNodes)); }
    };
    onAThread([] {
        thread_local Late late;
        static_cast<void>(&late);
        NodeBlocks::give(takeNode());  // after `late`, so ended before it
    });
    BOOST_TEST(NodeBlocks::blocks() == before);
}

BOOST_AUTO_TEST_CASE(no_block_is_made_while_too_many_have_nodes_that_were_given_back) {
    onAThread([] {
        const std::vector<void*> open = takeOpen(kFew + 1);
        BOOST_TEST(allocationsFor(kNodes) == static_cast<long>(kNodes));
        give(open);
        BOOST_TEST(allocationsFor(kNodes) == 1);
    });
}

BOOST_AUTO_TEST_CASE(half_of_all_blocks_may_have_nodes_that_were_given_back) {
    onAThread([] {
        const std::vector<void*> whole = takeNodes(3 * kFew * kNodes);
        const std::vector<void*> open = takeOpen(3 * kFew);
        const std::vector<void*> another = takeNodes(kNodes);
        BOOST_TEST(allocationsFor(kNodes) == 1);
        NodeBlocks::give(whole[0]);
        NodeBlocks::give(whole[kNodes]);
        BOOST_TEST(allocationsFor(kNodes) == static_cast<long>(kNodes));
        for (std::size_t i = 0; i < whole.size(); ++i)
            if (i != 0 && i != kNodes) NodeBlocks::give(whole[i]);
        give(open);
        give(another);
    });
}

/// A million requests, of which one in sixteen stays: blocks of eight would each keep one or two.
BOOST_AUTO_TEST_CASE(blocks_take_at_most_twice_the_memory_of_the_most_nodes_in_use) {
    const std::ptrdiff_t before = NodeBlocks::blocks();
    onAThread([] {
        constexpr std::size_t window = 1000;
        std::vector<void*> staying;
        std::vector<void*> passing(window, nullptr);
        for (std::size_t i = 0; i < 1'000'000; ++i) {
            void*& place = passing[i % window];
            if (place != nullptr) NodeBlocks::give(place);
            place = nullptr;
            void* const node = takeNode();
            if (i % 16 == 0)
                staying.push_back(node);
            else
                place = node;
        }
        const auto most = 2 * (staying.size() + window) / kNodes + 2 * kFew;
        BOOST_TEST(static_cast<std::size_t>(NodeBlocks::blocks()) <= most);
        for (void* node : passing)
            if (node != nullptr) NodeBlocks::give(node);
        give(staying);
    });
    BOOST_TEST(NodeBlocks::blocks() == before);
}

BOOST_AUTO_TEST_CASE(without_memory_nothing_is_taken) {
    onAThread([] {
        const long before = livingAllocations();
        {
            const test::AllocationsLeft none(0);
            BOOST_CHECK_THROW(takeNode(), std::bad_alloc);
        }
        BOOST_TEST(livingAllocations() == before);
        BOOST_TEST(allocationsFor(kNodes) == 1);
    });
}

BOOST_AUTO_TEST_CASE(
    disabled_each_node_is_an_allocation_and_nodes_of_blocks_can_still_be_given_back) {
    const std::ptrdiff_t before = NodeBlocks::blocks();
    std::vector<void*> nodes;
    onAThread([&] { nodes = takeNodes(kNodes); });
    NodeBlocks::isEnabled = false;
    BOOST_TEST(allocationsFor(kNodes) == static_cast<long>(kNodes));
    give(nodes);
    NodeBlocks::isEnabled = true;
    BOOST_TEST(NodeBlocks::blocks() == before);
}

/// Each node is written by one thread and given back by the other.
BOOST_AUTO_TEST_CASE(threads_give_back_each_other_s_nodes) {
    const std::ptrdiff_t before = NodeBlocks::blocks();
    constexpr std::size_t count = 20'000;
    std::array<std::vector<std::atomic<void*>>, 2> slots{std::vector<std::atomic<void*>>(count),
                                                         std::vector<std::atomic<void*>>(count)};
    const auto exchange = [&](std::size_t mine) {
        for (std::size_t i = 0; i < count; ++i) {
            void* const node = takeNode();
            *static_cast<std::size_t*>(node) = i;
            slots[mine][i].store(node, std::memory_order_release);
            void* other = nullptr;
            while (other == nullptr) other = slots[1 - mine][i].load(std::memory_order_acquire);
            if (*static_cast<std::size_t*>(other) != i) std::abort();
            NodeBlocks::give(other);
        }
    };
    boost::thread first([&] { exchange(0); }), second([&] { exchange(1); });
    first.join();
    second.join();
    BOOST_TEST(NodeBlocks::blocks() == before);
}

BOOST_AUTO_TEST_SUITE_END()

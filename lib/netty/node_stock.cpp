// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "netty/node_stock.hpp"

#include "netty/node_blocks.hpp"
#include "sync/cache_line.hpp"
#include "sync/thread_end.hpp"

#include <algorithm>
#include <cstddef>
#include <new>
#include <utility>

namespace jtimer::netty::detail {

namespace {

using Node = NodeStock::Node;

/// The nodes that a thread keeps.
struct ThreadNodes {
    Node* first;
    std::size_t count;

    // For a thread that collects.
    bool collects;
    Node* firstBatch;
    Node* lastBatch;
    std::size_t batches;
    /// How many batches the stock has room for.
    std::size_t room;
};
thread_local ThreadNodes threadNodes{};

void deleteNodes(Node* node) noexcept {
    while (node != nullptr) NodeBlocks::give(std::exchange(node, node->next));
}

void deleteThreadNodes() noexcept {
    deleteNodes(std::exchange(threadNodes.first, nullptr));
    threadNodes.count = 0;
}
using ThreadEnd = jtimer::detail::ThreadEnd<deleteThreadNodes>;

/// A thread that keeps no nodes begins to, which it may not after its ThreadEnd.
bool beginsToKeep() noexcept {
    if (!NodeStock::isEnabled || ThreadEnd::hasCome()) return false;
    ThreadEnd::await();
    return true;
}

[[gnu::noinline]] void collectBatch(ThreadNodes& mine) noexcept {
    Node* const batch = std::exchange(mine.first, nullptr);
    mine.count = 0;
    if (mine.batches == mine.room) return deleteNodes(batch);
    batch->nextBatch = mine.firstBatch;
    if (mine.firstBatch == nullptr) mine.lastBatch = batch;
    mine.firstBatch = batch;
    ++mine.batches;
}

/// A node that another processor's worker has freed is in that processor's cache.
[[gnu::always_inline]] inline void prefetch(const Node* node) noexcept {
    jtimer::detail::prefetchLines(node, std::make_index_sequence<2>());
}

}  // namespace

bool NodeStock::isEnabled = !memoryIsChecked();

void* takeNode() {
    ThreadNodes& mine = threadNodes;
    Node* const node = mine.first;
    if (node == nullptr) return NodeBlocks::take();
    mine.first = node->next;
    --mine.count;
    prefetch(node->next);
    return node;
}

void giveNode(void* memory) noexcept {
    ThreadNodes& mine = threadNodes;
    const bool isFull = mine.count == NodeStock::kBatch;
    if (isFull || (mine.first == nullptr && !beginsToKeep())) return NodeBlocks::give(memory);
    mine.first = new (memory) Node{mine.first, nullptr};
    if (++mine.count == NodeStock::kBatch && mine.collects) collectBatch(mine);
}

NodeStock::Collecting::Collecting() noexcept {
    threadNodes.collects = true;
    threadNodes.room = kMostBatches;
}

NodeStock::Collecting::~Collecting() {
    threadNodes.collects = false;
    deleteBatches(std::exchange(threadNodes.firstBatch, nullptr));
    threadNodes.batches = 0;
}

void NodeStock::supplyIfNeeded(Lock&) noexcept {
    ThreadNodes& mine = threadNodes;
    if (mine.first != nullptr || !beginsToKeep()) return;
    mine.first = pop();
    mine.count = kBatch;
    prefetch(mine.first);
}

NodeStock::Node* NodeStock::pop() noexcept {
    least_ = std::min(least_, --count_);
    return std::exchange(first_, first_->nextBatch);
}

void NodeStock::add(Lock&) noexcept {
    ThreadNodes& mine = threadNodes;
    if (mine.firstBatch != nullptr) {
        mine.lastBatch->nextBatch = first_;
        first_ = std::exchange(mine.firstBatch, nullptr);
        count_ += std::exchange(mine.batches, 0);
    }
    mine.room = kMostBatches - count_;
}

NodeStock::Node* NodeStock::takeSurplus(Lock&) noexcept {
    constexpr std::size_t share = 8;
    Node* surplus = nullptr;
    for (std::size_t left = (least_ + share - 1) / share; left > 0; --left) {
        Node* const batch = pop();
        batch->nextBatch = surplus;
        surplus = batch;
    }
    least_ = count_;
    return surplus;
}

NodeStock::Node* NodeStock::takeAll(Lock& lock) noexcept {
    add(lock);
    if (Node* const rest = std::exchange(threadNodes.first, nullptr); rest != nullptr) {
        threadNodes.count = 0;
        rest->nextBatch = first_;
        first_ = rest;
    }
    count_ = least_ = 0;
    threadNodes.room = kMostBatches;
    return std::exchange(first_, nullptr);
}

void NodeStock::deleteBatches(Node* batch) noexcept {
    while (batch != nullptr) {
        Node* const next = batch->nextBatch;
        deleteNodes(batch);
        batch = next;
    }
}

}  // namespace jtimer::netty::detail

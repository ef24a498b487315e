// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "netty/node_stock.hpp"

#include "sync/cache_line.hpp"
#include "sync/thread_end.hpp"
#include "sync/threads.hpp"

#include <algorithm>
#include <cstddef>
#include <new>
#include <utility>

namespace jtimer::netty::detail {

namespace {

using jtimer::detail::ThreadEnd;

/// The nodes that a thread keeps.
struct ThreadNodes {
    Node* first;
    std::size_t count;
    /// Gets each batch that is complete; null if the thread does not collect.
    NodeStock* stock;
};
thread_local ThreadNodes threadNodes{};

void deleteNodes(Node* node) noexcept {
    while (node != nullptr) NodeBlocks::give(std::exchange(node, node->next));
}

void deleteThreadNodes() noexcept {
    deleteNodes(std::exchange(threadNodes.first, nullptr));
    threadNodes.count = 0;
}
thread_local ThreadEnd::Call atEnd{deleteThreadNodes};

/// A thread that keeps no nodes begins to, which it may not after its ThreadEnd.
bool beginsToKeep() noexcept {
    if (!NodeStock::isEnabled || ThreadEnd::hasCome()) return false;
    ThreadEnd::await(atEnd);
    return true;
}

/// For a thread that keeps no nodes.
[[gnu::noinline]] void* takeNew(ThreadNodes& mine) {
    Node* const node = NodeBlocks::take(beginsToKeep());
    mine.first = node->next;
    if (mine.first != nullptr) mine.count = NodeBlocks::kNodes - 1;
    return node;
}

[[gnu::noinline]] void collectBatch(ThreadNodes& mine) noexcept {
    if (!mine.stock->add(*mine.first)) deleteNodes(mine.first);
    mine.first = nullptr;
    mine.count = 0;
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
    if (node == nullptr) return takeNew(mine);
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
    if (++mine.count == NodeStock::kBatch && mine.stock != nullptr) collectBatch(mine);
}

NodeStock::Collecting::Collecting(NodeStock& stock) noexcept { threadNodes.stock = &stock; }

NodeStock::Collecting::~Collecting() { threadNodes.stock = nullptr; }

bool NodeStock::add(Node& batch) noexcept {
    const Lock lock(mutex_, jtimer::detail::threads::try_to_lock);
    if (!lock.owns_lock() || count_ == kMostBatches) return false;
    batch.nextBatch = std::exchange(first_, &batch);
    ++count_;
    return true;
}

void NodeStock::supplyIfNeeded() noexcept {
    ThreadNodes& mine = threadNodes;
    if (mine.first != nullptr || !beginsToKeep()) return;
    mine.first = takeBatch();
    if (mine.first == nullptr) return;
    mine.count = kBatch;
    prefetch(mine.first);
}

Node* NodeStock::takeBatch() noexcept {
    const Lock lock(mutex_);
    if (first_ == nullptr) return nullptr;
    least_ = std::min(least_, --count_);
    return std::exchange(first_, first_->nextBatch);
}

void NodeStock::deleteSurplus() noexcept {
    constexpr std::size_t share = 8;
    Lock lock(mutex_);
    std::size_t surplus = (std::exchange(least_, count_) + share - 1) / share;
    lock.unlock();
    for (; surplus > 0; --surplus) deleteNodes(takeBatch());
}

void NodeStock::deleteAll() noexcept {
    deleteThreadNodes();
    while (Node* const batch = takeBatch()) deleteNodes(batch);
}

}  // namespace jtimer::netty::detail

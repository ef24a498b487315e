// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "go/quad_heap.hpp"
#include "support/choices.hpp"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

namespace test {

using jtimer::detail::Nanos;
using jtimer::go::detail::HeapItem;
using jtimer::go::detail::QuadHeap;

struct NumberedItem : HeapItem {
    explicit NumberedItem(int n) : number(n) {}
    const int number;
};

/// A heap of numbered items.
struct NumberedHeap {
    QuadHeap heap;
    std::vector<std::unique_ptr<NumberedItem>> items;

    NumberedItem& add(Nanos when) {
        items.push_back(std::make_unique<NumberedItem>(static_cast<int>(items.size()) + 1));
        heap.reserve(1);
        heap.add(when, *items.back());
        return *items.back();
    }
    int removeFirst() {
        auto& item = static_cast<NumberedItem&>(*heap.front().item);
        heap.remove(item);
        return item.number;
    }
    std::vector<int> drain() {
        std::vector<int> order;
        while (!heap.empty()) order.push_back(removeFirst());
        return order;
    }
};

/// The same heap with nothing left out for speed: swaps, and one step at a time.
class ReferenceQuadHeap {
  public:
    struct Node {
        Nanos when;
        int number;
    };

    std::vector<Node> nodes;

    void add(Node node) {
        nodes.push_back(node);
        up(nodes.size() - 1);
    }
    void remove(int number) {
        const auto found = std::find_if(nodes.begin(), nodes.end(),
                                        [=](const Node& n) { return n.number == number; });
        const auto i = static_cast<std::size_t>(found - nodes.begin());
        nodes[i] = nodes.back();
        nodes.pop_back();
        if (i == nodes.size()) return;
        up(i);
        down(i);
    }

  private:
    void up(std::size_t i) {
        while (i > 0 && nodes[i].when < nodes[(i - 1) / 4].when) {
            std::swap(nodes[i], nodes[(i - 1) / 4]);
            i = (i - 1) / 4;
        }
    }
    void down(std::size_t i) {
        for (;;) {
            std::size_t least = i;
            for (std::size_t c = 4 * i + 1; c <= 4 * i + 4 && c < nodes.size(); ++c) {
                if (nodes[c].when < nodes[least].when) least = c;
            }
            if (least == i) return;
            std::swap(nodes[i], nodes[least]);
            i = least;
        }
    }
};

/// Does the same to a heap and to the reference, and compares them entry by entry.
class QuadHeapModel {
  public:
    /// \param times how many different ones there are: few make many ties
    explicit QuadHeapModel(Nanos times) : times_(times) {}

    /// \param adds how many of five steps add an item
    void step(Choices& choices, int adds) {
        if (heap_.heap.empty() || choices.below(5) < adds) {
            const auto when = choices.below(times_);
            reference_.add({when, heap_.add(when).number});
        } else {
            const std::size_t i = choices.oneIn(3) ? 0 : choices.below(heap_.heap.size());
            auto& item = static_cast<NumberedItem&>(*heap_.heap[i].item);
            heap_.heap.remove(item);
            reference_.remove(item.number);
        }
        compare();
    }

    std::size_t size() const { return heap_.heap.size(); }

  private:
    void compare() const {
        heap_.heap.check();
        MODEL_REQUIRE(heap_.heap.size() == reference_.nodes.size());
        for (std::size_t i = 0; i < heap_.heap.size(); ++i) {
            const QuadHeap::Entry& entry = heap_.heap[i];
            MODEL_REQUIRE(entry.when == reference_.nodes[i].when);
            MODEL_REQUIRE(static_cast<const NumberedItem*>(entry.item)->number ==
                          reference_.nodes[i].number);
        }
    }

    const Nanos times_;
    NumberedHeap heap_;
    ReferenceQuadHeap reference_;
};

}  // namespace test

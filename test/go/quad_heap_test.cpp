// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "go/quad_heap.hpp"

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <memory>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

using jtimer::detail::Nanos;
using jtimer::go::detail::HeapItem;
using jtimer::go::detail::QuadHeap;

namespace {

struct Item : HeapItem {
    explicit Item(int n) : number(n) {}
    const int number;
};

/// A heap of numbered items.
struct Heap {
    QuadHeap heap;
    std::vector<std::unique_ptr<Item>> items;

    Item& add(Nanos when) {
        items.push_back(std::make_unique<Item>(static_cast<int>(items.size()) + 1));
        heap.reserve(1);
        heap.add(when, *items.back());
        return *items.back();
    }
    int removeFirst() {
        auto& item = static_cast<Item&>(*heap.front().item);
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
class ReferenceHeap {
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

void checkEqual(const QuadHeap& heap, const ReferenceHeap& reference) {
    heap.check();
    BOOST_REQUIRE_EQUAL(heap.size(), reference.nodes.size());
    for (std::size_t i = 0; i < heap.size(); ++i) {
        const QuadHeap::Entry& entry = heap[i];
        BOOST_REQUIRE_EQUAL(entry.when, reference.nodes[i].when);
        BOOST_REQUIRE_EQUAL(static_cast<const Item*>(entry.item)->number,
                            reference.nodes[i].number);
    }
}

}  // namespace

BOOST_AUTO_TEST_SUITE(quad_heap)

BOOST_AUTO_TEST_CASE(items_come_out_in_the_order_of_their_times) {
    Heap h;
    for (const Nanos when : {50, 20, 40, 10, 30}) h.add(when);
    const std::vector<int> expected{4, 2, 5, 3, 1};
    BOOST_TEST(h.drain() == expected, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(g41_of_n_items_of_the_same_time_the_first_comes_first_and_then_the_last) {
    for (int n = 1; n <= 40; ++n) {
        Heap h;
        for (int i = 0; i < n; ++i) h.add(7);
        std::vector<int> expected{1};
        for (int i = n; i >= 2; --i) expected.push_back(i);
        BOOST_TEST(h.drain() == expected, boost::test_tools::per_element());
    }
}

BOOST_AUTO_TEST_CASE(g41_a_sift_down_takes_the_first_of_the_least_children) {
    Heap h;
    for (const Nanos when : {0, 5, 3, 3, 9, 20}) h.add(when);
    BOOST_TEST(h.removeFirst() == 1);
    BOOST_TEST(static_cast<Item*>(h.heap.front().item)->number == 3);
}

BOOST_AUTO_TEST_CASE(an_item_knows_whether_it_is_in_a_heap) {
    Heap h;
    Item& item = h.add(1);
    BOOST_TEST(item.isInHeap());
    h.heap.remove(item);
    BOOST_TEST(!item.isInHeap());
    h.heap.reserve(1);
    h.heap.add(2, item);
    BOOST_TEST(item.isInHeap());
}

BOOST_AUTO_TEST_CASE(check_names_an_entry_that_is_due_before_its_parent) {
    Heap h;
    h.add(1);
    h.add(2);
    auto& first = const_cast<QuadHeap::Entry&>(h.heap[0]);
    first.when = 3;
    BOOST_CHECK_EXCEPTION(h.heap.check(), std::logic_error, [](const std::logic_error& e) {
        return e.what() == std::string("QuadHeap: entry 1 is due before its parent");
    });
}

BOOST_AUTO_TEST_CASE(check_names_an_item_that_does_not_know_its_index) {
    Heap h;
    h.add(1);
    h.add(1);
    std::swap(const_cast<QuadHeap::Entry&>(h.heap[0]), const_cast<QuadHeap::Entry&>(h.heap[1]));
    BOOST_CHECK_EXCEPTION(h.heap.check(), std::logic_error, [](const std::logic_error& e) {
        return e.what() == std::string("QuadHeap: the item of entry 0 has the index 1");
    });
}

BOOST_AUTO_TEST_CASE(g41_random_operations_do_what_the_plain_heap_does) {
    for (unsigned seed = 1; seed <= 20; ++seed) {
        std::minstd_rand random(seed);
        // Few different times, so that there are many ties.
        const Nanos times = 1 << (random() % 8);
        Heap h;
        ReferenceHeap reference;
        for (int step = 0; step < 600; ++step) {
            const bool add = h.heap.empty() || random() % 5 < (step < 400 ? 3U : 1U);
            if (add) {
                const Nanos when = static_cast<Nanos>(random()) % times;
                reference.add({when, h.add(when).number});
            } else {
                const std::size_t i = random() % 3 == 0 ? 0 : random() % h.heap.size();
                auto& item = static_cast<Item&>(*h.heap[i].item);
                h.heap.remove(item);
                reference.remove(item.number);
            }
            checkEqual(h.heap, reference);
        }
    }
}

BOOST_AUTO_TEST_SUITE_END()

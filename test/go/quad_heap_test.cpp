// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "go/quad_heap_model.hpp"
#include "support/choices.hpp"
#include "support/test.hpp"

using jtimer::detail::Nanos;
using jtimer::go::detail::QuadHeap;
using Heap = test::NumberedHeap;
using Item = test::NumberedItem;

BOOST_AUTO_TEST_SUITE(quad_heap)

BOOST_AUTO_TEST_CASE(items_come_out_in_the_order_of_their_times) {
    Heap h;
    for (const Nanos when : {50, 20, 40, 10, 30}) h.add(when);
    const std::vector<int> expected{4, 2, 5, 3, 1};
    BOOST_TEST(h.drain() == expected, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(items_of_times_before_0_come_out_in_the_order_of_their_times) {
    Heap h;
    for (const Nanos when : {-10, -40, -20, -50, -30}) h.add(when);
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
        test::Choices choices(seed);
        test::QuadHeapModel model(Nanos{1} << choices.below(8));
        for (int step = 0; step < 600; ++step) model.step(choices, step < 400 ? 3 : 1);
    }
}

BOOST_AUTO_TEST_SUITE_END()

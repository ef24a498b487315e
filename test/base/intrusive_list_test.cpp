// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "base/intrusive_list.hpp"

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <deque>
#include <random>
#include <string>
#include <vector>

using jtimer::detail::IntrusiveList;
using jtimer::detail::ListHook;

namespace {

struct Other;

struct Element : ListHook<>, ListHook<Other> {
    explicit Element(int n) : number(n) {}
    int number;

    ListHook<>& hook() { return *this; }
    ListHook<Other>& otherHook() { return *this; }
};

using List = IntrusiveList<Element>;

/// In order.
std::vector<int> numbers(const List& list) {
    std::vector<int> numbers;
    for (Element* e = list.front(); e != nullptr; e = list.next(*e)) numbers.push_back(e->number);
    return numbers;
}

void drain(List& list) {
    while (list.popFront() != nullptr) {
    }
}

}  // namespace

BOOST_AUTO_TEST_CASE(elements_come_out_in_the_order_in_which_they_were_put_in) {
    Element a(1), b(2), c(3);
    List list;
    BOOST_TEST(list.empty());
    BOOST_TEST(list.front() == nullptr);
    BOOST_TEST(list.popFront() == nullptr);
    list.pushBack(a);
    list.pushBack(b);
    list.pushBack(c);
    BOOST_TEST((numbers(list) == std::vector<int>{1, 2, 3}));
    BOOST_TEST(list.popFront() == &a);
    BOOST_TEST(!a.hook().isLinked());
    b.hook().unlink();
    BOOST_TEST((numbers(list) == std::vector<int>{3}));
    c.hook().unlink();
    BOOST_TEST(list.empty());
}

BOOST_AUTO_TEST_CASE(a_list_takes_over_the_elements_of_another) {
    std::deque<Element> elements;
    for (int i = 0; i < 4; ++i) elements.emplace_back(i);
    List first, second;
    first.append(second);
    BOOST_TEST(first.empty());
    second.pushBack(elements[2]);
    second.pushBack(elements[3]);
    first.append(second);  // into an empty one
    BOOST_TEST(second.empty());
    second.pushBack(elements[0]);
    second.pushBack(elements[1]);
    second.append(first);
    BOOST_TEST((numbers(second) == std::vector<int>{0, 1, 2, 3}));
    BOOST_TEST(first.empty());
    drain(second);
}

BOOST_AUTO_TEST_CASE(an_element_can_be_in_two_lists_at_a_time) {
    Element a(1), b(2);
    List list;
    IntrusiveList<Element, Other> other;
    list.pushBack(a);
    list.pushBack(b);
    other.pushBack(b);
    other.pushBack(a);
    a.hook().unlink();
    BOOST_TEST(other.next(b) == &a);
    BOOST_TEST((numbers(list) == std::vector<int>{2}));
    other.popFront();
    other.popFront();
    drain(list);
}

BOOST_AUTO_TEST_CASE(random_operations_agree_with_a_deque) {
    std::mt19937 random(1);
    std::deque<Element> elements;
    for (int i = 0; i < 20; ++i) elements.emplace_back(i);
    List list;
    std::deque<int> model;
    for (int step = 0; step < 20'000; ++step) {
        Element& element = elements[random() % elements.size()];
        if (element.hook().isLinked()) {
            element.hook().unlink();
            model.erase(std::find(model.begin(), model.end(), element.number));
        } else {
            list.pushBack(element);
            model.push_back(element.number);
        }
        const std::vector<int> found = numbers(list);
        BOOST_REQUIRE(std::equal(found.begin(), found.end(), model.begin(), model.end()));
    }
    drain(list);
}

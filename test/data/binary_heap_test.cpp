// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "data/binary_heap.hpp"
#include "support/test.hpp"

using jtimer::detail::fixDown;
using jtimer::detail::fixUp;
using jtimer::detail::heapify;

// That the moves are the JDK's, entry by entry, is in task_queue_test.

namespace {

struct Entry {
    std::int64_t time;
};

const auto ignore = [](const Entry&) {};

/// A heap in an array whose entry 0 is not used.
struct Heap {
    std::vector<Entry> entries{{-1}};

    std::size_t size() const { return entries.size() - 1; }
    void add(std::int64_t time) {
        entries.push_back({time});
        fixUp(entries.data(), size());
    }
    template <class Approaches>
    std::int64_t removeMin(const Approaches& approaches) {
        const std::int64_t least = entries[1].time;
        entries[1] = entries.back();
        entries.pop_back();
        if (size() != 0) fixDown(entries.data(), size(), 1, approaches);
        return least;
    }
};

std::vector<std::int64_t> sorted(std::vector<std::int64_t> times) {
    std::sort(times.begin(), times.end());
    return times;
}

std::vector<std::int64_t> randomTimes(std::size_t count) {
    std::mt19937 random(14);
    std::vector<std::int64_t> times(count);
    for (auto& time : times) time = static_cast<std::int64_t>(random() % 1000);
    return times;
}

}  // namespace

BOOST_AUTO_TEST_CASE(entries_that_were_sifted_up_come_out_in_order) {
    const auto times = randomTimes(500);
    Heap heap;
    for (const auto time : times) heap.add(time);
    std::vector<std::int64_t> drained;
    while (heap.size() != 0) drained.push_back(heap.removeMin(ignore));
    BOOST_TEST(drained == sorted(times), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(entries_in_any_order_become_a_heap_of_any_size) {
    for (std::size_t count = 0; count <= 40; ++count) {
        const auto times = randomTimes(count);
        Heap heap;
        for (const auto time : times) heap.entries.push_back({time});
        heapify(heap.entries.data(), heap.size(), ignore);
        std::vector<std::int64_t> drained;
        while (heap.size() != 0) drained.push_back(heap.removeMin(ignore));
        BOOST_TEST(drained == sorted(times), boost::test_tools::per_element());
    }
}

BOOST_AUTO_TEST_CASE(an_entry_is_announced_at_least_four_removals_before_it_is_the_least) {
    const auto times = sorted(randomTimes(500));
    Heap heap;
    for (const auto time : times) heap.add(time);
    std::vector<std::int64_t> announced;
    const auto note = [&](const Entry& entry) { announced.push_back(entry.time); };
    for (std::size_t i = 0; i + 100 < times.size(); ++i) {
        announced.clear();
        BOOST_TEST(heap.removeMin(note) == times[i]);
        for (const auto time : announced) BOOST_TEST(time >= times[i + 4]);
    }
}

// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "go/shard_order.hpp"

#include <boost/test/unit_test.hpp>
#include <boost/thread/thread.hpp>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <random>
#include <vector>

using jtimer::detail::kNever;
using jtimer::go::detail::Nanos;
using jtimer::go::detail::ShardOrder;

namespace {

/// The heads of shards that are not there.
struct Heads {
    explicit Heads(std::size_t count) : heads(count), order(pointers()) {
        for (auto& head : heads) head = kNever;
    }

    void write(std::size_t shard, Nanos head) {
        const bool isEarlier = head < heads[shard].exchange(head);
        if (isEarlier) order.headIsEarlier(shard, head);
    }
    /// What the poller knows when it has looked.
    Nanos earliest() {
        order.update();
        while (order.updateFirst()) {
        }
        return order.earliest();
    }

    std::vector<ShardOrder::Head> heads;
    ShardOrder order;

  private:
    std::vector<const ShardOrder::Head*> pointers() const {
        std::vector<const ShardOrder::Head*> pointers;
        for (const auto& head : heads) pointers.push_back(&head);
        return pointers;
    }
};

}  // namespace

BOOST_AUTO_TEST_SUITE(go_shard_order)

BOOST_AUTO_TEST_CASE(only_an_earlier_head_leaves_a_mark) {
    Heads h(3);
    BOOST_TEST(!h.order.hasMarks());
    h.write(1, 20);
    BOOST_TEST(h.order.hasMarks());
    BOOST_TEST(h.earliest() == 20);
    BOOST_TEST(h.order.first() == 1U);
    BOOST_TEST(h.order.next() == kNever);
    h.write(1, 30);
    h.write(1, 25);  // not before what is known
    BOOST_TEST(!h.order.hasMarks());
    BOOST_TEST(h.order.earliest() == 20);
    BOOST_TEST(h.earliest() == 25);
    h.write(0, 27);
    h.write(2, 26);
    BOOST_TEST(h.earliest() == 25);
    BOOST_TEST(h.order.next() == 26);
    h.write(1, kNever);
    BOOST_TEST(h.earliest() == 26);
    BOOST_TEST(h.order.first() == 2U);
    BOOST_TEST(h.order.next() == 27);
}

BOOST_AUTO_TEST_CASE(the_earliest_is_known_after_random_changes) {
    std::minstd_rand random(1);
    for (const std::size_t count : {1U, 2U, 5U, 64U, 65U, 1024U}) {
        Heads h(count);
        for (int step = 0; step < 3000; ++step) {
            const bool isEmptied = random() % 4 == 0;
            h.write(random() % count, isEmptied ? kNever : static_cast<Nanos>(random() % 1000));
            if (random() % 3 != 0) continue;
            const Nanos earliest = *std::min_element(h.heads.begin(), h.heads.end());
            BOOST_REQUIRE(h.earliest() == earliest);
            BOOST_REQUIRE(h.heads[h.order.first()] == earliest);
            BOOST_REQUIRE(h.order.next() >= earliest);
        }
    }
}

BOOST_AUTO_TEST_CASE(no_earlier_head_is_missed_while_other_threads_write_theirs) {
    constexpr std::size_t count = 4;
    for (int round = 0; round < 200; ++round) {
        Heads h(count);
        std::atomic<int> writing{count};
        boost::thread_group writers;
        for (std::size_t shard = 0; shard < count; ++shard) {
            writers.create_thread([&h, &writing, shard, round] {
                std::minstd_rand random(static_cast<unsigned>(round) * count +
                                        static_cast<unsigned>(shard) + 1);
                for (int i = 0; i < 200; ++i) h.write(shard, static_cast<Nanos>(random() % 1000));
                --writing;
            });
        }
        while (writing != 0) h.earliest();
        writers.join_all();
        const Nanos earliest = *std::min_element(h.heads.begin(), h.heads.end());
        BOOST_REQUIRE(h.earliest() == earliest);
    }
}

BOOST_AUTO_TEST_SUITE_END()

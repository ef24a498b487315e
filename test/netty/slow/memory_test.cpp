// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "netty/node_stock.hpp"
#include "support/failing_new.hpp"
#include "support/manual_wheel.hpp"

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <memory>
#include <random>
#include <vector>

using namespace std::chrono_literals;
using jtimer::netty::detail::NodeStock;

/// The caller's thread keeps a batch of nodes for its next timeouts, each perhaps of another block.
BOOST_AUTO_TEST_CASE(ten_million_cancelled_timeouts_leave_the_memory_as_it_was) {
    constexpr int kRounds = 10;
    constexpr std::size_t kTimeouts = 1'000'000;
    test::ManualWheel wheel(512);
    wheel.timer.newTimeout([] {}, 1h)->cancel();
    wheel.clock->advance(100ms);
    const long before = test::livingAllocations();

    std::minstd_rand random(1);
    for (int round = 0; round < kRounds; ++round) {
        std::vector<std::shared_ptr<jtimer::netty::Timeout>> timeouts;
        timeouts.reserve(kTimeouts);
        for (std::size_t i = 0; i < kTimeouts; ++i)
            timeouts.push_back(wheel.timer.newTimeout([] {}, 1h));
        std::shuffle(timeouts.begin(), timeouts.end(), random);
        for (const auto& each : timeouts) each->cancel();
        wheel.clock->advance(100ms);
    }
    BOOST_TEST(wheel.timer.pendingTimeouts() == 0);
    BOOST_TEST(test::livingAllocations() - before <= static_cast<long>(NodeStock::kBatch));
}

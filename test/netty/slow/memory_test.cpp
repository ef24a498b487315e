// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "netty/node_stock.hpp"
#include "support/manual_wheel.hpp"

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdlib>
#include <memory>
#include <new>
#include <random>
#include <vector>

using namespace std::chrono_literals;
using jtimer::netty::detail::NodeStock;

namespace {
std::atomic<std::size_t> living{0};
}

void* operator new(std::size_t size) {
    void* const memory = std::malloc(size);
    if (memory == nullptr) throw std::bad_alloc();
    ++living;
    return memory;
}
void operator delete(void* memory) noexcept {
    if (memory != nullptr) --living;
    std::free(memory);
}
void operator delete(void* memory, std::size_t) noexcept { operator delete(memory); }

/// The caller's thread keeps a batch of nodes for its next timeouts, each perhaps of another block.
BOOST_AUTO_TEST_CASE(ten_million_cancelled_timeouts_leave_the_memory_as_it_was) {
    constexpr int kRounds = 10;
    constexpr std::size_t kTimeouts = 1'000'000;
    test::ManualWheel wheel(512);
    wheel.timer.newTimeout([] {}, 1h)->cancel();
    wheel.clock->advance(100ms);
    const std::size_t before = living;

    std::minstd_rand random(1);
    for (int round = 0; round < kRounds; ++round) {
        std::vector<std::shared_ptr<jtimer::netty::Timeout>> timeouts;
        timeouts.reserve(kTimeouts);
        for (std::size_t i = 0; i < kTimeouts; ++i)
            timeouts.push_back(wheel.timer.newTimeout([] {}, 1h));
        std::shuffle(timeouts.begin(), timeouts.end(), random);
        for (const auto& each : timeouts) each->cancel();
    }
    wheel.clock->advance(1s);
    BOOST_TEST(wheel.timer.pendingTimeouts() == 0);
    BOOST_TEST(living <= before + NodeStock::kBatch);
}

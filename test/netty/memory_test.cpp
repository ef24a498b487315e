// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
//
// A program of its own, for it replaces operator new.
#include "netty/node_blocks.hpp"
#include "support/child_process.hpp"
#include "support/failing_new.hpp"
#include "support/manual_wheel.hpp"
#include "support/test.hpp"

using namespace std::chrono_literals;
using jtimer::netty::HashedWheelTimer;
using jtimer::netty::detail::NodeBlocks;
using test::Handle;
using test::livingAllocations;

// The memory of timeouts, and when it is given back.

namespace {

/// Each node is an allocation of its own, so that they can be counted.
struct WithoutBlocks {
    const bool hadBlocks = std::exchange(NodeBlocks::isEnabled, false);
    ~WithoutBlocks() { NodeBlocks::isEnabled = hadBlocks; }
};

constexpr std::size_t kMany = 200;

template <class Body>
void onAThread(const Body& body) {
    boost::thread(body).join();
}

void addAndCancelAMillion() {
    const auto clock = std::make_shared<jtimer::ManualClock>(test::kStart);
    HashedWheelTimer timer(test::wheelOn(clock));
    const auto addAndCancel = [&](int count) {
        for (int i = 0; i < count; ++i) timer.newTimeout([&timer] { timer.start(); }, 1h)->cancel();
        clock->advance(100);
    };
    addAndCancel(1);
    clock->advance(100);
    const long before = livingAllocations();
    for (int i = 0; i < 10; ++i) addAndCancel(100'000);
    clock->advance(100);
    BOOST_TEST(timer.pendingTimeouts() == 0);
    BOOST_TEST(livingAllocations() - before <= 1);  // this thread's last block
}

}  // namespace

BOOST_FIXTURE_TEST_SUITE(memory_of_timeouts, WithoutBlocks)

BOOST_AUTO_TEST_CASE(an_idle_timer_has_given_back_the_memory_of_a_million_time_outs) {
    onAThread(addAndCancelAMillion);
}

BOOST_AUTO_TEST_CASE(an_idle_timer_has_given_back_the_blocks_of_a_million_time_outs) {
    NodeBlocks::isEnabled = true;
    const std::ptrdiff_t before = NodeBlocks::blocks();
    onAThread(addAndCancelAMillion);
    BOOST_TEST(NodeBlocks::blocks() == before);
}

BOOST_AUTO_TEST_CASE(a_handle_that_outlives_its_timer_gives_back_its_memory) {
    const long before = livingAllocations();
    onAThread([] {
        std::vector<Handle> handles;
        {
            test::ManualWheel wheel;
            for (std::size_t i = 0; i < 3 * kMany; ++i)
                handles.push_back(wheel.timer.newTimeout([] {}, 1h));
            for (std::size_t i = 0; i < kMany; ++i) handles[i]->cancel();
            wheel.clock->advance(100);
        }
        BOOST_TEST(handles.back()->timer() == nullptr);
    });
    BOOST_TEST(livingAllocations() == before);
}

BOOST_AUTO_TEST_CASE(a_timer_at_its_end_has_given_back_what_it_keeps) {
    const long before = livingAllocations();
    onAThread([] {
        test::ManualWheel wheel;
        const Handle pending = wheel.timer.newTimeout([] {}, 1h);  // so that it is not idle
        for (std::size_t i = 0; i < 3 * kMany; ++i) wheel.timer.newTimeout([] {}, 1h)->cancel();
        wheel.clock->advance(100);
    });
    BOOST_TEST(livingAllocations() == before);
}

#if defined(__SANITIZE_ADDRESS__)

CHILD_PROCESS(uses_a_freed_timeout) {
    test::ManualWheel wheel;
    const Handle pending = wheel.timer.newTimeout([] {}, 1h);
    jtimer::netty::Timeout* const freed = wheel.timer.newTimeout([] {}, 0).get();
    wheel.clock->advance(100);
    static_cast<void>(freed->isExpired());
}

BOOST_AUTO_TEST_CASE(address_sanitizer_sees_the_use_of_a_freed_timeout) {
    const std::string report = test::runChild("uses_a_freed_timeout").err;
    BOOST_TEST((report.find("heap-use-after-free") != std::string::npos), report);
}

#endif

BOOST_AUTO_TEST_CASE(a_large_or_over_aligned_callable_is_allocated_on_its_own) {
    struct alignas(64) Aligned {
        char bytes[8] = {};
    };
    struct Large {
        char bytes[1000] = {};
    };
    bool isAligned = false;
    std::size_t size = 0;
    const long before = livingAllocations();
    {
        test::ManualWheel wheel;
        wheel.timer.newTimeout(
            [&isAligned, aligned = Aligned()] {
                isAligned = reinterpret_cast<std::uintptr_t>(&aligned) % alignof(Aligned) == 0;
            },
            0);
        wheel.timer.newTimeout([&size, large = Large()] { size = sizeof(large.bytes); }, 0);
        wheel.clock->advance(100);
    }
    BOOST_TEST(isAligned);
    BOOST_TEST(size == 1000U);
    BOOST_TEST(livingAllocations() == before);
}

BOOST_AUTO_TEST_SUITE_END()

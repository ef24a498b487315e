// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
//
// A program of its own, for it replaces operator new.
#include "support/counter.hpp"
#include "support/test.hpp"

#include <jtimer/go/timers.hpp>
#include <jtimer/manual_clock.hpp>

#include <cstdlib>

using namespace std::chrono_literals;
using jtimer::go::Channel;
using jtimer::go::select;
using jtimer::go::Timers;
using jtimer::go::TimersOptions;

// What a call that blocks does to others.

namespace {

/// Of the calling thread: called before each allocation but its own.
thread_local const std::function<void()>* atAllocation = nullptr;

}  // namespace

void* operator new(std::size_t size) {
    if (const auto* const call = std::exchange(atAllocation, nullptr)) {
        (*call)();
        atAllocation = call;
    }
    if (void* const memory = std::malloc(size)) return memory;
    throw std::bad_alloc();
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

BOOST_AUTO_TEST_SUITE(go_receive)

BOOST_AUTO_TEST_CASE(a_call_that_blocks_allocates_while_it_holds_no_lock) {
    Timers timers;
    const auto far = timers.newTimer(1h);
    const auto farther = timers.newTimer(2h);
    const auto ticker = timers.newTicker(5ms);
    const Channel a = far.C(), b = farther.C(), soon = ticker.C();
    const std::vector<Channel> all{a, b, soon};
    const std::vector<std::function<void()>> calls{
        [&] { timers.sleep(1ms); },
        [&] { a.receiveFor(1ms); },
        [&] {
            select({a, b}, 1ms);
        },
        [&] {
            soon.tryReceive();
            soon.receive();
        },
        [&] {
            soon.tryReceive();
            select(all);
        },
    };
    for (const auto& call : calls) {
        test::Counter checked;
        std::vector<boost::thread> others;
        bool isHeldUp = false;
        const std::function<void()> check = [&] {
            if (isHeldUp) return;
            // Takes the lock of every timer in turn.
            others.emplace_back([&] {
                timers.check();
                checked.up();
            });
            isHeldUp = !checked.reaches(static_cast<int>(others.size()));
        };
        atAllocation = &check;
        call();
        atAllocation = nullptr;
        for (auto& other : others) other.join();
        BOOST_TEST(!isHeldUp);
        BOOST_TEST(others.size() > 0U);
    }
}

/// The time passes while the call allocates.
BOOST_AUTO_TEST_CASE(g10_a_value_that_is_due_after_the_time_out_is_left_by_a_slow_call) {
    for (int at = 0, count = 2; at < count; ++at) {
        const auto clock = std::make_shared<jtimer::ManualClock>();
        TimersOptions options;
        options.clock = clock;
        options.shards = 1;
        Timers timers(options);
        std::vector<Channel> others;
        for (int i = 0; i < 8; ++i) others.push_back(timers.after(1h));
        others.clear();  // now the heap has room
        const auto timer = timers.newTimer(15ms);
        const Channel channel = timer.C();
        const std::optional<jtimer::Date> value = jtimer::Date(15ms);
        int allocations = 0;
        const std::function<void()> passTime = [&] {
            if (allocations++ == at) clock->advance(20ms);
        };
        atAllocation = &passTime;
        const auto received = channel.receiveFor(10ms);
        atAllocation = nullptr;
        BOOST_TEST_CONTEXT("allocation " << at) {
            // The first one is made before the call reads the clock.
            BOOST_TEST((received == (at == 0 ? value : std::nullopt)));
            BOOST_TEST((channel.tryReceive() == (at == 0 ? std::nullopt : value)));
        }
        if (at != 0) count = allocations;
    }
}

BOOST_AUTO_TEST_SUITE_END()

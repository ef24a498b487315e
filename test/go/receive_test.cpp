// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "support/counter.hpp"

#include <jtimer/go/timers.hpp>

#include <boost/test/unit_test.hpp>
#include <boost/thread/thread.hpp>

#include <chrono>
#include <cstdlib>
#include <functional>
#include <new>
#include <utility>
#include <vector>

using namespace std::chrono_literals;
using jtimer::go::Channel;
using jtimer::go::select;
using jtimer::go::Timers;

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

BOOST_AUTO_TEST_SUITE_END()

// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
//
// Running out of memory: this program's operator new fails when a case says so. Its clock throws
// then.
// A program of its own, for it replaces operator new.
#include "netty/node_blocks.hpp"
#include "netty/node_stock.hpp"
#include "support/each_allocation.hpp"
#include "support/manual_wheel.hpp"
#include "support/test.hpp"

#include <jtimer/netty/scoped_timeout.hpp>

using jtimer::netty::HashedWheelTimer;
using jtimer::netty::ScopedTimeout;
using jtimer::netty::detail::NodeBlocks;
using jtimer::netty::detail::NodeStock;
using namespace std::chrono_literals;

namespace {

using Ballast = std::array<char, 300>;

jtimer::netty::HashedWheelTimerOptions longNamed(std::shared_ptr<jtimer::Clock> clock) {
    auto options = test::wheelOn(std::move(clock));
    options.name = "a name too long to be kept inline";
    options.onThreadStart = [b = Ballast{}] { static_cast<void>(b); };
    return options;
}

/// A timer that has been started, or not, with three timeouts or none.
template <bool kStarted>
struct Wheel {
    const std::shared_ptr<test::FaultyClock> clock =
        std::make_shared<test::FaultyClock>(test::kStart);
    std::unique_ptr<HashedWheelTimer> timer = std::make_unique<HashedWheelTimer>(longNamed(clock));
    std::shared_ptr<test::WheelTask> task = std::make_shared<test::WheelTask>([](const auto&) {});
    std::vector<test::Handle> pending;
    std::vector<test::Handle> stopped;

    Wheel() {
        if (!kStarted) return;
        for (int i = 0; i < 3; ++i) pending.push_back(timer->newTimeout([] {}, 1h));
        clock->advance(1000);
    }

    static void settle() {}
    std::string state() {
        clock->waitUntilIdle();
        std::string text = std::to_string(timer->pendingTimeouts());
        for (const auto& each : pending) text += each->isCancelled() ? "c" : "p";
        return text + ' ' + std::to_string(timer->stats().cancelled);
    }

    void inside(const std::function<void()>& f) {
        timer->newTimeout([&f] { f(); }, 0);
        clock->advance(200);
    }

    void goesOn() {
        if (timer == nullptr) return;
        bool ran = false;
        try {
            timer->newTimeout([&ran] { ran = true; }, 10);
        } catch (const jtimer::IllegalStateException&) {
            return;  // the call has stopped it
        }
        clock->advance(300);
        BOOST_TEST(ran);
    }
};

using Started = Wheel<true>;
using New = Wheel<false>;

const std::vector<test::Call<Started>> kCalls{
    {"newTimeout", [](auto& w) { return w.timer->newTimeout(w.task, 10) != nullptr; }},
    {"newTimeout of a callable", [](auto& w) { return w.timer->newTimeout([] {}, 10) != nullptr; }},
    {"newTimeout of a large callable",
     [](auto& w) {
         return w.timer->newTimeout([b = Ballast{}] { static_cast<void>(b); }, 10) != nullptr;
     }},
    {"a scoped timeout",
     [](auto& w) {
         ScopedTimeout scoped(w.timer->newTimeout([] {}, 10));
         return scoped.timeout() != nullptr;
     }},
    {"cancel", [](auto& w) { return w.pending[0]->cancel(); }},
    {"cancelAndWait", [](auto& w) { return w.pending[1]->cancelAndWait(); }},
    {"what it tells",
     [](auto& w) {
         return w.timer->stats().pending == 3 || w.timer->pendingTimeouts() != 0 ||
                w.timer->name().empty() || w.pending[0]->task() == nullptr;
     }},
    {"start", [](auto& w) { return w.timer->start(), true; }},
    {"stop", [](auto& w) { return w.stopped = w.timer->stop(), w.stopped.size() == 3; }, false},
    {"the destructor", [](auto& w) { return w.timer.reset(), true; }, false},
};

const std::vector<test::Call<New>> kFirstCalls{
    {"the constructor",
     [](auto& w) {
         const HashedWheelTimer another(longNamed(w.clock));
         return true;
     },
     false},
    {"start", [](auto& w) { return w.timer->start(), true; }, false},
    {"the first newTimeout", [](auto& w) { return w.timer->newTimeout([] {}, 10) != nullptr; },
     false},
    {"stop", [](auto& w) { return w.timer->stop().empty(); }, false},
};

}  // namespace

BOOST_AUTO_TEST_SUITE(netty_each_allocation)

BOOST_AUTO_TEST_CASE(a_call_that_any_of_its_allocations_fails_has_changed_nothing) {
    // To count what is leaked.
    const bool keepsNodes = std::exchange(NodeStock::isEnabled, false);
    const bool hasBlocks = std::exchange(NodeBlocks::isEnabled, false);
    test::checkEachAllocation(kCalls);
    test::checkEachAllocation(kFirstCalls);
    NodeStock::isEnabled = keepsNodes;
    NodeBlocks::isEnabled = hasBlocks;
}

BOOST_AUTO_TEST_CASE(a_call_that_any_of_its_readings_of_the_clock_fails_has_changed_nothing) {
    const bool keepsNodes = std::exchange(NodeStock::isEnabled, false);
    const bool hasBlocks = std::exchange(NodeBlocks::isEnabled, false);
    test::checkEachReading(kCalls);
    test::checkEachReading(kFirstCalls);
    NodeStock::isEnabled = keepsNodes;
    NodeBlocks::isEnabled = hasBlocks;
}

BOOST_AUTO_TEST_SUITE_END()

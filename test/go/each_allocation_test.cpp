// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
//
// Running out of memory: this program's operator new fails when a case says so. Its clock throws
// then.
// A program of its own, for it replaces operator new.
#include "support/counts.hpp"
#include "support/each_allocation.hpp"
#include "support/manual_timers.hpp"
#include "support/test.hpp"

#include <jtimer/go/chan.hpp>
#include <jtimer/go/context.hpp>
#include <jtimer/go/event.hpp>
#include <jtimer/go/scoped_timer.hpp>

#include <system_error>

using jtimer::go::Channel;
using jtimer::go::Event;
using jtimer::go::ScopedTimer;
using jtimer::go::Ticker;
using jtimer::go::Timer;
using jtimer::go::Timers;
using namespace std::chrono_literals;

namespace {

using Ballast = std::array<char, 300>;

jtimer::go::TimersOptions longNamed(std::shared_ptr<jtimer::Clock> clock, unsigned shards) {
    auto options = test::goInline(std::move(clock));
    options.shards = shards;
    options.name = "a name too long to be kept inline";
    return options;
}

using Chan = jtimer::go::Chan<std::string>;
const std::string kText = "a text too long to be kept inline";
const std::error_code kCause = std::make_error_code(std::errc::timed_out);

/// How many more timers there are: with some numbers, the heap is full.
int others = 0;

/// Timers whose poller calls the functions. `timer` and `function` are far away, the channel of
/// `fired` has a value, and the ticker has one too.
struct Fixture {
    const std::shared_ptr<test::FaultyClock> clock =
        std::make_shared<test::FaultyClock>(test::kStart);
    std::unique_ptr<Timers> timers = std::make_unique<Timers>(longNamed(clock, 1));
    Timer timer = timers->newTimer(1h);
    Timer function = timers->afterFunc(1h, [] {});
    Timer fired = timers->newTimer(1);
    Timer idle = timers->newTimer(1h);
    Timer idleFunction = timers->afterFunc(1h, [] {});
    Ticker ticker = timers->newTicker(10);
    const std::vector<Channel> channels{timer.C(), fired.C()};
    const Event event, isSet;
    // The first is empty, the second has one value, and the third is full.
    const Chan empty = jtimer::go::makeChan<std::string>(1);
    const Chan filled = jtimer::go::makeChan<std::string>(1000);
    const Chan full = jtimer::go::makeChan<std::string>(1);
    std::vector<Timer> far;

    Fixture() {
        isSet.set();
        filled.send(kText);
        full.send(kText);
        idle.stop();
        idleFunction.stop();
        clock->advance(15);
        for (int i = 0; i < others; ++i) far.push_back(timers->newTimer(2h));
    }

    static void settle() {}
    std::string state() {
        clock->waitUntilIdle();
        timers->check();
        return test::counts(timers->stats()) + ' ' + std::to_string(empty.len()) + ' ' +
               std::to_string(filled.len()) + ' ' + std::to_string(full.len());
    }
    void inside(const std::function<void()>& f) {
        timers->afterFunc(0, [&f] { f(); });
        clock->waitUntilIdle();
    }
    void goesOn() {
        if (timers == nullptr) return;
        bool ran = false;
        timers->afterFunc(10, [&ran] { ran = true; });
        clock->advance(10);
        BOOST_TEST(ran);
    }
};

const std::vector<test::Call<Fixture>> kCalls{
    {"newTimer", [](Fixture& r) { return static_cast<bool>(r.timers->newTimer(1h)); }},
    {"afterFunc", [](Fixture& r) { return static_cast<bool>(r.timers->afterFunc(1h, [] {})); }},
    {"afterFunc of a large function",
     [](Fixture& r) {
         return static_cast<bool>(
             r.timers->afterFunc(1h, [b = Ballast{}] { static_cast<void>(b); }));
     }},
    {"afterFunc of a std::function",
     [](Fixture& r) {
         const std::function<void()> large = [b = Ballast{}] { static_cast<void>(b); };
         return static_cast<bool>(r.timers->afterFunc(1h, large));
     }},
    {"after", [](Fixture& r) { return static_cast<bool>(r.timers->after(1h)); }},
    {"newTicker", [](Fixture& r) { return r.timers->newTicker(1h).C() != Channel(); }},
    {"tick", [](Fixture& r) { return static_cast<bool>(r.timers->tick(1h)); }},
    {"a scoped timer",
     [](Fixture& r) {
         const ScopedTimer scoped(r.timers->newTimer(1h));
         return true;
     }},
    {"stop", [](Fixture& r) { return r.timer.stop() && r.function.stop(); }},
    {"stopAndWait", [](Fixture& r) { return r.function.stopAndWait(); }},
    {"reset", [](Fixture& r) { return r.timer.reset(2h); }},
    {"reset of a function", [](Fixture& r) { return r.function.reset(2h); }},
    {"reset of a stopped timer", [](Fixture& r) { return !r.idle.reset(2h); }},
    {"reset of a stopped function", [](Fixture& r) { return !r.idleFunction.reset(2h); }},
    {"reset of a fired timer", [](Fixture& r) { return r.fired.reset(2h); }},
    {"reset of a ticker", [](Fixture& r) { return r.ticker.reset(2h), true; }},
    {"tryReceive", [](Fixture& r) { return r.channels[1].tryReceive().has_value(); }},
    {"tryReceive from a ticker", [](Fixture& r) { return r.ticker.C().tryReceive().has_value(); }},
    {"receiveFor", [](Fixture& r) { return r.channels[1].receiveFor(1).has_value(); }},
    {"receiveFor in vain", [](Fixture& r) { return !r.channels[0].receiveFor(0).has_value(); }},
    {"select", [](Fixture& r) { return jtimer::go::select(r.channels, 1).has_value(); }},
    {"an event", [](Fixture&) { return !Event().receiveFor(0); }},
    {"an event that is set", [](Fixture& r) { return r.isSet.receive(), r.isSet.isSet(); }},
    {"select of a timer and an event in vain",
     [](Fixture& r) {
         return !jtimer::go::select({r.event, r.channels[0]}, 0).has_value();
     }},
    {"select of a timer and an event",
     [](Fixture& r) {
         return jtimer::go::select({r.event, r.channels[1]}).index == 1;
     }},
    {"select of a timer and an event that is set",
     [](Fixture& r) {
         return jtimer::go::select({r.channels[1], r.isSet}).index == 1;
     }},
    {"makeChan", [](Fixture&) { return jtimer::go::makeChan<int>(1).cap() == 1; }},
    {"send", [](Fixture& r) { return r.empty.send(kText), r.empty.len() == 1; }},
    {"trySend",
     [](Fixture& r) {
         std::string text = kText;
         return r.empty.trySend(std::move(text)) && r.empty.len() == 1;
     }},
    {"trySend in vain",
     [](Fixture& r) {
         std::string text = kText;
         return !r.full.trySend(std::move(text)) && text == kText;
     }},
    {"receive from a chan", [](Fixture& r) { return r.filled.receive() == kText; }},
    {"receiveFor from a chan in vain", [](Fixture& r) { return !r.empty.receiveFor(0); }},
    {"a select that receives from one of several chans",
     [](Fixture& r) {
         std::optional<std::string> text;
         return jtimer::go::select({r.empty.receiveInto(text), r.filled.receiveInto(text)}).index ==
                    1 &&
                text == kText;
     }},
    {"a select that sends to one of several chans",
     [](Fixture& r) {
         std::string a = kText, b = kText;
         const bool chosen =
             jtimer::go::select({r.full.sendFrom(a), r.empty.sendFrom(b), r.channels[0]}).index ==
             1;
         return chosen && a == kText;
     }},
    {"a select of chans in vain",
     [](Fixture& r) {
         std::string sent = kText;
         std::optional<std::string> text;
         return !jtimer::go::select({r.full.sendFrom(sent), r.empty.receiveInto(text)}, 0) &&
                sent == kText;
     }},
    {"withCancel",
     [](Fixture& r) {
         const auto [context, cancel] = withCancel(jtimer::go::background(*r.timers));
         const auto [child, cancelChild] = withCancel(context);
         cancel();
         return static_cast<bool>(child.err());
     }},
    {"withTimeoutCause",
     [](Fixture& r) {
         return !withTimeoutCause(jtimer::go::background(*r.timers), 1h, kCause).context.err();
     }},
    {"withTimeoutCause in the past, of a child",
     [](Fixture& r) {
         const auto [context, cancel] = withCancel(jtimer::go::background(*r.timers));
         return withTimeoutCause(context, 0, kCause).context.cause() == kCause;
     }},
    {"sleep", [](Fixture& r) { return r.timers->sleep(0), true; }},
    {"what it tells",
     [](Fixture& r) {
         r.timers->check();
         return r.timers->stats().pending != 0 && r.timers->shards() != 0 &&
                !r.timers->name().empty();
     }},
    {"the constructor",
     [](Fixture& r) {
         const Timers another(longNamed(r.clock, 3));
         return true;
     },
     false},
    {"the constructor with onThreadStart",
     [](Fixture& r) {
         auto options = longNamed(r.clock, 1);
         bool called = false;
         options.onThreadStart = [b = Ballast{}, &called] {
             static_cast<void>(b);
             called = true;
         };
         const Timers another(std::move(options));
         return called;
     },
     false},
    {"the destructor", [](Fixture& r) { return r.timers.reset(), true; }, false},
};

}  // namespace

BOOST_AUTO_TEST_SUITE(go_each_allocation)

BOOST_AUTO_TEST_CASE(g31_a_call_that_any_of_its_allocations_fails_has_changed_nothing) {
    constexpr int least = 61;  // of a heap's entries
    for (others = 0; others < least; others = others == 0 ? least - 8 : others + 1)
        test::checkEachAllocation(kCalls);
}

BOOST_AUTO_TEST_CASE(a_call_that_any_of_its_readings_of_the_clock_fails_has_changed_nothing) {
    others = 0;
    test::checkEachReading(kCalls);
}

BOOST_AUTO_TEST_SUITE_END()

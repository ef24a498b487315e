// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
//
// Running out of memory: this program's operator new fails when a case says so. Its clock throws
// then.
// A program of its own, for it replaces operator new.
#include "support/counts.hpp"
#include "support/each_allocation.hpp"
#include "support/manual_timer.hpp"
#include "support/test.hpp"

#include <jtimer/tokio.hpp>

using jtimer::tokio::blockOn;
using jtimer::tokio::Completion;
using jtimer::tokio::DelayKey;
using jtimer::tokio::DelayQueue;
using jtimer::tokio::Interval;
using jtimer::tokio::select;
using jtimer::tokio::Sleep;
using jtimer::tokio::TimeDriver;
using jtimer::tokio::TimeDriverOptions;
using jtimer::tokio::Waker;
using namespace std::chrono_literals;

namespace {

using Ballast = std::array<char, 300>;

Waker largeWaker() {
    return [b = Ballast{}] { static_cast<void>(b); };
}

TimeDriverOptions longNamed(std::shared_ptr<jtimer::Clock> clock, bool polled) {
    TimeDriverOptions options;
    options.name = "a name too long to be kept inline";
    options.clock = std::move(clock);
    options.polled = polled;
    options.unpark = largeWaker();
    if (!polled) options.onThreadStart = largeWaker();
    options.uncaughtExceptionHandler = [b = Ballast{}](const std::string&, const auto&) {
        static_cast<void>(b);
    };
    return options;
}

/// A driver, with a thread or polled, and one of each of what it drives, waiting.
template <bool kPolled>
struct Fixture {
    const std::shared_ptr<test::FaultyClock> clock =
        std::make_shared<test::FaultyClock>(test::kStart);
    std::unique_ptr<TimeDriver> driver = std::make_unique<TimeDriver>(longNamed(clock, kPolled));
    Sleep sleep = driver->sleep(1h);
    Sleep unpolled = driver->sleep(1h);
    Sleep fired = driver->sleep(0);
    Interval interval = driver->interval(10);
    DelayQueue<std::string> queue{*driver};
    DelayQueue<std::string> emptyQueue{*driver};
    DelayKey key = queue.insert("a", 1h);
    Completion<std::string> completion;
    std::optional<jtimer::tokio::Timeout<Completion<std::string>>> limited;
    Waker waker = largeWaker();

    Fixture() {
        limited.emplace(jtimer::tokio::timeout(*driver, 1h, completion));
        sleep.poll(largeWaker());
        fired.poll();
        static_cast<void>(queue.pollExpired(largeWaker()));
        limited->poll(largeWaker());
    }

    static void settle() {}
    std::string state() {
        if (!kPolled) clock->waitUntilIdle();
        driver->check();
        queue.check();
        emptyQueue.check();
        return test::counts(driver->stats()) + ' ' + std::to_string(queue.len()) + ' ' +
               std::to_string(emptyQueue.len()) + (sleep.isElapsed() ? " elapsed" : "");
    }
    void inside(const std::function<void()>& f) {
        Sleep soon = driver->sleep(1);
        soon.poll([&f] { f(); });
        pass(1);
    }
    void goesOn() {
        if (driver == nullptr || driver->isShutdown()) return;
        bool woken = false;
        Sleep soon = driver->sleep(10);
        soon.poll([&woken] { woken = true; });
        pass(10);
        BOOST_TEST(woken);
    }
    void pass(int millis) {
        clock->advance(millis);
        if (kPolled) driver->turn();
    }
};

template <bool kPolled>
std::vector<test::Call<Fixture<kPolled>>> calls() {
    return {
        {"sleep", [](auto& r) { return !r.driver->sleep(10).isElapsed(); }},
        {"sleepUntil", [](auto& r) { return !r.driver->sleepUntil(test::at(10)).isElapsed(); }},
        {"interval", [](auto& r) { return r.driver->interval(10).period() == 10ms; }},
        {"poll", [](auto& r) { return !r.unpolled.poll(r.waker); }},
        {"poll again", [](auto& r) { return !r.sleep.poll(r.waker); }},
        {"reset to a later time", [](auto& r) { return r.sleep.reset(test::at(7'200'000)), true; }},
        {"reset to an earlier time",
         [](auto& r) { return r.sleep.reset(test::at(1'800'000)), true; }},
        {"resetAfter", [](auto& r) { return r.sleep.resetAfter(2h), true; }},
        {"wait for what has fired", [](auto& r) { return r.fired.wait(), true; }},
        {"pollTick", [](auto& r) { return r.interval.pollTick(r.waker).has_value(); }},
        {"tick", [](auto& r) { return r.interval.tick() >= test::kStart; }},
        {"insert",
         [](auto& r) { return r.queue.insert("a string too long to be kept inline", 10).id != 0; }},
        {"the first insert", [](auto& r) { return r.emptyQueue.insert("a", 10).id != 0; }},
        {"the first poll of a queue",
         [](auto& r) { return !r.emptyQueue.pollExpired(r.waker).has_value(); }},
        {"pollExpired", [](auto& r) { return !r.queue.pollExpired(r.waker).has_value(); }},
        {"reset of a key", [](auto& r) { return r.queue.reset(r.key, 2h), true; }},
        {"remove", [](auto& r) { return r.queue.remove(r.key).value == "a"; }},
        {"tryRemove", [](auto& r) { return r.queue.tryRemove(r.key).has_value(); }},
        {"peek", [](auto& r) { return r.queue.peek() == r.key; }},
        {"clear", [](auto& r) { return r.queue.clear(), true; }},
        {"a completion",
         [](auto& r) { return r.completion.set("a string too long to be kept inline"); }},
        {"timeout",
         [](auto& r) {
             auto timeout = jtimer::tokio::timeout(*r.driver, 10, Completion<int>());
             return timeout.poll(r.waker) == jtimer::tokio::TimeoutState::Pending;
         }},
        {"poll of a timeout",
         [](auto& r) { return r.limited->poll(r.waker) == jtimer::tokio::TimeoutState::Pending; }},
        {"poll of a selection",
         [](auto& r) {
             return !select(std::ref(r.emptyQueue), r.completion)(r.waker).has_value();
         }},
        {"poll of a notified",
         [](auto& r) {
             const jtimer::tokio::Notify notify(*r.driver);
             auto waits = notify.notified(), later = notify.notified();
             if (waits.poll(r.waker)) return false;
             notify.notifyOne();
             return waits.poll(r.waker) && !later.poll(r.waker);
         }},
        {"dropWaker",
         [](auto& r) {
             r.sleep.dropWaker();
             r.interval.dropWaker();
             r.emptyQueue.dropWaker();
             r.completion.dropWaker();
             return true;
         }},
        {"a wait of a coroutine",
         [](auto& r) {
             Completion<int> waitsFor;
             jtimer::tokio::detail::MarkedWait wait(jtimer::tokio::detail::driverOf(*r.driver));
             waitsFor(wait.waker());
             return wait.begin([](void*) {}, nullptr, true);
         }},
        {"nextWake", [](auto& r) { return r.driver->nextWake().has_value(); }},
        {"what it tells", [](auto& r) { return r.driver->stats().pending == r.driver->size(); }},
        {"turn", [](auto& r) { return kPolled ? r.driver->turn() == 0 : true; }, false},
        {"shutdown", [](auto& r) { return r.driver->shutdown(), true; }},
        {"the constructor",
         [](auto& r) {
             const TimeDriver another(longNamed(r.clock, kPolled));
             return true;
         },
         false},
        {"the destructor", [](auto& r) { return r.driver.reset(), true; }, false},
    };
}

}  // namespace

BOOST_AUTO_TEST_SUITE(tokio_each_allocation)

BOOST_AUTO_TEST_CASE(a_call_that_any_of_its_allocations_fails_has_changed_nothing) {
    test::checkEachAllocation(calls<false>());
    test::checkEachAllocation(calls<true>());
}

BOOST_AUTO_TEST_CASE(a_call_that_any_of_its_readings_of_the_clock_fails_has_changed_nothing) {
    const auto check = [](auto calls) {
        // These may fire the Sleep first: see below.
        calls.erase(std::remove_if(calls.begin(), calls.end(),
                                   [](const auto& call) {
                                       const std::string name = call.name;
                                       return name == "tick" || name == "pollTick";
                                   }),
                    calls.end());
        test::checkEachReading(calls);
    };
    check(calls<false>());
    check(calls<true>());
}

BOOST_AUTO_TEST_CASE(a_tick_whose_second_reading_of_the_clock_fails_can_still_be_taken) {
    for (const bool blocks : {false, true}) {
        Fixture<true> fixture;
        {
            const test::ReadingsLeft left(1);
            BOOST_CHECK_THROW(blocks ? fixture.interval.tick()
                                     : fixture.interval.pollTick().value(),
                              test::NoTime);
        }
        BOOST_TEST((fixture.interval.pollTick() == test::kStart));
        BOOST_TEST(!fixture.interval.pollTick());
        fixture.pass(10);
        BOOST_TEST((fixture.interval.pollTick() == test::at(10)));
    }
}

BOOST_AUTO_TEST_CASE(a21_a_blockOn_of_which_any_allocation_fails_leaves_nothing) {
    // Ready at the second poll, which has a waker: so one call waits, but for no other thread.
    const auto second = [](const Waker& waker) { return waker != nullptr; };
    Fixture<true> fixture;
    const std::size_t size = fixture.driver->size();
    long failures = 0;
    for (bool isOver = false; !isOver; ++failures) {
        const test::AllocationsLeft left(failures);
        try {
            isOver = blockOn(*fixture.driver, select(fixture.completion, second)).index() == 1;
        } catch (const std::bad_alloc&) {
        }
    }
    BOOST_TEST(failures > 3);
    BOOST_TEST(fixture.driver->size() == size);
    BOOST_TEST(fixture.completion.set("a"));
    BOOST_TEST(blockOn(*fixture.driver, fixture.completion) == "a");
}

BOOST_AUTO_TEST_SUITE_END()

// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "support/abilities.hpp"
#include "support/counter.hpp"
#include "support/forked_child.hpp"
#include "support/gate.hpp"
#include "support/manual_timers.hpp"
#include "support/race.hpp"
#include "support/test.hpp"

using jtimer::go::Channel;
using jtimer::go::Ticker;
using jtimer::go::Timer;
using jtimer::go::Timers;
using test::millis;

namespace {

const std::string kDestroyed = "time: Timers destroyed";

/// The text of the TimersDestroyed that `function` throws; "" if it throws nothing.
template <class Function>
std::string endError(const Function& function) {
    try {
        function();
    } catch (const jtimer::go::TimersDestroyed& e) {
        return e.what();
    }
    return {};
}

std::unique_ptr<Timers> onClock(const std::shared_ptr<jtimer::ManualClock>& clock) {
    return std::make_unique<Timers>(test::goOnClock(clock));
}

}  // namespace

BOOST_FIXTURE_TEST_SUITE(go_lifetime, test::ManualTimers)

BOOST_AUTO_TEST_CASE(g33_a_timer_lives_as_long_as_its_handle_or_a_channel) {
    Channel c = timers.newTimer(10).C();
    Channel copy = c;
    c = Channel();
    clock->advance(10);
    BOOST_TEST(millis(copy.tryReceive()) == 10);
    Timer timer = timers.newTimer(10);
    static_cast<void>(timer.C());
    clock->advance(10);
    BOOST_TEST(millis(timer.C().tryReceive()) == 20);
}

BOOST_AUTO_TEST_CASE(g33_a_timer_leaves_its_heap_with_its_last_handle_or_channel) {
    {
        const Channel c = timers.after(10);
        const Ticker ticker = timers.newTicker(10);
        const Timer timer = timers.newTimer(10);
        const Channel copy = timer.C();
        BOOST_TEST(timers.stats().pending == 3U);
    }
    BOOST_TEST(timers.stats().pending == 0U);
    static_cast<void>(timers.newTimer(10));
    static_cast<void>(timers.after(10));
    BOOST_TEST(timers.stats().pending == 0U);
}

BOOST_AUTO_TEST_CASE(g33_a_timer_may_be_destroyed_while_it_fires) {
    test::StartingLine line(2);
    constexpr int rounds = 3000;
    Timers real{jtimer::go::TimersOptions()};
    boost::thread_group threads;
    for (int t = 0; t < 2; ++t) {
        threads.create_thread([&] {
            for (int i = 0; i < rounds; ++i) {
                Timer timer = real.newTimer(std::chrono::microseconds(i % 50));
                const Channel c = real.after(std::chrono::microseconds(i % 30));
                if (i % 3 == 0) c.tryReceive();
            }
        });
    }
    threads.join_all();
    real.check();
    BOOST_TEST(real.stats().pending == 0U);
}

BOOST_AUTO_TEST_CASE(g34_what_is_pending_never_fires_and_its_functions_are_destroyed) {
    const auto owned = std::make_shared<int>();
    auto other = onClock(clock);
    Timer timer = other->afterFunc(10, [this, owned] { write("f"); });
    other->afterFunc(20, [this, owned] { write("g"); });
    BOOST_TEST(owned.use_count() == 3);
    other.reset();
    BOOST_TEST(owned.use_count() == 1);
    clock->advance(100);
    BOOST_TEST(take() == "");
}

BOOST_AUTO_TEST_CASE(g34_waiters_and_sleepers_are_told_of_the_end) {
    auto other = onClock(clock);
    Timer timer = other->newTimer(1000);
    Timer stopped = other->newTimer(1000);
    stopped.stop();
    Timer mine = timers.newTimer(1000);
    const std::vector<std::function<void()>> calls{[&] { timer.C().receive(); },
                                                   [&] { timer.C().receiveFor(500); },
                                                   [&] { stopped.C().receive(); },
                                                   [&] {
                                                       jtimer::go::select({mine.C(), timer.C()});
                                                   },
                                                   [&] { jtimer::go::select({timer.C()}, 500); },
                                                   [&] { other->sleep(500); }};
    std::atomic<int> told{0};
    // On threads of this runtime, the other one's clock.
    for (const auto& call : calls) {
        inFunctionThread([&] { told += endError(call) == kDestroyed ? 1 : 0; });
    }
    BOOST_TEST(told == 0);
    other.reset();
    clock->waitUntilIdle();
    BOOST_TEST(told == static_cast<int>(calls.size()));
    BOOST_TEST(timers.stats().pending == 1U);
}

BOOST_AUTO_TEST_CASE(
    g34_a_loop_that_receives_ticks_ends_with_its_timers_by_an_exception_of_its_own) {
    auto other = onClock(clock);
    const Ticker ticker = other->newTicker(10);
    test::Counter ticks;
    std::string end;
    boost::thread loop([&] {
        end = endError([&] {
            for (;; ticks.up()) ticker.C().receive();
        });
    });
    clock->advance(10);
    BOOST_TEST(ticks.reaches(1));
    other.reset();
    loop.join();
    BOOST_TEST(ticks.get() == 1);
    BOOST_TEST(end == kDestroyed);
    static_assert(std::is_base_of_v<jtimer::IllegalStateException, jtimer::go::TimersDestroyed>);
}

BOOST_AUTO_TEST_CASE(g34_the_destructor_waits_for_functions_that_run) {
    test::Gate begun;
    test::Gate goOn;
    bool ended = false;
    auto other = std::make_unique<Timers>();
    other->afterFunc(0, [&] {
        begun.open();
        goOn.wait();
        ended = true;
    });
    begun.wait();
    boost::thread opener([&] { goOn.open(); });
    other.reset();
    BOOST_TEST(ended);
    opener.join();
}

BOOST_AUTO_TEST_CASE(g34_a_function_may_destroy_its_own_runtime) {
    const auto owned = std::make_shared<int>();
    auto other = onClock(clock);
    std::string error = "none";
    Timer timer;
    timer = other->afterFunc(10, [&, owned] {
        timer.reset(10);
        other.reset();
        error = endError([&] { timer.reset(10); });
    });
    clock->advance(10);
    clock->waitUntilIdle();
    BOOST_TEST(error == kDestroyed);
    BOOST_TEST(owned.use_count() == 1);  // destroyed after its run
    clock->advance(100);
}

BOOST_AUTO_TEST_CASE(g34_a_function_on_the_poller_may_destroy_its_own_runtime) {
    auto other = std::make_unique<Timers>(test::goInline(clock));
    other->afterFunc(10, [&] {
        other.reset();
        write("f");
    });
    other->afterFunc(10, entry("g"));
    clock->advance(100);
    BOOST_TEST(take() == "f@10");
}

BOOST_AUTO_TEST_CASE(g34_a_destructor_of_a_function_may_use_its_timers) {
    auto other = onClock(clock);
    Timer another = other->newTimer(10);
    bool stopped = true;
    struct Stops {
        Stops(Timer& t, bool& answer) : timer(&t), result(&answer) {}
        Stops(Stops&& from) noexcept
            : timer(std::exchange(from.timer, nullptr)), result(from.result) {}
        ~Stops() {
            if (timer != nullptr) *result = timer->stop();
        }
        void operator()() const {}
        Timer* timer;
        bool* result;
    };
    other->afterFunc(10, Stops(another, stopped));
    other.reset();
    BOOST_TEST(!stopped);
}

BOOST_AUTO_TEST_CASE(g34_a_forked_child_can_destroy_its_parents_timers) {
    test::needFork();
    auto other = onClock(clock);
    other->afterFunc(1000000, [] {});
    // A sanitizer's allocator stays locked in the child if a thread is just allocating.
    clock->waitUntilIdle();
    const int exitCode = test::inForkedChild([&] {
        other.reset();
        return 7;
    });
    BOOST_TEST(exitCode == 7);
}

BOOST_AUTO_TEST_CASE(g35_after_the_end_handles_and_channels_say_that_the_timers_are_destroyed) {
    auto other = onClock(clock);
    Timer running = other->newTimer(1000);
    Timer unread = other->newTimer(10);
    Timer function = other->afterFunc(1000, [] {});
    Ticker ticker = other->newTicker(10);
    clock->advance(10);
    const std::vector<Channel> channels{running.C(), unread.C(), ticker.C()};
    other.reset();
    for (Timer* const timer : {&running, &unread, &function}) {
        BOOST_TEST(!timer->stop());
        BOOST_TEST(endError([&] { timer->reset(10); }) == kDestroyed);
    }
    ticker.stop();
    BOOST_TEST(endError([&] { ticker.reset(10); }) == kDestroyed);
    for (const Channel& c : channels) {
        BOOST_TEST(!c.tryReceive());
        BOOST_TEST(!c.receiveFor(0));
        BOOST_TEST(!jtimer::go::select({c}, 0));
        BOOST_TEST(endError([&] { c.receive(); }) == kDestroyed);
        BOOST_TEST(endError([&] { c.receiveFor(10); }) == kDestroyed);
        BOOST_TEST(endError([&] { jtimer::go::select({c}); }) == kDestroyed);
        BOOST_TEST(endError([&] { jtimer::go::select({c}, 10); }) == kDestroyed);
    }
}

BOOST_AUTO_TEST_CASE(g35_what_has_begun_to_receive_a_tick_when_the_runtime_ends_finds_nothing) {
    // To receive a tick reads the clock twice: whether it is due, and for when the next one is. At
    // the second reading the runtime ends. For the poller the time stands still.
    struct EndingClock final : jtimer::WallClock {
        std::int64_t nanos() const override {
            if (boost::this_thread::get_id() != receiver) return 0;
            if (readingsLeft-- == 1) timers.reset();
            return hours * std::int64_t{3600'000'000'000};
        }
        const boost::thread::id receiver = boost::this_thread::get_id();
        mutable int readingsLeft = 0;
        mutable std::unique_ptr<Timers> timers;
        int hours = 0;
    };
    const auto receive = [](int readings, const auto& call) {
        const auto ending = std::make_shared<EndingClock>();
        ending->timers = std::make_unique<Timers>(test::goOnClock(ending));
        const Ticker ticker = ending->timers->newTicker(std::chrono::hours(1));
        ending->hours = 1;
        ending->readingsLeft = readings;
        call(ticker.C());
        BOOST_TEST(!ending->timers);
    };
    receive(2, [](const Channel& c) { BOOST_TEST(!c.tryReceive()); });
    receive(2, [](const Channel& c) { BOOST_TEST(endError([&] { c.receive(); }) == kDestroyed); });
    receive(3, [](const Channel& c) { BOOST_TEST(!c.receiveFor(0)); });  // reads it once more
    receive(2, [this](const Channel& c) {
        const auto selected = jtimer::go::select({timers.newTimer(0).C(), c}, 0);
        BOOST_REQUIRE(selected.has_value());
        BOOST_TEST(selected->index == 0U);
    });
}

BOOST_AUTO_TEST_CASE(an_empty_name_is_the_default) {
    jtimer::go::TimersOptions options;
    options.name = "";
    BOOST_TEST(Timers(options).name() == "timerproc");
}

BOOST_AUTO_TEST_CASE(a_runtime_tells_its_clock) {
    jtimer::go::TimersOptions options;
    BOOST_TEST((dynamic_cast<jtimer::SteadyClock*>(Timers(options).clock().get()) != nullptr));
    options.clock = std::make_shared<jtimer::ManualClock>();
    BOOST_TEST(Timers(options).clock() == options.clock);
}

BOOST_AUTO_TEST_CASE(a_call_that_finds_its_timers_destroyed_sees_what_was_written_before) {
    auto doomed = onClock(clock);
    const Channel channel = doomed->after(10);
    int written = 0;
    std::atomic<bool> isOver = false;  // relaxed, so that the order is the library's
    boost::thread reader([&] {
        while (!isOver.load(std::memory_order_relaxed)) boost::this_thread::yield();
        BOOST_TEST(endError([&] { channel.receive(); }) == kDestroyed);
        BOOST_TEST(written == 1);
    });
    written = 1;
    doomed.reset();
    isOver.store(true, std::memory_order_relaxed);
    reader.join();
}

BOOST_AUTO_TEST_CASE(g36_the_default_timers_are_made_once_and_tell_the_time_of_a_steady_clock) {
    Timers& first = jtimer::go::defaultTimers();
    BOOST_TEST(&first == &jtimer::go::defaultTimers());
    BOOST_TEST(first.name() == "timerproc");
    const auto now = jtimer::go::now();
    BOOST_TEST((now <= first.now()));
}

BOOST_AUTO_TEST_CASE(g36_the_functions_of_the_package_use_the_default_timers) {
    test::Counter ran;
    Timer timer = jtimer::go::newTimer(std::chrono::microseconds(1));
    jtimer::go::afterFunc(0, [&ran] { ran.up(); });
    Ticker ticker = jtimer::go::newTicker(1);
    const Channel after = jtimer::go::after(0);
    const Channel ticks = jtimer::go::tick(1);
    const Timer farTimer = jtimer::go::newTimer(std::chrono::hours(1));
    const Ticker farTicker = jtimer::go::newTicker(std::chrono::hours(1));
    BOOST_TEST(jtimer::go::defaultTimers().stats().pending >= 2U);
    jtimer::go::sleep(1);
    BOOST_TEST((timer.C().receive() <= jtimer::go::now()));
    BOOST_TEST((after.receive() <= jtimer::go::now()));
    BOOST_TEST((ticker.C().receive() <= jtimer::go::now()));
    BOOST_TEST((ticks.receive() <= jtimer::go::now()));
    BOOST_TEST(ran.reaches(1));
}

BOOST_AUTO_TEST_SUITE_END()

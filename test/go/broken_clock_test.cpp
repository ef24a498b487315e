// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
//
// A user's clock that throws, and starts that the poller has popped in vain.
#include "go/channel_cell.hpp"
#include "go/function_cell.hpp"
#include "go/runtime.hpp"
#include "support/counter.hpp"
#include "support/manual_timers.hpp"
#include "support/test.hpp"
#include "support/throws.hpp"

using jtimer::IllegalStateException;
using jtimer::go::Timer;
using jtimer::go::Timers;
using namespace std::chrono_literals;

namespace {

/// Whether the clock throws on this thread; and whether it does not when it is broken.
thread_local bool isBrokenHere = false;
thread_local bool isSpared = false;

class BrokenClock final : public jtimer::WallClock {
  public:
    std::atomic<bool> isBroken{false};

    std::int64_t nanos() const override {
        if (isBrokenHere || (isBroken && !isSpared)) throw std::runtime_error("no time");
        return WallClock::nanos();
    }
};

struct Broken {
    const std::shared_ptr<BrokenClock> clock = std::make_shared<BrokenClock>();
    test::Counter reported;

    jtimer::go::TimersOptions options() {
        auto options = test::goOnClock(clock);
        options.uncaughtExceptionHandler = [this](const std::string& name,
                                                  const std::exception_ptr& exception) {
            BOOST_TEST(name == "test");
            CHECK_THROWS(std::rethrow_exception(exception), std::runtime_error, "no time");
            reported.up();
        };
        return options;
    }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(go_broken_clock, Broken)

BOOST_AUTO_TEST_CASE(a_call_for_which_the_clock_throws_has_changed_nothing) {
    Timers timers(options());
    Timer timer = timers.newTimer(1h);
    Timer function = timers.afterFunc(1h, [] {});
    timers.afterFunc(0, [] {}).stop();
    isBrokenHere = true;
    CHECK_THROWS(timers.newTimer(1h), std::runtime_error, "no time");
    CHECK_THROWS(timers.afterFunc(1h, [] {}), std::runtime_error, "no time");
    CHECK_THROWS(timers.newTicker(1h), std::runtime_error, "no time");
    CHECK_THROWS(timer.reset(2h), std::runtime_error, "no time");
    CHECK_THROWS(function.reset(2h), std::runtime_error, "no time");
    CHECK_THROWS(timer.C().receiveFor(1ms), std::runtime_error, "no time");
    CHECK_THROWS(timers.sleep(1ms), std::runtime_error, "no time");
    isBrokenHere = false;
    BOOST_TEST(timer.stop());
    BOOST_TEST(function.stop());
}

BOOST_AUTO_TEST_CASE(a_clock_that_throws_on_the_poller_ends_the_timers_and_is_reported_once) {
    Timers timers(options());
    Timer far = timers.newTimer(1h);
    std::string text;
    boost::thread blocked([&] {
        isSpared = true;
        text = test::stateError([&] { far.C().receive(); });
    });
    clock->isBroken = true;
    isSpared = true;
    try {
        static_cast<void>(timers.newTimer(1ms));  // has the poller read the clock
    } catch (const IllegalStateException&) {      // which it has done already
    }
    isSpared = false;
    BOOST_TEST(reported.reaches(1));
    blocked.join();
    BOOST_TEST(text == "time: Timers destroyed");
    BOOST_TEST(!far.stop());
    CHECK_THROWS(timers.newTimer(0), IllegalStateException, "time: Timers destroyed");
    BOOST_TEST(reported.get() == 1);
}

BOOST_AUTO_TEST_SUITE_END()

// 1 to 3 of "One place decides" in go/cell.hpp.

namespace {

using namespace jtimer::go::detail;

/// What happens to a start between the moments when the poller pops it and fires it.
enum class Then { Stopped, Reset, Ended };

/// A runtime from which the case pops, as the poller does.
struct Popping {
    const std::shared_ptr<jtimer::ManualClock> clock =
        std::make_shared<jtimer::ManualClock>(test::kStart);
    std::shared_ptr<Runtime> runtime = started(clock);
    Shard& shard = runtime->shardOfThisThread();
    const Nanos due = clock->nanos() + 1'000'000;

    static std::shared_ptr<Runtime> started(const std::shared_ptr<jtimer::ManualClock>& clock) {
        auto runtime = std::make_shared<Runtime>(
            Runtime::Settings::of("Timers", "test", {}, clock, nullptr),
            [](const std::function<void()>& function) { function(); }, 1);
        runtime->start();
        clock->waitUntilIdle();
        return runtime;
    }

    template <class AnyCell>
    void fireAfter(Then then, AnyCell& cell) {
        cell.startFirst(due);
        clock->waitUntilIdle();
        Shard::Popped popped = shard.pop(due);
        BOOST_REQUIRE(popped.item.detach() == &cell);
        if (then == Then::Ended) {
            runtime->close();
        } else {
            BOOST_TEST((then == Then::Reset ? cell.reset(2'000'000, 0) : cell.stop()));
        }
        cell.fire(popped.start);
    }

    /// Nothing refers to a cell any more, which would keep the runtime.
    bool endsWithNothingLeft() {
        if (!runtime->isOver()) runtime->close();
        const std::weak_ptr<Runtime> left = runtime;
        runtime.reset();
        return left.expired();
    }
};

}  // namespace

BOOST_AUTO_TEST_CASE(a_start_that_was_popped_and_then_stopped_or_reset_does_not_fire) {
    for (const Then then : {Then::Stopped, Then::Reset, Then::Ended}) {
        Popping from;
        int runs = 0;
        const auto captured = std::make_shared<int>();
        auto function = [&runs, captured] { ++runs; };
        using Function = decltype(function);
        const auto make = [&](void* storage) { ::new (storage) Function(function); };
        FunctionCell& cell = FunctionCell::create(
            from.shard,
            jtimer::detail::FunctionMaker(jtimer::detail::functionType<Function>, make));
        BOOST_TEST(captured.use_count() == 3);  // here, in `function` and in the cell
        from.fireAfter(then, cell);             // gives back the reference that the heap had
        BOOST_TEST(runs == 0);
        // The end of a runtime destroys what is pending, although the handle is still there.
        BOOST_TEST(captured.use_count() == (then == Then::Ended ? 2 : 3));
        from.clock->advance(2);
        BOOST_TEST(runs == (then == Then::Reset ? 1 : 0));
        cell.dropHandle();
        BOOST_TEST(from.endsWithNothingLeft());
    }
}

BOOST_AUTO_TEST_CASE(a_channels_start_that_was_popped_and_then_stopped_or_reset_does_not_fire) {
    for (const Then then : {Then::Stopped, Then::Reset, Then::Ended}) {
        Popping from;
        ChannelCell& cell = ChannelCell::create(from.shard, 0, true);
        from.fireAfter(then, cell);
        cell.release();  // what pop() has retained
        BOOST_TEST(!cell.tryReceive().has_value());
        from.clock->advance(2);
        BOOST_TEST(cell.tryReceive().has_value() == (then == Then::Reset));
        cell.dropHandle();
        BOOST_TEST(from.endsWithNothingLeft());
    }
}

// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
//
// Destructors of what functions captured call their runtime, whatever destroys them.
#include "support/destructor_table.hpp"
#include "support/manual_timers.hpp"
#include "support/test.hpp"

#include <jtimer/go.hpp>

#include <pthread.h>

using jtimer::go::Channel;
using jtimer::go::Event;
using jtimer::go::Timer;
using jtimer::go::Timers;
using jtimer::go::TimersOptions;
using test::Calls;
using test::Captured;
using test::ended;
using test::gone;
using test::live;
using test::okOr;
using test::runsNothing;
using test::yesOrNo;
using namespace std::chrono_literals;

namespace {

struct Fixture : test::DestructorFixture<Timers> {
    using Options = std::function<void(TimersOptions&)>;

    Timer other, channel;
    jtimer::go::CancellableContext context;

    explicit Fixture(const Options& set)
        : DestructorFixture([&](const auto& onClock) {
              TimersOptions options = test::goOnClock(onClock);
              options.uncaughtExceptionHandler = [](const std::string&, const std::exception_ptr&) {
              };
              if (set) set(options);
              return std::make_unique<Timers>(options);
          }) {
        other = timer->afterFunc(1h, othersTask());
        channel = timer->newTimer(0);
        context = withCancel(background(*timer));
        clock->waitUntilIdle();
    }

    void advance() const { clock->advance(10); }

    std::string end() {
        if (owned) clock->advance(2h);
        owned.reset();
        other = {};
        awaitFreed();
        return runs();
    }
};

using Column = test::FromDestructor<Fixture>;

const std::vector<Column> kCalls = {
    {"afterFunc", [](Fixture& r) { return okOr([&] { r.timer->afterFunc(1, r.newTask()); }); },
     "ok+*", "state"},
    {"newTimer", [](Fixture& r) { return okOr([&] { static_cast<void>(r.timer->newTimer(1)); }); },
     "ok+", "state"},
    {"newTicker",
     [](Fixture& r) { return okOr([&] { static_cast<void>(r.timer->newTicker(1)); }); }, "ok+",
     "state"},
    {"sleep", [](Fixture& r) { return okOr([&] { r.timer->sleep(0); }); }, "ok+", "ok"},
    {"stats", [](Fixture& r) { return std::to_string(r.timer->stats().pending); }, "1+", "0"},
    {"check", [](Fixture& r) { return okOr([&] { r.timer->check(); }); }, "ok+", "ok"},
    {"other.stop", [](Fixture& r) { return yesOrNo(r.other.stop()); }, "yes", "no",
     Calls::TaskHandle},
    {"other.stopAndWait", [](Fixture& r) { return yesOrNo(r.other.stopAndWait()); }, "yes", "no",
     Calls::TaskHandleAndMayWait},
    {"other.reset", [](Fixture& r) { return okOr([&] { r.other.reset(1ms); }); }, "ok+", "state",
     Calls::TaskHandle},
    {"~Timer", [](Fixture& r) { return okOr([&] { r.other = {}; }); }, "ok+", "ok",
     Calls::TaskHandle},
    {"tryReceive", [](Fixture& r) { return yesOrNo(r.channel.C().tryReceive().has_value()); },
     "yes+", "no", Calls::TaskHandle},
    {"receive", [](Fixture& r) { return okOr([&] { r.channel.C().receive(); }); }, "ok+", "state",
     Calls::TaskHandle},
    {"select",
     [](Fixture& r) {
         const Event event;
         event.set();
         return okOr([&] { jtimer::go::select({r.channel.C(), event}); });
     },
     "ok+", "ok", Calls::TaskHandle},
    {"withTimeout",
     [](Fixture& r) {
         return okOr([&] {
             const auto child = withTimeout(r.context.context, 0);
             r.context.cancel();
             if (!child.context.err()) throw std::logic_error("not done");
         });
     },
     "ok+", "ok", Calls::TaskHandle},
    {"~Timers", [](Fixture& r) { return okOr([&] { r.owned.reset(); }); }, "ok", "ok",
     Calls::TimerAndMayWait},
};

Timer start(Fixture& fixture, Captured captured) {
    return fixture.timer->afterFunc(10, [captured = std::move(captured)] {});
}

}  // namespace

BOOST_AUTO_TEST_CASE(destructors_of_functions_may_call_their_runtime) {
    const auto inlineExecutor = [](TimersOptions& options) {
        options.executor = [](const std::function<void()>& function) { function(); };
    };
    test::checkDestructors<Fixture>(
        kCalls,
        {
            {"after a run",
             [](Fixture& r, Captured c) {
                 start(r, std::move(c));
                 r.advance();
             }},
            {"after a run on the thread that fires",
             [](Fixture& r, Captured c) {
                 start(r, std::move(c));
                 r.advance();
             },
             live(), inlineExecutor},
            {"after a run that throws",
             [](Fixture& r, Captured c) {
                 r.timer->afterFunc(10, [c = std::move(c)] { throw std::runtime_error("run"); });
                 r.advance();
             }},
            test::byThreadExit<Fixture>({"after a run that ends its thread",
                                         [](Fixture& r, Captured c) {
                                             r.timer->afterFunc(10, [c = std::move(c)] {
                                                 ::pthread_exit(nullptr);
                                             });
                                             r.advance();
                                         }}),
            {"the end of a handle after a run",
             [](Fixture& r, Captured c) {
                 Timer timer = start(r, std::move(c));
                 r.advance();
             }},
            {"the end of a handle after stop",
             [](Fixture& r, Captured c) { start(r, std::move(c)).stop(); }},
            {"the end of a handle after stopAndWait",
             [](Fixture& r, Captured c) { start(r, std::move(c)).stopAndWait(); }},
            {"the end of a handle after reset and stop",
             [](Fixture& r, Captured c) {
                 Timer timer = start(r, std::move(c));
                 timer.reset(1);
                 timer.stop();
             }},
            {"~Timers",
             [](Fixture& r, Captured c) {
                 start(r, std::move(c));
                 r.owned.reset();
             },
             ended()},
            {"~Timers, with a handle",
             [](Fixture& r, Captured c) {
                 const Timer timer = start(r, std::move(c));
                 r.owned.reset();
             },
             ended()},
            {"~Timers in a run",
             [](Fixture& r, Captured c) {
                 start(r, std::move(c));
                 r.timer->afterFunc(5, [&r] { r.destroy(); });
                 r.advance();
             },
             ended()},
            {"a run, after ~Timers on its thread",
             [](Fixture& r, Captured c) {
                 r.timer->afterFunc(5, [&r, c = std::move(c)]() mutable {
                     const Captured last = std::move(c);
                     r.destroy();
                 });
                 r.advance();
             },
             gone()},
            {"an executor that throws",
             [](Fixture& r, Captured c) {
                 start(r, std::move(c));
                 r.advance();
             },
             runsNothing(),
             [](TimersOptions& options) {
                 options.executor = [](const std::function<void()>&) { throw 1; };
             }},
        });
}

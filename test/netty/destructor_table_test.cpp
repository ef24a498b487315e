// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
//
// Destructors of what tasks captured call their timer, whatever destroys them.
#include "support/destructor_table.hpp"
#include "support/manual_wheel.hpp"
#include "support/test.hpp"

#include <jtimer/netty/hashed_wheel_timer.hpp>

#include <pthread.h>

using jtimer::netty::HashedWheelTimer;
using jtimer::netty::HashedWheelTimerOptions;
using test::Calls;
using test::Captured;
using test::ended;
using test::gone;
using test::Handle;
using test::live;
using test::okOr;
using test::runsNothing;
using test::yesOrNo;
using namespace std::chrono_literals;

namespace {

struct Fixture : test::DestructorFixture<HashedWheelTimer> {
    using Options = std::function<void(HashedWheelTimerOptions&)>;

    Handle other;
    Handle kept;  ///< if the row keeps its handle

    explicit Fixture(const Options& set)
        : DestructorFixture([&](const auto& onClock) {
              HashedWheelTimerOptions options = test::wheelOn(onClock);
              options.uncaughtExceptionHandler = [](const std::string&, const std::exception_ptr&) {
              };
              if (set) set(options);
              return std::make_unique<HashedWheelTimer>(options);
          }) {
        other = timer->newTimeout(othersTask(), 9600ms);
    }

    /// To the end of the tick.
    void advance() const { clock->advance(100); }

    std::string end() {
        if (owned) clock->advance(20s);
        owned.reset();
        other.reset();
        awaitFreed();
        return runs();
    }
};

using Column = test::FromDestructor<Fixture>;

const std::vector<Column> kCalls = {
    {"newTimeout", [](Fixture& r) { return okOr([&] { r.timer->newTimeout(r.newTask(), 0); }); },
     "ok+*", "state"},
    {"start", [](Fixture& r) { return okOr([&] { r.timer->start(); }); }, "ok+", "state"},
    {"stop",
     [](Fixture& r) {
         std::size_t stopped = 0;
         const std::string answer = okOr([&] { stopped = r.timer->stop().size(); });
         return answer == "ok" ? std::to_string(stopped) : answer;
     },
     "state+", "state", Calls::TimerAndMayWait},
    {"pendingTimeouts", [](Fixture& r) { return std::to_string(r.timer->pendingTimeouts()); }, "1+",
     "0"},
    {"stats", [](Fixture& r) { return std::to_string(r.timer->stats().pending); }, "1+", "0"},
    {"other.cancel", [](Fixture& r) { return yesOrNo(r.other->cancel()); }, "yes", "no",
     Calls::TaskHandle},
    {"other.cancelAndWait", [](Fixture& r) { return yesOrNo(r.other->cancelAndWait()); }, "yes",
     "no", Calls::TaskHandleAndMayWait},
    {"other.timer", [](Fixture& r) { return yesOrNo(r.other->timer() == r.timer); }, "yes+", "yes",
     Calls::TaskHandle},
    {"~HashedWheelTimer", [](Fixture& r) { return okOr([&] { r.owned.reset(); }); }, "ok", "ok",
     Calls::TimerAndMayWait},
};

Handle add(Fixture& fixture, Captured captured) {
    return fixture.timer->newTimeout([captured = std::move(captured)] {}, 0);
}

/// A task that is not part of its timeout.
std::shared_ptr<test::WheelTask> task(Captured captured) {
    return std::make_shared<test::WheelTask>([captured = std::move(captured)](const Handle&) {});
}

}  // namespace

BOOST_AUTO_TEST_CASE(destructors_of_tasks_may_call_their_timer) {
    test::checkDestructors<Fixture>(
        kCalls,
        {
            {"after a run",
             [](Fixture& r, Captured c) {
                 add(r, std::move(c));
                 r.advance();
             }},
            {"after the run of a TimerTask",
             [](Fixture& r, Captured c) {
                 r.timer->newTimeout(task(std::move(c)), 0);
                 r.advance();
             }},
            {"after a run that throws",
             [](Fixture& r, Captured c) {
                 r.timer->newTimeout([c = std::move(c)] { throw std::runtime_error("run"); }, 0);
                 r.advance();
             }},
            {"the end of a handle that was kept",
             [](Fixture& r, Captured c) {
                 r.kept = add(r, std::move(c));
                 r.advance();
                 r.kept.reset();
             },
             live({{"stop", "1"}})},
            {"after the call of cancelled()",
             [](Fixture& r, Captured c) {
                 add(r, std::move(c))->cancel();
                 r.advance();
             }},
            {"cancelAndWait",
             [](Fixture& r, Captured c) {
                 add(r, std::move(c))->cancelAndWait();
                 r.advance();
             }},
            {"stop, whose result is dropped",
             [](Fixture& r, Captured c) {
                 add(r, std::move(c));
                 r.timer->stop().clear();
             },
             ended({{"stop", "0"}})},
            {"stop, of what was cancelled before",
             [](Fixture& r, Captured c) {
                 add(r, std::move(c))->cancel();
                 r.timer->stop();
             },
             ended({{"pendingTimeouts", "1"},
                    {"stats", "1"},
                    {"other.cancel", "yes"},
                    {"other.cancelAndWait", "yes"}})},
            {"~HashedWheelTimer",
             [](Fixture& r, Captured c) {
                 add(r, std::move(c));
                 r.owned.reset();
             },
             ended()},
            {"after a run that destroys the timer",
             [](Fixture& r, Captured c) {
                 r.timer->newTimeout([&r, c = std::move(c)] { r.destroy(); }, 0);
                 r.advance();
             },
             gone(
                 {{"other.cancel", "yes"}, {"other.cancelAndWait", "yes"}, {"other.timer", "no"}})},
            {"~HashedWheelTimer in another task's run",
             [](Fixture& r, Captured c) {
                 r.timer->newTimeout([&r] { r.destroy(); }, 0);
                 add(r, std::move(c));
                 r.advance();
             },
             gone({{"other.timer", "no"}})},
            test::byThreadExit<Fixture>({"another task's pthread_exit",
                                         [](Fixture& r, Captured c) {
                                             r.timer->newTimeout([] { ::pthread_exit(nullptr); },
                                                                 0);
                                             r.timer->newTimeout([c = std::move(c)] {}, 200);
                                             r.advance();
                                         },
                                         ended()}),
            {"newTimeout, which refuses it",
             [](Fixture& r, Captured c) { okOr([&] { add(r, std::move(c)); }); },
             live({{"newTimeout", "full+"}, {"stop", "1"}}),
             [](HashedWheelTimerOptions& options) { options.maxPending = 1; }},
            {"an inline executor",
             [](Fixture& r, Captured c) {
                 add(r, std::move(c));
                 r.advance();
             },
             live(),
             [](HashedWheelTimerOptions& options) {
                 options.executor = [](const std::function<void()>& run) { run(); };
             }},
            {"an executor that throws",
             [](Fixture& r, Captured c) {
                 add(r, std::move(c));
                 r.advance();
             },
             runsNothing(),
             [](HashedWheelTimerOptions& options) {
                 options.executor = [](const std::function<void()>&) { throw 1; };
             }},
        });
}

// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
//
// Destructors of what tasks captured call their timer, whatever destroys them.
#include "support/destructor_table.hpp"
#include "support/manual_timer.hpp"
#include "support/test.hpp"

#include <jtimer/brpc/timer_thread.hpp>

#include <cerrno>
#include <pthread.h>

using jtimer::brpc::TaskId;
using jtimer::brpc::TimerThread;
using jtimer::brpc::TimerThreadOptions;
using test::Calls;
using test::Captured;
using test::ended;
using test::gone;
using test::okOr;
using namespace std::chrono_literals;

namespace {

struct Fixture : test::DestructorFixture<TimerThread> {
    struct Options {};

    TaskId other = 0;

    explicit Fixture(const Options&)
        : DestructorFixture([](const auto&) { return std::make_unique<TimerThread>(); }) {
        timer->start(options());
        other = timer->schedule(othersTask(), test::at(3'600'000));
        clock->waitUntilIdle();
    }
    TimerThreadOptions options() const {
        TimerThreadOptions options;
        options.clock = clock;
        options.uncaughtExceptionHandler = [](const std::string&, const std::exception_ptr&) {};
        return options;
    }

    void advance() const { clock->advance(10); }

    std::string end() {
        if (owned) clock->advance(2h);
        owned.reset();
        awaitFreed();
        return runs();
    }
};

using Column = test::FromDestructor<Fixture>;

const std::string kCanceled = std::to_string(ECANCELED);

const std::vector<Column> kCalls = {
    {"schedule",
     [](Fixture& r) {
         return std::string(r.timer->schedule(r.newTask(), test::at(20)) != 0 ? "ok" : "no");
     },
     "ok+*", "no"},
    {"unschedule", [](Fixture& r) { return std::to_string(r.timer->unschedule(r.other)); }, "0",
     "-1"},
    {"unscheduleAndWait",
     [](Fixture& r) { return std::to_string(r.timer->unscheduleAndWait(r.other)); }, "0", "-1",
     Calls::TimerAndMayWait},
    {"start", [](Fixture& r) { return std::to_string(r.timer->start(r.options())); }, "0+",
     kCanceled.c_str(), Calls::TimerAndMayWait},
    {"stopAndJoin", [](Fixture& r) { return okOr([&] { r.timer->stopAndJoin(); }); }, "ok", "ok",
     Calls::TimerAndMayWait},
    {"takePending",
     [](Fixture& r) {
         std::size_t taken = 0;
         const std::string answer = okOr([&] { taken = r.timer->takePending().size(); });
         return answer == "ok" ? std::to_string(taken) : answer;
     },
     "state+", "0"},
    {"stats", [](Fixture& r) { return std::to_string(r.timer->stats().pending); }, "1+", "0"},
    {"clock", [](Fixture& r) { return okOr([&] { r.timer->clock()->now(); }); }, "ok+", "ok"},
    {"~TimerThread", [](Fixture& r) { return okOr([&] { r.owned.reset(); }); }, "ok", "ok",
     Calls::TimerAndMayWait},
};

/// Schedules a task that is due in 10 ms, and has the thread wait for it.
TaskId schedule(Fixture& fixture, Captured captured) {
    const TaskId id = fixture.timer->schedule([captured = std::move(captured)] {}, test::at(10));
    fixture.clock->waitUntilIdle();
    return id;
}

}  // namespace

BOOST_AUTO_TEST_CASE(destructors_of_tasks_may_call_their_timer) {
    test::checkDestructors<Fixture>(
        kCalls,
        {
            {"after a run",
             [](Fixture& r, Captured c) {
                 schedule(r, std::move(c));
                 r.advance();
             }},
            {"after a run of a large callable",
             [](Fixture& r, Captured c) {
                 r.timer->schedule([c = std::move(c),
                                    large = std::array<long, 20>{}] { static_cast<void>(large); },
                                   test::at(10));
                 r.advance();
             }},
            {"after a run that throws",
             [](Fixture& r, Captured c) {
                 r.timer->schedule([c = std::move(c)] { throw std::runtime_error("run"); },
                                   test::at(10));
                 r.advance();
             }},
            {"unschedule",
             [](Fixture& r, Captured c) { r.timer->unschedule(schedule(r, std::move(c))); }},
            {"unscheduleAndWait",
             [](Fixture& r, Captured c) { r.timer->unscheduleAndWait(schedule(r, std::move(c))); }},
            {"unschedule after the stop",
             [](Fixture& r, Captured c) {
                 const TaskId id = schedule(r, std::move(c));
                 r.timer->stopAndJoin();
                 r.timer->unschedule(id);
             },
             ended({{"unschedule", "0"},
                    {"unscheduleAndWait", "0"},
                    {"takePending", "1"},
                    {"stats", "1"}})},
            {"takePending",
             [](Fixture& r, Captured c) {
                 schedule(r, std::move(c));
                 r.timer->stopAndJoin();
                 r.timer->takePending();
             },
             ended()},
            {"~TimerThread",
             [](Fixture& r, Captured c) {
                 schedule(r, std::move(c));
                 r.owned.reset();
             },
             ended()},
            {"~TimerThread in a run",
             [](Fixture& r, Captured c) {
                 schedule(r, std::move(c));
                 r.timer->schedule([&r] { r.destroy(); }, test::at(5));
                 r.clock->advance(10);
             },
             gone()},
            test::byThreadExit<Fixture>({"~TimerThread after a pthread_exit",
                                         [](Fixture& r, Captured c) {
                                             schedule(r, std::move(c));
                                             r.timer->schedule([] { ::pthread_exit(nullptr); },
                                                               test::at(5));
                                             r.clock->advance(10);
                                             r.owned.reset();
                                         },
                                         ended()}),
            {"schedule, which refuses it",
             [](Fixture& r, Captured c) {
                 r.timer->stopAndJoin();
                 schedule(r, std::move(c));
             },
             ended({{"unschedule", "0"},
                    {"unscheduleAndWait", "0"},
                    {"takePending", "1"},
                    {"stats", "1"}})},
        });
}

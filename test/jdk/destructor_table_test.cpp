// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
//
// Destructors of what tasks captured call their timer, whatever destroys them.
#include "support/destructor_table.hpp"
#include "support/manual_timer.hpp"
#include "support/test.hpp"

#include <jtimer/timer.hpp>

#include <pthread.h>

using jtimer::MissedRuns;
using jtimer::Timer;
using jtimer::TimerOptions;
using jtimer::TimerTask;
using test::Calls;
using test::Captured;
using test::ended;
using test::gone;
using test::live;
using test::okOr;
using test::yesOrNo;
using namespace std::chrono_literals;

namespace {

struct Fixture : test::DestructorFixture<Timer> {
    using Options = std::function<void(TimerOptions&)>;

    std::shared_ptr<TimerTask> other;

    explicit Fixture(const Options& set)
        : DestructorFixture([&](const auto& onClock) {
              TimerOptions options = test::silentOnDeath(onClock, true);
              if (set) set(options);
              return std::make_unique<Timer>(options);
          }) {
        other = timer->schedule(othersTask(), 1h);
    }

    void advance() const { clock->advance(10); }

    std::string end() {
        if (owned) clock->advance(2h);
        owned.reset();
        other.reset();
        awaitFreed();
        return runs();
    }
};

using Column = test::FromDestructor<Fixture>;

const std::vector<Column> kCalls = {
    {"schedule", [](Fixture& r) { return okOr([&] { r.timer->schedule(r.newTask(), 1); }); },
     "ok+*", "state"},
    {"schedule repeatedly",
     [](Fixture& r) { return okOr([&] { r.timer->schedule(r.newTask(), 1, 1h); }); }, "ok+**",
     "state"},
    {"scheduleAtFixedRate",
     [](Fixture& r) {
         return okOr([&] { r.timer->scheduleAtFixedRate(r.newTask(), 1, 2h, MissedRuns::Skip); });
     },
     "ok+*", "state"},
    {"cancel", [](Fixture& r) { return okOr([&] { r.timer->cancel(); }); }, "ok", "ok"},
    {"shutdownNow", [](Fixture& r) { return std::to_string(r.timer->shutdownNow().size()); }, "1",
     "0"},
    {"purge", [](Fixture& r) { return std::to_string(r.timer->purge()); }, "0+", "0"},
    {"stats", [](Fixture& r) { return std::to_string(r.timer->stats().pending); }, "1+", "0"},
    {"detach", [](Fixture& r) { return okOr([&] { r.timer->detach(); }); }, "ok+", "ok"},
    {"other.cancel", [](Fixture& r) { return yesOrNo(r.other->cancel()); }, "yes", "yes",
     Calls::TaskHandle},
    {"other.cancelAndWait", [](Fixture& r) { return yesOrNo(r.other->cancelAndWait()); }, "yes",
     "yes", Calls::TaskHandleAndMayWait},
    {"awaitTermination",
     [](Fixture& r) { return okOr([&] { static_cast<void>(r.timer->awaitTermination(0)); }); },
     "state+", "state", Calls::TimerAndMayWait},
    {"~Timer", [](Fixture& r) { return okOr([&] { r.owned.reset(); }); }, "ok", "ok",
     Calls::TimerAndMayWait},
};

/// Schedules a task that is due in 10 ms, and has the thread wait for it.
std::shared_ptr<TimerTask> schedule(Fixture& fixture, Captured captured) {
    auto task = fixture.timer->schedule([captured = std::move(captured)] {}, 10);
    fixture.clock->waitUntilIdle();
    return task;
}

}  // namespace

BOOST_AUTO_TEST_CASE(destructors_of_tasks_may_call_their_timer) {
    const auto removing = [](TimerOptions& options) { options.removeOnCancel = true; };
    test::checkDestructors<Fixture>(
        kCalls,
        {
            {"after a run",
             [](Fixture& r, Captured c) {
                 schedule(r, std::move(c));
                 r.advance();
             }},
            {"after a run that removeOnCancel keeps a link for",
             [](Fixture& r, Captured c) {
                 schedule(r, std::move(c));
                 r.advance();
             },
             live(), removing},
            {"at the time of a cancelled task",
             [](Fixture& r, Captured c) {
                 schedule(r, std::move(c))->cancel();
                 r.advance();
             }},
            {"cancel, of a task that leaves the queue at once",
             [](Fixture& r, Captured c) { schedule(r, std::move(c))->cancel(); },
             live({{"awaitTermination", "ok+"}}), removing},
            {"cancelAndWait, the same",
             [](Fixture& r, Captured c) { schedule(r, std::move(c))->cancelAndWait(); },
             live({{"awaitTermination", "ok+"}}), removing},
            {"after a run that cancelled its repeating task",
             [](Fixture& r, Captured c) {
                 r.timer->schedule([c = std::move(c)](TimerTask& self) { self.cancel(); }, 10, 10);
                 r.advance();
             }},
            {"cancelled between the runs of a task that may miss some",
             [](Fixture& r, Captured c) {
                 const auto task =
                     r.timer->scheduleAtFixedRate([c = std::move(c)] {}, 10, 10, MissedRuns::Once);
                 r.advance();
                 task->cancel();
             }},
            {"purge",
             [](Fixture& r, Captured c) {
                 schedule(r, std::move(c))->cancel();
                 r.timer->purge();
             },
             live({{"awaitTermination", "ok+"}})},
            {"Timer::cancel",
             [](Fixture& r, Captured c) {
                 schedule(r, std::move(c));
                 r.timer->cancel();
             },
             ended({{"awaitTermination", "ok"}})},
            {"shutdownNow, whose result is dropped",
             [](Fixture& r, Captured c) {
                 schedule(r, std::move(c));
                 r.timer->shutdownNow().clear();
             },
             ended({{"other.cancel", "no"},
                    {"other.cancelAndWait", "no"},
                    {"awaitTermination", "ok"}})},
            {"~Timer",
             [](Fixture& r, Captured c) {
                 schedule(r, std::move(c));
                 r.owned.reset();
             },
             ended({{"awaitTermination", "ok"}})},
            {"after a run that destroys the timer",
             [](Fixture& r, Captured c) {
                 r.timer->schedule([&r, c = std::move(c)] { r.destroy(); }, 5);
                 r.advance();
             },
             gone()},
            {"~Timer in another task's run",
             [](Fixture& r, Captured c) {
                 schedule(r, std::move(c));
                 r.timer->schedule([&r] { r.destroy(); }, 5);
                 r.advance();
             },
             ended()},
            {"another task's exception, which ends the timer",
             [](Fixture& r, Captured c) {
                 r.timer->schedule([] { throw std::runtime_error("ends"); }, 5);
                 schedule(r, std::move(c));
                 r.advance();
             },
             ended()},
            {"its own exception, which ends the timer",
             [](Fixture& r, Captured c) {
                 r.timer->schedule([c = std::move(c)] { throw std::runtime_error("ends"); }, 5);
                 r.advance();
             },
             ended()},
            {"its own exception, which ends the task",
             [](Fixture& r, Captured c) {
                 r.timer->schedule([c = std::move(c)] { throw std::runtime_error("ends"); }, 5, 5);
                 r.advance();
             },
             live({{"schedule repeatedly", "ok+***"}, {"scheduleAtFixedRate", "ok+**"}}),
             [](TimerOptions& options) {
                 options.onException = jtimer::OnException::CancelTask;
                 options.taskExceptionHandler = [](const jtimer::TaskException&) {};
             }},
            test::byThreadExit<Fixture>({"another task's pthread_exit",
                                         [](Fixture& r, Captured c) {
                                             r.timer->schedule([] { ::pthread_exit(nullptr); }, 5);
                                             schedule(r, std::move(c));
                                             r.advance();
                                         },
                                         ended()}),
            {"schedule, which refuses it",
             [](Fixture& r, Captured c) { okOr([&] { schedule(r, std::move(c)); }); },
             live({{"schedule", "full+"},
                   {"schedule repeatedly", "full+"},
                   {"scheduleAtFixedRate", "full+"},
                   {"awaitTermination", "ok+"}}),
             [](TimerOptions& options) { options.maxPending = 1; }},
        });
}

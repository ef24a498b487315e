// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
//
// Destructors of what wakers captured call their driver, whatever destroys them. A shutdown calls
// wakers in any order: here the far one comes last.
#include "support/destructor_table.hpp"
#include "support/manual_timer.hpp"
#include "support/test.hpp"

#include <jtimer/tokio.hpp>

#include <pthread.h>

using jtimer::tokio::Completion;
using jtimer::tokio::DelayQueue;
using jtimer::tokio::Interval;
using jtimer::tokio::Notified;
using jtimer::tokio::Notify;
using jtimer::tokio::Sleep;
using jtimer::tokio::TimeDriver;
using jtimer::tokio::TimeDriverOptions;
using jtimer::tokio::Waker;
using test::Answers;
using test::Calls;
using test::Captured;
using test::ended;
using test::live;
using test::okOr;
using test::yesOrNo;
using namespace std::chrono_literals;

namespace {

struct Polled {
    bool polled = true;
};
const Polled kThreaded{false};
/// What a waker of a turn sees: turn() refuses to be called in itself.
const Answers kInTurn = live({{"turn", "state+"}});

struct Fixture : test::DestructorFixture<TimeDriver> {
    using Options = Polled;

    const bool polled;
    TimeDriver* const driver = timer;
    std::optional<Sleep> other{driver->sleep(1h)}, added;
    DelayQueue<int> queue{*driver};
    const Notify notify{*driver};
    std::optional<Notified> notified{notify.notified()};

    explicit Fixture(const Options& set)
        : DestructorFixture([&](const auto& onClock) {
              TimeDriverOptions options;
              options.clock = onClock;
              options.polled = set.polled;
              options.uncaughtExceptionHandler = [](const std::string&, const std::exception_ptr&) {
              };
              return std::make_unique<TimeDriver>(options);
          }),
          polled(set.polled) {
        other->poll(othersTask());
        queue.insert(1, 0);
    }

    void pollAdded(Sleep sleep) {
        added.emplace(std::move(sleep));
        added->poll(newTask());
    }
    void advance(jtimer::TimeSpan span = 10) {
        clock->advance(span);
        if (polled && owned) driver->turn();
    }

    /// As runs(), of wakers; ! if the shutdown called the other one.
    std::string end() {
        if (owned && !driver->isShutdown()) advance(2h);
        owned.reset();
        const bool hasFired = other && other->isElapsed();
        const bool wasShutDown = othersRuns > 0 && !hasFired;
        other.reset();
        added.reset();
        awaitFreed();
        return wasShutDown ? "!" + std::string(static_cast<std::size_t>(newRuns), '*') : runs();
    }
};

using Column = test::FromDestructor<Fixture>;

const std::vector<Column> kCalls = {
    {"poll of a new one", [](Fixture& r) { return okOr([&] { r.pollAdded(r.driver->sleep(1)); }); },
     "ok+*", "state!"},
    {"poll of a new one that is due",
     [](Fixture& r) { return okOr([&] { r.pollAdded(r.driver->sleepUntil(test::at(-1))); }); },
     "ok+", "state!"},
    {"interval",
     [](Fixture& r) { return okOr([&] { static_cast<void>(r.driver->interval(1).pollTick()); }); },
     "ok+", "state!"},
    {"turn", [](Fixture& r) { return okOr([&] { r.driver->turn(); }); }, "ok+", "ok!"},
    {"nextWake", [](Fixture& r) { return yesOrNo(r.driver->nextWake().has_value()); }, "yes+",
     "yes!"},
    {"size", [](Fixture& r) { return std::to_string(r.driver->size()); }, "1+", "1!"},
    {"stats", [](Fixture& r) { return std::to_string(r.driver->stats().pending); }, "1+", "1!"},
    {"check", [](Fixture& r) { return okOr([&] { r.driver->check(); }); }, "ok+", "ok!"},
    {"shutdown", [](Fixture& r) { return okOr([&] { r.driver->shutdown(); }); }, "ok!", "ok!",
     Calls::TimerAndMayWait},
    {"other.poll", [](Fixture& r) { return okOr([&] { r.other->poll(); }); }, "ok+", "state!",
     Calls::TaskHandle},
    {"other.poll with a waker", [](Fixture& r) { return okOr([&] { r.other->poll([] {}); }); },
     "ok", "state!", Calls::TaskHandle},
    {"other.reset earlier", [](Fixture& r) { return okOr([&] { r.other->resetAfter(1); }); }, "ok+",
     "state!", Calls::TaskHandle},
    {"other.reset to now", [](Fixture& r) { return okOr([&] { r.other->resetAfter(0); }); }, "ok+",
     "state!", Calls::TaskHandle},
    {"~Sleep", [](Fixture& r) { return okOr([&] { r.other.reset(); }); }, "ok", "ok",
     Calls::TaskHandle},
    {"pollExpired",
     [](Fixture& r) { return okOr([&] { static_cast<void>(r.queue.pollExpired([] {})); }); }, "ok+",
     "ok!", Calls::TaskHandle},
    {"insert", [](Fixture& r) { return okOr([&] { r.queue.insert(2, 1); }); }, "ok+", "ok!",
     Calls::TaskHandle},
    {"notifyOne", [](Fixture& r) { return okOr([&] { r.notify.notifyOne(); }); }, "ok+", "ok!",
     Calls::TaskHandle},
    {"notifyWaiters",
     [](Fixture& r) {
         r.notify.notifyWaiters();
         return yesOrNo(r.notified->poll());
     },
     "yes+", "yes!", Calls::TaskHandle},
    {"~TimeDriver", [](Fixture& r) { return okOr([&] { r.owned.reset(); }); }, "ok!", "ok!",
     Calls::TimerAndMayWait},
};

Waker owning(Captured captured) {
    return [captured = std::move(captured)] {};
}

/// A sleep of 10 ms that has been polled.
Sleep polled(Fixture& fixture, Captured captured) {
    Sleep sleep = fixture.driver->sleep(10);
    sleep.poll(owning(std::move(captured)));
    return sleep;
}

}  // namespace

BOOST_AUTO_TEST_CASE(destructors_of_wakers_may_call_their_driver) {
    test::checkDestructors<Fixture>(
        kCalls,
        {
            {"after its call, in turn()",
             [](Fixture& r, Captured c) {
                 const Sleep sleep = polled(r, std::move(c));
                 r.advance();
             },
             kInTurn},
            {"after its call, on the driver's thread",
             [](Fixture& r, Captured c) {
                 const Sleep sleep = polled(r, std::move(c));
                 r.advance();
             },
             kInTurn, kThreaded},
            {"after a call that throws",
             [](Fixture& r, Captured c) {
                 Sleep sleep = r.driver->sleep(10);
                 sleep.poll([c = std::move(c)] { throw std::runtime_error("waker"); });
                 r.advance();
             },
             kInTurn},
            {"after a call that shuts the driver down",
             [](Fixture& r, Captured c) {
                 Sleep sleep = r.driver->sleep(10);
                 sleep.poll([&r, c = std::move(c)] { r.driver->shutdown(); });
                 r.advance();
             },
             ended({{"nextWake", "no!"}, {"size", "0!"}, {"stats", "0!"}, {"~Sleep", "ok!"}})},
            {"after a call that destroys the driver on its thread",
             [](Fixture& r, Captured c) {
                 Sleep sleep = r.driver->sleep(10);
                 sleep.poll([&r, c = std::move(c)] { r.destroy(); });
                 r.advance();
             },
             {Answers::Timer::IsGone, {{"~Sleep", "ok!"}}, "-!"},
             kThreaded},
            {"the poll that replaces it",
             [](Fixture& r, Captured c) {
                 Sleep sleep = polled(r, std::move(c));
                 sleep.poll([] {});
             },
             live({{"size", "2+"}, {"stats", "2+"}})},
            {"a poll that is ready",
             [](Fixture& r, Captured c) {
                 Sleep sleep = r.driver->sleep(0);
                 sleep.poll(owning(std::move(c)));
             }},
            {"~Sleep", [](Fixture& r, Captured c) { polled(r, std::move(c)); }},
            {"the assignment to its Sleep",
             [](Fixture& r, Captured c) {
                 Sleep sleep = polled(r, std::move(c));
                 sleep = r.driver->sleep(1);
             }},
            {"after its call, of a Sleep that was reset to now",
             [](Fixture& r, Captured c) {
                 Sleep sleep = polled(r, std::move(c));
                 sleep.resetAfter(0);
                 r.advance(0);
             },
             kInTurn},
            {"after its call, of a Sleep that never comes",
             [](Fixture& r, Captured c) {
                 Sleep sleep = polled(r, std::move(c));
                 sleep.resetAfter(std::chrono::hours::max());
                 r.driver->shutdown();
             },
             ended()},
            {"shutdown",
             [](Fixture& r, Captured c) {
                 const Sleep sleep = polled(r, std::move(c));
                 r.driver->shutdown();
             },
             ended()},
            {"shutdown of a driver with a thread",
             [](Fixture& r, Captured c) {
                 const Sleep sleep = polled(r, std::move(c));
                 r.driver->shutdown();
             },
             ended({{"turn", "state!"}}), kThreaded},
            {"~TimeDriver",
             [](Fixture& r, Captured c) {
                 const Sleep sleep = polled(r, std::move(c));
                 r.owned.reset();
             },
             ended()},
            {"~TimeDriver with a thread",
             [](Fixture& r, Captured c) {
                 const Sleep sleep = polled(r, std::move(c));
                 r.owned.reset();
             },
             ended({{"turn", "state!"}}), kThreaded},
            test::byThreadExit<Fixture>({"another waker's pthread_exit",
                                         [](Fixture& r, Captured c) {
                                             Sleep leaver = r.driver->sleep(5);
                                             leaver.poll([] { ::pthread_exit(nullptr); });
                                             const Sleep sleep = polled(r, std::move(c));
                                             r.advance();
                                         },
                                         ended({{"turn", "state!"}}), kThreaded}),
            {"the poll that replaces an Interval's",
             [](Fixture& r, Captured c) {
                 Interval interval = r.driver->intervalAt(test::at(5), 1);
                 static_cast<void>(interval.pollTick(owning(std::move(c))));
                 static_cast<void>(interval.pollTick([] {}));
             },
             live({{"size", "2+"}, {"stats", "2+"}})},
            {"~Interval",
             [](Fixture& r, Captured c) {
                 static_cast<void>(
                     r.driver->intervalAt(test::at(5), 1).pollTick(owning(std::move(c))));
             }},
            {"the poll that replaces a DelayQueue's",
             [](Fixture& r, Captured c) {
                 DelayQueue<int> queue(*r.driver);
                 queue.insert(1, 5);
                 static_cast<void>(queue.pollExpired(owning(std::move(c))));
                 static_cast<void>(queue.pollExpired([] {}));
             },
             live({{"size", "2+"}, {"stats", "2+"}})},
            {"after its call, of a DelayQueue that is due",
             [](Fixture& r, Captured c) {
                 DelayQueue<int> queue(*r.driver);
                 queue.insert(1, 5);
                 static_cast<void>(queue.pollExpired(owning(std::move(c))));
                 r.advance();
             },
             kInTurn},
            {"~DelayQueue",
             [](Fixture& r, Captured c) {
                 DelayQueue<int> queue(*r.driver);
                 queue.insert(1, 5);
                 static_cast<void>(queue.pollExpired(owning(std::move(c))));
             }},
            {"a value, by the end of its DelayQueue",
             [](Fixture& r, Captured c) {
                 DelayQueue<Captured> queue(*r.driver);
                 queue.insert(std::move(c), 5);
             }},
            {"a value, by the clear of its DelayQueue",
             [](Fixture& r, Captured c) {
                 DelayQueue<Captured> queue(*r.driver);
                 queue.insert(std::move(c), 5);
                 queue.clear();
             }},
            {"the poll that replaces a Notified's",
             [](Fixture& r, Captured c) {
                 Notified waits = r.notify.notified();
                 waits.poll(owning(std::move(c)));
                 waits.poll([] {});
             }},
            {"~Notified",
             [](Fixture& r, Captured c) { r.notify.notified().poll(owning(std::move(c))); }},
            {"after its call, of a Notified",
             [](Fixture& r, Captured c) {
                 Notified waits = r.notify.notified();
                 waits.poll(owning(std::move(c)));
                 r.notify.notifyOne();
                 r.advance(0);
             },
             kInTurn},
            {"shutdown, of a Notified",
             [](Fixture& r, Captured c) {
                 Notified waits = r.notify.notified();
                 waits.poll(owning(std::move(c)));
                 r.driver->shutdown();
             },
             ended({{"nextWake", "no!"}, {"size", "0!"}, {"stats", "0!"}, {"~Sleep", "ok!"}})},
            {"~Timeout, of one that has elapsed",
             [](Fixture& r, Captured c) {
                 auto limited = timeout(*r.driver, 5ms, Completion<int>());
                 limited.poll(owning(std::move(c)));
                 r.advance();
             }},
            {"set, of a Completion",
             [](Fixture&, Captured c) {
                 const Completion<int> completion;
                 completion(owning(std::move(c)));
                 completion.set(1);
             }},
        });
}

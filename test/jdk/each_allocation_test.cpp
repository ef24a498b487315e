// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
//
// Running out of memory: this program's operator new fails when a case says so. Its clock throws
// then.
// A program of its own, for it replaces operator new.
#include "support/counts.hpp"
#include "support/each_allocation.hpp"
#include "support/manual_timer.hpp"
#include "support/test.hpp"

#include <jtimer/jdk/make_task.hpp>
#include <jtimer/jdk/scoped_task.hpp>

using jtimer::MissedRuns;
using jtimer::ScopedTask;
using jtimer::Ties;
using jtimer::Timer;
using jtimer::TimerOptions;
using jtimer::TimerTask;
using namespace std::chrono_literals;

namespace {

using Ballast = std::array<char, 300>;
using Tasks = std::vector<std::shared_ptr<TimerTask>>;

const std::string kLongName = "a name too long to be kept inline";

/// What changes the queue: how many other tasks there are, so that it is about to grow, and whether
/// it has extras.
struct Queue {
    int others = 0;
    bool isExtended = false;
} queue;

TimerOptions longNamed(std::shared_ptr<jtimer::Clock> clock) {
    TimerOptions options;
    options.name = kLongName;
    options.daemon = true;
    options.clock = std::move(clock);
    options.removeOnCancel = queue.isExtended;
    if (queue.isExtended) options.ties = Ties::Fifo;
    options.taskExceptionHandler = [b = Ballast{}](const auto&) { static_cast<void>(b); };
    return options;
}

struct Fixture {
    const std::shared_ptr<test::FaultyClock> clock =
        std::make_shared<test::FaultyClock>(test::kStart);
    std::unique_ptr<Timer> timer = std::make_unique<Timer>(longNamed(clock));
    const std::shared_ptr<TimerTask> task = test::makeTask();
    const std::shared_ptr<TimerTask> named = test::makeTask();
    Tasks pending;
    Tasks discarded;
    std::shared_ptr<TimerTask> linked;

    Fixture() {
        named->setName(kLongName);
        for (int i = 0; i < 3 + queue.others; ++i) pending.push_back(timer->schedule([] {}, 1h));
        linked = timer->scheduleAtFixedRate([] {}, 1h, 1h, MissedRuns::Skip);
        pending[2]->cancel();
        clock->waitUntilIdle();
    }

    /// Gives back the half of a block that the calling thread keeps for its next callable.
    static void settle() {
        for (int i = 0; i < 3; ++i)
            static_cast<void>(
                jtimer::makeTask([b = std::array<char, 200>{}] { static_cast<void>(b); }));
    }

    std::string state() {
        clock->waitUntilIdle();
        return test::counts(timer->stats()) + (task->isScheduled() ? " scheduled" : "") +
               (pending[0]->isCancelled() ? " cancelled" : "") + task->name();
    }
    void inside(const std::function<void()>& f) {
        timer->schedule([&f] { f(); }, 0);
        clock->waitUntilIdle();
    }
    void goesOn() {
        if (timer == nullptr) return;
        bool ran = false;
        try {
            timer->schedule([&ran] { ran = true; }, 10);
        } catch (const jtimer::IllegalStateException&) {
            return;  // the call has stopped it
        }
        clock->advance(10);
        BOOST_TEST(ran);
    }
};

/// Has each of the process's tables of names allocate what it keeps for ever.
void warmTablesOfNames() {
    Tasks tasks;
    for (int i = 0; i < 1000; ++i) {
        tasks.push_back(test::makeTask());
        tasks.back()->setName("a");
    }
}

const std::vector<test::Call<Fixture>> kCalls{
    {"schedule", [](Fixture& r) { return r.timer->schedule(r.task, 1h) != nullptr; }},
    {"schedule of a named task",
     [](Fixture& r) { return r.timer->schedule(r.named, 1h) != nullptr; }},
    {"schedule at a date",
     [](Fixture& r) { return r.timer->schedule(r.task, test::at(3'600'000)) != nullptr; }},
    {"schedule with a period",
     [](Fixture& r) { return r.timer->schedule(r.task, 1h, 1h) != nullptr; }},
    {"schedule with a period of 20 years",
     [](Fixture& r) { return r.timer->schedule(r.task, 1h, 24h * 365 * 20) != nullptr; }},
    {"scheduleAtFixedRate",
     [](Fixture& r) { return r.timer->scheduleAtFixedRate(r.task, 1h, 1h) != nullptr; }},
    {"scheduleAtFixedRate, once for missed runs",
     [](Fixture& r) {
         return r.timer->scheduleAtFixedRate(r.task, 1h, 1h, MissedRuns::Once) != nullptr;
     }},
    {"scheduleBy",
     [](Fixture& r) {
         const auto hourly = [b = Ballast{}](jtimer::Date after) {
             static_cast<void>(b);
             return after + 1h;
         };
         return r.timer->scheduleBy(r.task, hourly) != nullptr;
     }},
    {"schedule of a callable", [](Fixture& r) { return r.timer->schedule([] {}, 1h) != nullptr; }},
    {"schedule of a large callable",
     [](Fixture& r) {
         return r.timer->schedule([b = Ballast{}] { static_cast<void>(b); }, 1h) != nullptr;
     }},
    {"a scoped task",
     [](Fixture& r) {
         const ScopedTask scoped(r.timer->schedule([] {}, 1h));
         return true;
     }},
    {"makeTask", [](Fixture&) { return jtimer::makeTask([] {}) != nullptr; }},
    {"setName", [](Fixture& r) { return r.task->setName(kLongName), true; }},
    {"cancel of a task", [](Fixture& r) { return r.pending[0]->cancel() && r.linked->cancel(); }},
    {"cancelAndWait", [](Fixture& r) { return r.pending[1]->cancelAndWait(); }},
    {"purge", [](Fixture& r) { return r.timer->purge() == (queue.isExtended ? 0 : 1); }},
    {"what it tells",
     [](Fixture& r) { return r.timer->stats().pending >= 3 && r.timer->name() == kLongName; }},
    {"cancel", [](Fixture& r) { return r.timer->cancel(), true; }},
    {"shutdownNow",
     [](Fixture& r) { return r.discarded = r.timer->shutdownNow(), r.discarded.size() >= 3; }},
    {"the constructor",
     [](Fixture& r) {
         const Timer another(longNamed(r.clock));
         return true;
     },
     false},
    {"the constructor with onThreadStart",
     [](Fixture& r) {
         TimerOptions options = longNamed(r.clock);
         options.onThreadStart = [b = Ballast{}] { static_cast<void>(b); };
         const Timer another(std::move(options));
         return true;
     },
     false},
    {"the destructor", [](Fixture& r) { return r.timer.reset(), true; }, false},
};

}  // namespace

BOOST_AUTO_TEST_SUITE(each_allocation)

BOOST_AUTO_TEST_CASE(a_call_that_any_of_its_allocations_fails_has_changed_nothing) {
    warmTablesOfNames();
    for (const bool isExtended : {false, true}) {
        for (const int others : {0, 121, 122, 123, 124}) {
            queue = {others, isExtended};
            test::checkEachAllocation(kCalls);
        }
    }
}

BOOST_AUTO_TEST_CASE(a_call_that_any_of_its_readings_of_the_clock_fails_has_changed_nothing) {
    warmTablesOfNames();
    for (const bool isExtended : {false, true}) {
        queue = {0, isExtended};
        test::checkEachReading(kCalls);
    }
}

BOOST_AUTO_TEST_SUITE_END()

// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
//
// Running out of memory: this program's operator new fails when a case says so. Its clock throws
// then.
// A program of its own, for it replaces operator new.
#include "brpc/manual_thread.hpp"
#include "support/counts.hpp"
#include "support/each_allocation.hpp"
#include "support/test.hpp"

#include <jtimer/brpc/scoped_timer_task.hpp>

#include <cerrno>

using jtimer::brpc::kInvalidTaskId;
using jtimer::brpc::ScopedTimerTask;
using jtimer::brpc::TaskId;
using jtimer::brpc::TimerThread;
using jtimer::brpc::TimerThreadOptions;
using test::doNothing;
using namespace std::chrono_literals;

namespace {

using Ballast = std::array<char, 300>;

TimerThreadOptions longNamed(std::shared_ptr<jtimer::Clock> clock) {
    TimerThreadOptions options;
    options.name = "a name too long to be kept inline";
    options.clock = std::move(clock);
    options.onThreadStart = [b = Ballast{}] { static_cast<void>(b); };
    options.uncaughtExceptionHandler = [b = Ballast{}](const std::string&, const auto&) {
        static_cast<void>(b);
    };
    return options;
}

/// A thread that runs, or is to be started, or has been stopped with tasks that are left.
enum class Kind { Runs, IsNew, HasStopped };

template <Kind kind>
struct Fixture {
    const std::shared_ptr<test::FaultyClock> clock =
        std::make_shared<test::FaultyClock>(test::kStart);
    const TimerThreadOptions options = longNamed(clock);
    std::unique_ptr<TimerThread> timer = std::make_unique<TimerThread>();
    std::vector<TaskId> ids;
    TaskId large = 0;

    Fixture() {
        if (kind == Kind::IsNew) return;
        BOOST_TEST(timer->start(options) == 0);
        for (int i = 0; i < 3; ++i) ids.push_back(timer->schedule(doNothing, nullptr, far()));
        large = timer->schedule([b = Ballast{}] { static_cast<void>(b); }, far());
        clock->waitUntilIdle();
        if (kind == Kind::HasStopped) timer->stopAndJoin();
    }
    static jtimer::Date far() { return test::at(3'600'000); }

    static void settle() {}
    std::string state() {
        if (kind == Kind::Runs) clock->waitUntilIdle();
        return test::counts(timer->stats()) + ' ' + std::to_string(timer->stats().scheduled);
    }
    void inside(const std::function<void()>& f) {
        timer->schedule([&f] { f(); }, test::at(0));
        clock->waitUntilIdle();
    }
    void goesOn() {
        if (timer == nullptr || kind == Kind::HasStopped) return;
        if (kind == Kind::IsNew) BOOST_TEST(timer->start(options) == 0);
        bool ran = false;
        if (timer->schedule([&ran] { ran = true; }, test::at(10)) == kInvalidTaskId) return;
        clock->advance(10);
        BOOST_TEST(ran);
    }
};

using Running = Fixture<Kind::Runs>;
using New = Fixture<Kind::IsNew>;
using Stopped = Fixture<Kind::HasStopped>;

const std::vector<test::Call<Running>> kCalls{
    {"schedule",
     [](auto& r) {
         return r.timer->schedule(doNothing, nullptr, Running::far()) != kInvalidTaskId;
     }},
    {"schedule at a timespec",
     [](auto& r) {
         return r.timer->schedule(doNothing, nullptr, timespec{2'000'000'000, 0}) != kInvalidTaskId;
     }},
    {"schedule of a callable",
     [](auto& r) { return r.timer->schedule([] {}, Running::far()) != kInvalidTaskId; }},
    {"schedule of a large callable",
     [](auto& r) {
         return r.timer->schedule([b = Ballast{}] { static_cast<void>(b); }, Running::far()) !=
                kInvalidTaskId;
     }},
    {"a scoped task",
     [](auto& r) {
         const TaskId id = r.timer->schedule([] {}, Running::far());
         if (id == kInvalidTaskId) return false;
         const ScopedTimerTask scoped(*r.timer, id);
         return true;
     }},
    {"unschedule",
     [](auto& r) { return r.timer->unschedule(r.ids[0]) + r.timer->unschedule(r.large) == 0; }},
    {"unscheduleAndWait", [](auto& r) { return r.timer->unscheduleAndWait(r.ids[1]) == 0; }},
    {"start", [](auto& r) { return r.timer->start(r.options) == 0; }},
    {"what it tells", [](auto& r) { return r.timer->stats().pending != 0; }},
    {"stopAndJoin", [](auto& r) { return r.timer->stopAndJoin(), true; }},
    {"the destructor", [](auto& r) { return r.timer.reset(), true; }, false},
};

const std::vector<test::Call<New>> kFirstCalls{
    {"the constructor",
     [](auto&) {
         const TimerThread another;
         return true;
     },
     false},
    {"start",
     [](auto& r) {
         const int error = r.timer->start(r.options);
         BOOST_TEST((error == 0 || error == ENOMEM));
         return error == 0;
     },
     false},
};

const std::vector<test::Call<Stopped>> kLastCalls{
    {"takePending", [](auto& r) { return r.timer->takePending().size() == 4; }, false},
};

}  // namespace

BOOST_AUTO_TEST_SUITE(brpc_each_allocation)

BOOST_AUTO_TEST_CASE(b13_a_call_that_any_of_its_allocations_fails_has_changed_nothing) {
    test::checkEachAllocation(kCalls);
    test::checkEachAllocation(kFirstCalls);
    test::checkEachAllocation(kLastCalls);
}

BOOST_AUTO_TEST_CASE(a_call_that_any_of_its_readings_of_the_clock_fails_has_changed_nothing) {
    test::checkEachReading(kCalls);
    test::checkEachReading(kFirstCalls);
    test::checkEachReading(kLastCalls);
}

BOOST_AUTO_TEST_SUITE_END()

// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.

// Tasks by a rule on a clock that is set.
#include "support/manual_timer.hpp"
#include "support/scripted_clock.hpp"
#include "support/test.hpp"

#include <jtimer/timer.hpp>

using jtimer::Date;
using jtimer::Timer;
using jtimer::TimerTask;
using jtimer::detail::kNever;
using jtimer::detail::Nanos;
using namespace std::chrono_literals;

namespace {

constexpr Nanos kHour = Nanos{3600} * 1'000'000'000;
constexpr Nanos kMinute = kHour / 60;
constexpr Nanos kBegin = test::kStartMillis * 1'000'000;

/// Waits are numbered from 1: the first is that of the empty queue.
struct Fixture {
    const std::shared_ptr<test::ScriptedClock> clock = std::make_shared<test::ScriptedClock>();
    Timer timer{test::onClock(clock)};
    std::size_t waits = 1;
    std::string runs;

    Fixture() { clock->awaitWait(1); }

    /// Each hour from kBegin on.
    static Date hourly(Date after) { return after + 1h - (after - test::kStart) % 1h; }
    std::shared_ptr<TimerTask> schedule() {
        return timer.scheduleBy(
            [this](TimerTask& self) {
                const auto hours = [](Nanos time) {
                    return std::to_string((time - kBegin) / kHour);
                };
                runs += ' ' + hours(clock->time) + '/' +
                        hours(self.scheduledExecutionTime() * 1'000'000) + '(' +
                        std::to_string(self.missedRuns()) + ')';
            },
            hourly);
    }
    /// When the thread's next wait ends at the latest, after the present one, from kBegin.
    Nanos nextWait() { return clock->awaitWait(++waits) - kBegin; }
    Nanos endWaitAt(Nanos sinceBegin) {
        clock->endWaitAt(kBegin + sinceBegin);
        return nextWait();
    }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(rule_clock, Fixture)

BOOST_AUTO_TEST_CASE(a55_on_a_clock_that_can_be_set_the_thread_waits_a_minute_at_most) {
    const auto task = schedule();
    BOOST_TEST(nextWait() == kMinute);
    BOOST_TEST(endWaitAt(kMinute) == 2 * kMinute);
    BOOST_TEST(endWaitAt(kHour - 1) == kHour);
    BOOST_TEST(endWaitAt(kHour) == kHour + kMinute);
    BOOST_TEST(runs == " 1/1(0)");
    // Without such a task it waits for what is due.
    task->cancel();
    timer.schedule([] {}, 24h);
    timer.purge();
    BOOST_TEST(endWaitAt(kHour + kMinute) == 25 * kHour);
}

BOOST_AUTO_TEST_CASE(a55_on_another_clock_it_waits_for_the_time_of_the_rule) {
    clock->canBeSetForward = false;
    const auto task = schedule();
    BOOST_TEST(nextWait() == kHour);
    task->cancel();
}

BOOST_AUTO_TEST_CASE(a55_what_a_clock_that_is_set_forward_passes_is_missed) {
    const auto task = schedule();
    BOOST_TEST(nextWait() == kMinute);
    BOOST_TEST(endWaitAt(5 * kHour + 30 * kMinute) == 5 * kHour + 31 * kMinute);
    BOOST_TEST(runs == " 5/5(4)");
    BOOST_TEST(endWaitAt(6 * kHour) == 6 * kHour + kMinute);
    BOOST_TEST(runs == " 5/5(4) 6/6(0)");
    task->cancel();
}

BOOST_AUTO_TEST_CASE(a55_no_time_comes_twice_if_the_clock_is_set_back_by_up_to_three_hours) {
    const auto task = schedule();
    nextWait();
    for (const Nanos hour : {1, 2, 3, 4}) endWaitAt(hour * kHour);
    BOOST_TEST(runs == " 1/1(0) 2/2(0) 3/3(0) 4/4(0)");
    runs.clear();
    BOOST_TEST(endWaitAt(kHour) == kHour + kMinute);
    for (const Nanos hour : {2, 3, 4}) endWaitAt(hour * kHour);
    BOOST_TEST(runs == "");
    endWaitAt(5 * kHour);
    BOOST_TEST(runs == " 5/5(0)");
    task->cancel();
}

BOOST_AUTO_TEST_CASE(a55_the_times_are_computed_anew_if_the_clock_is_set_back_by_more) {
    clock->time = kBegin + 1000 * kHour;  // the wrong year
    const auto task = schedule();
    timer.schedule([this] { runs += " other"; }, 1h);  // at the 1001st hour, as it was told
    nextWait();
    BOOST_TEST(endWaitAt(1001 * kHour) == 1001 * kHour + kMinute);
    BOOST_TEST(runs == " 1001/1001(0) other");
    runs.clear();
    BOOST_TEST(endWaitAt(10 * kHour) == 10 * kHour + kMinute);
    BOOST_TEST(runs == "");
    endWaitAt(11 * kHour);
    endWaitAt(12 * kHour);
    BOOST_TEST(runs == " 11/11(0) 12/12(0)");
    task->cancel();
}

BOOST_AUTO_TEST_CASE(a55_a_task_that_was_scheduled_meanwhile_keeps_its_time) {
    clock->time = kBegin + 1000 * kHour;
    const auto first = schedule();
    nextWait();
    clock->time = kBegin + 10 * kHour;
    const auto second = schedule();  // computed by the right clock: at the 11th hour
    BOOST_TEST(nextWait() == 10 * kHour + kMinute);
    BOOST_TEST(endWaitAt(11 * kHour) == 11 * kHour + kMinute);
    BOOST_TEST(runs == " 11/11(0) 11/11(0)");
    first->cancel();
    second->cancel();
}

BOOST_AUTO_TEST_CASE(a55_a_task_that_was_scheduled_three_hours_ahead_of_that_clock_keeps_its_time) {
    clock->time = kBegin + 1000 * kHour;
    const auto first = schedule();
    nextWait();
    clock->time = kBegin + 13 * kHour;
    int asked = 0;
    const auto second = timer.scheduleBy([] {},
                                         [&](Date after) {
                                             ++asked;
                                             return after + 2000h;
                                         });
    BOOST_TEST(asked == 2);  // for its time, and for the next
    BOOST_TEST(endWaitAt(10 * kHour) == 10 * kHour + kMinute);
    BOOST_TEST(asked == 2);
    first->cancel();
    second->cancel();
}

BOOST_AUTO_TEST_SUITE_END()

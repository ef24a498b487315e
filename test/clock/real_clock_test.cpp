// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "clock/waiter.hpp"
#include "support/abilities.hpp"
#include "support/child_process.hpp"
#include "support/counter.hpp"
#include "support/manual_timer.hpp"
#include "support/posix_thread.hpp"
#include "support/test.hpp"

#include <boost/mpl/list.hpp>

#include <pthread.h>

using namespace std::chrono_literals;
using jtimer::Date;
using jtimer::TimerTask;
using Steady = std::chrono::steady_clock;

namespace {

/// The computer's clock, but the test can set it.
class SettableClock final : public jtimer::WallClock {
  public:
    std::int64_t nanos() const override {
        const std::int64_t now = WallClock::nanos() + offset_;
        if (boost::this_thread::get_id() != testThread_)
            ++readings_;  // after it, for the test to step
        return now;
    }
    void step(std::chrono::nanoseconds by) { offset_ += by.count(); }

    /// Schedules by `call`, and returns when the timer's thread waits for that task, by the clock
    /// as it is now. A thread that waits has read the clock once: it says whether the task is due,
    /// and if not, how long to wait.
    template <class Call>
    void andAwaitTheWait(const Call& call) {
        const int before = readings_;
        call();
        while (readings_ < before + 1) boost::this_thread::yield();
    }

  private:
    const boost::thread::id testThread_ = boost::this_thread::get_id();
    std::atomic<std::int64_t> offset_{0};
    mutable std::atomic<int> readings_{0};
};

struct Settable {
    const std::shared_ptr<SettableClock> clock = std::make_shared<SettableClock>();
    test::Counter runs;
    const Steady::time_point start = Steady::now();
    jtimer::Timer timer{test::onClock(clock)};

    Steady::duration elapsed() const { return Steady::now() - start; }
};

using RealClocks = boost::mpl::list<jtimer::WallClock, jtimer::SteadyClock
#if defined(__linux__)
                                    ,
                                    jtimer::BoottimeClock
#endif
                                    >;

using SteadyClocks = boost::mpl::list<jtimer::SteadyClock
#if defined(__linux__)
                                      ,
                                      jtimer::BoottimeClock
#endif
                                      >;

template <class ClockType>
struct Real {
    const std::shared_ptr<ClockType> clock = std::make_shared<ClockType>();
    test::Counter runs;
    jtimer::Timer timer{test::onClock(clock)};
};

constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();

}  // namespace

BOOST_AUTO_TEST_CASE(j116_set_back_during_a_wait_the_wall_clock_makes_the_task_as_much_later) {
    Settable s;
    // Long enough for the thread to wait by then.
    s.clock->andAwaitTheWait([&] { s.timer.schedule([&] { s.runs.up(); }, 1000); });
    s.clock->step(-70ms);
    BOOST_TEST(s.runs.reaches(1));
    BOOST_TEST((s.elapsed() >= 1070ms));
}

BOOST_AUTO_TEST_CASE(j117_set_forward_during_a_wait_the_wall_clock_does_not_end_that_wait) {
    Settable s;
    s.clock->andAwaitTheWait([&] { s.timer.schedule([&] { s.runs.up(); }, 80); });
    s.clock->step(1h);
    BOOST_TEST(s.runs.reaches(1));
    BOOST_TEST((s.elapsed() >= 80ms));
}

BOOST_AUTO_TEST_CASE(j117_set_forward_the_wall_clock_is_noticed_when_a_new_head_wakes_the_thread) {
    Settable s;
    s.clock->andAwaitTheWait([&] { s.timer.schedule([&] { s.runs.up(); }, 1h); });
    const Date sooner = s.clock->now() + 30min;
    s.clock->step(2h);
    s.timer.schedule([&] { s.runs.up(); }, sooner);
    BOOST_TEST(s.runs.reaches(2));
}

BOOST_AUTO_TEST_CASE(
    j118_set_forward_60_periods_fixed_rate_runs_60_times_at_once_and_set_back_it_is_silent) {
    Settable s;
    std::vector<std::int64_t> times;
    std::shared_ptr<TimerTask> rate = test::makeTask([&] {
        times.push_back(rate->scheduledExecutionTime());
        if (times.size() == 1) s.clock->step(1h);
        if (times.size() == 61) s.clock->step(-1h);
        s.runs.up();
    });
    s.timer.scheduleAtFixedRate(rate, 0, 1min);
    BOOST_TEST(s.runs.reaches(61));
    boost::this_thread::sleep_for(boost::chrono::milliseconds(30));
    BOOST_TEST(s.runs.get() == 61);
    for (std::size_t k = 0; k < times.size(); ++k) {
        BOOST_TEST(times[k] - times[0] == static_cast<std::int64_t>(k) * 60'000);
    }
}

BOOST_AUTO_TEST_CASE(j118_set_forward_60_periods_fixed_delay_runs_once_and_set_back_it_is_silent) {
    Settable s;
    std::vector<std::int64_t> times;
    std::shared_ptr<TimerTask> delay = test::makeTask([&] {
        times.push_back(delay->scheduledExecutionTime());
        s.clock->step(times.size() == 1 ? 1h : -1h);
        s.runs.up();
    });
    s.timer.schedule(delay, 0, 1min);
    BOOST_TEST(s.runs.reaches(2));
    boost::this_thread::sleep_for(boost::chrono::milliseconds(30));
    BOOST_TEST(s.runs.get() == 2);
    BOOST_TEST(times[1] - times[0] >= 3'600'000);
}

BOOST_AUTO_TEST_CASE_TEMPLATE(j102_a_one_shot_in_250_microseconds_is_never_early, ClockType,
                              RealClocks) {
    Real<ClockType> r;
    int early = 0;
    for (int i = 1; i <= 200; ++i) {
        const std::int64_t due = r.clock->nanos() + 250'000;
        r.timer.schedule(
            [&, due] {
                if (r.clock->nanos() < due) ++early;
                r.runs.up();
            },
            250us);
        BOOST_REQUIRE(r.runs.reaches(i));
    }
    BOOST_TEST(early == 0);
}

BOOST_AUTO_TEST_CASE_TEMPLATE(j102_fixed_rate_every_250_microseconds_is_never_early, ClockType,
                              RealClocks) {
    Real<ClockType> r;
    const Date first = r.clock->now() + 1ms;
    const std::int64_t firstNanos = first.time_since_epoch() / 1ns;
    int early = 0, runs = 0;
    r.timer.scheduleAtFixedRate(
        [&] {
            if (r.clock->nanos() < firstNanos + runs++ * std::int64_t{250'000}) ++early;
            r.runs.up();
        },
        first, 250us);
    BOOST_TEST(r.runs.reaches(200));
    r.timer.cancel();
    BOOST_TEST(early == 0);
}

BOOST_AUTO_TEST_CASE_TEMPLATE(j113_a_waiting_thread_is_woken_for_an_earlier_task, ClockType,
                              RealClocks) {
    Real<ClockType> r;
    const auto later = r.timer.schedule([&] { r.runs.up(); }, 1h);
    r.timer.schedule([&] { r.runs.up(); }, 5);
    BOOST_TEST(r.runs.reaches(1));
    r.timer.schedule([&] { r.runs.up(); }, 0);
    BOOST_TEST(r.runs.reaches(2));
    BOOST_TEST(later->cancel());
}

BOOST_AUTO_TEST_CASE_TEMPLATE(j56_an_idle_thread_wakes_for_a_task_and_for_the_end, ClockType,
                              RealClocks) {
    for (int i = 1; i <= 50; ++i) {
        Real<ClockType> r;
        if (i % 2 == 0) continue;
        r.timer.schedule([&] { r.runs.up(); }, 0);
        BOOST_REQUIRE(r.runs.reaches(1));
    }
}

BOOST_AUTO_TEST_CASE_TEMPLATE(j19_what_is_never_due_does_not_run_and_disturbs_no_other_task,
                              ClockType, RealClocks) {
    Real<ClockType> r;
    std::atomic<bool> ran{false};
    r.timer.schedule([&] { ran = true; }, Date::max());
    r.timer.schedule([&] { ran = true; }, kMax - r.clock->nanos() / 1'000'000 - 60'000);
    r.timer.schedule([&] { ran = true; }, 200 * 365 * 24h);
    r.timer.schedule([&] { r.runs.up(); }, Date{});
    r.timer.schedule([&] { r.runs.up(); }, 10, 10);
    BOOST_TEST(r.runs.reaches(4));
    r.timer.cancel();
    BOOST_TEST(!ran);
}

BOOST_AUTO_TEST_CASE_TEMPLATE(a_real_clock_starts_from_the_time_of_day_and_goes_forward, ClockType,
                              RealClocks) {
    const jtimer::WallClock wall;
    const std::int64_t before = wall.nanos();
    const ClockType clock;
    const std::int64_t constructed =
        wall.nanos() - before;  // the most that the offset can be wrong by
    const std::int64_t earliest = wall.nanos() - constructed;
    const std::int64_t first = clock.nanos();
    BOOST_TEST(first >= earliest);
    BOOST_TEST(first <= wall.nanos() + constructed);
    const std::int64_t begin = clock.nanos();
    boost::this_thread::sleep_for(boost::chrono::milliseconds(5));
    BOOST_TEST(clock.nanos() - begin >= 5'000'000);
}

BOOST_AUTO_TEST_CASE_TEMPLATE(
    a_clock_that_nobody_can_set_does_not_go_back_from_one_thread_to_the_next, ClockType,
    SteadyClocks) {
    const ClockType clock;
    alignas(128) std::atomic<std::int64_t> last{0};
    std::atomic<bool> isOver{false};
    boost::thread other([&] {
        while (!isOver) last.store(clock.nanos(), std::memory_order_release);
    });
    int back = 0;
    for (int n = 0; n < 500'000; ++n) {
        static_cast<void>(clock.nanos());  // meanwhile the other thread fetches the line of `last`
        // So this load takes long, and the reading after it must not overtake it.
        const std::int64_t before = last.load(std::memory_order_acquire);
        if (clock.nanos() < before) ++back;
    }
    isOver = true;
    other.join();
    BOOST_TEST(back == 0);
}

CHILD_PROCESS(reads_its_first_times_with_a_cancellation_pending) {
    jtimer::Timer timer(true);
    test::PosixThread thread([&] {
        pthread_cancel(pthread_self());
        timer.schedule([] {}, 1h);
        static_cast<void>(jtimer::SteadyClock().nanos());
    });
    test::print(thread.join() ? "not cancelled" : "cancelled");
}

BOOST_AUTO_TEST_CASE(the_first_reading_of_a_process_is_no_cancellation_point) {
    test::needCancellation();
    const test::ChildResult child =
        test::runChild("reads_its_first_times_with_a_cancellation_pending");
    BOOST_TEST(child.exitCode == 0);
    BOOST_TEST(child.out == "not cancelled");
}

#if defined(__linux__)
CHILD_PROCESS(notifies_on_a_boottime_clock_with_a_cancellation_pending) {
    auto waiter = jtimer::detail::makeWaiter(jtimer::BoottimeClock());
    test::PosixThread thread([&] {
        pthread_cancel(pthread_self());
        waiter->notify();
        waiter.reset();
    });
    test::print(thread.join() ? "not cancelled" : "cancelled");
}

BOOST_AUTO_TEST_CASE(a_notification_on_a_boottime_clock_is_no_cancellation_point) {
    const test::ChildResult child =
        test::runChild("notifies_on_a_boottime_clock_with_a_cancellation_pending");
    BOOST_TEST(child.exitCode == 0);
    BOOST_TEST(child.out == "not cancelled");
}
#endif

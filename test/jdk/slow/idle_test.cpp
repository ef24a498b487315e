// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "support/manual_timer.hpp"

#include <boost/mpl/list.hpp>
#include <boost/test/unit_test.hpp>
#include <boost/thread/thread.hpp>

#if defined(__linux__)

#include <atomic>
#include <ctime>
#include <fstream>
#include <pthread.h>
#include <string>
#include <sys/syscall.h>
#include <unistd.h>

using namespace std::chrono_literals;
using jtimer::Date;

namespace {

using RealClocks = boost::mpl::list<jtimer::WallClock, jtimer::SteadyClock, jtimer::BoottimeClock>;

/// A timer's thread, as the kernel sees it.
class ThreadWatch {
  public:
    /// Schedules a task that finds out which thread it is, and returns when that thread sleeps
    /// again. Not the millisecond that it may sleep after a notification, nor for the monitor: so
    /// it must be seen asleep twice, ten milliseconds apart, and not have run meanwhile.
    explicit ThreadWatch(jtimer::Timer& timer) {
        timer.schedule(
            [this] {
                pthread_ = pthread_self();
                tid_ = static_cast<long>(syscall(SYS_gettid));
            },
            0);
        for (long before = kAwake;;) {
            boost::this_thread::sleep_for(boost::chrono::milliseconds(10));
            if (tid_ == 0) continue;
            const long now = field("State:") == "S" ? switches() : kAwake;
            if (now != kAwake && now == before) return;
            before = now;
        }
    }

    long switches() const {
        return std::stol(field("voluntary_ctxt_switches:")) +
               std::stol(field("nonvoluntary_ctxt_switches:"));
    }

    std::int64_t cpuNanos() const {
        clockid_t clock{};
        timespec time{};
        BOOST_REQUIRE(pthread_getcpuclockid(pthread_, &clock) == 0);
        BOOST_REQUIRE(clock_gettime(clock, &time) == 0);
        return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
    }

  private:
    static constexpr long kAwake = -1;

    std::string field(const std::string& name) const {
        std::ifstream status("/proc/self/task/" + std::to_string(tid_) + "/status");
        for (std::string word; status >> word;) {
            if (word == name && status >> word) return word;
        }
        BOOST_FAIL("no field " + name);
        return {};
    }

    pthread_t pthread_{};
    std::atomic<long> tid_{0};
};

void checkThatItSleepsForASecond(jtimer::Timer& timer) {
    const ThreadWatch thread(timer);
    const long switches = thread.switches();
    const std::int64_t cpu = thread.cpuNanos();
    boost::this_thread::sleep_for(boost::chrono::seconds(1));
    BOOST_TEST(thread.switches() == switches);
    BOOST_TEST(thread.cpuNanos() == cpu);
}

}  // namespace

BOOST_AUTO_TEST_CASE_TEMPLATE(j14_an_idle_timer_uses_no_cpu_and_never_wakes_up, ClockType,
                              RealClocks) {
    jtimer::Timer timer(test::onClock(std::make_shared<ClockType>()));
    checkThatItSleepsForASecond(timer);
}

BOOST_AUTO_TEST_CASE_TEMPLATE(j14_a_timer_whose_tasks_are_an_hour_away_never_wakes_up, ClockType,
                              RealClocks) {
    jtimer::Timer timer(test::onClock(std::make_shared<ClockType>()));
    timer.schedule([] {}, 1h);
    timer.schedule([] {}, 1h, 1);
    timer.scheduleAtFixedRate([] {}, 2h, 1);
    checkThatItSleepsForASecond(timer);
}

BOOST_AUTO_TEST_CASE_TEMPLATE(j14_a_timer_whose_task_is_two_hundred_years_away_never_wakes_up,
                              ClockType, RealClocks) {
    jtimer::Timer timer(test::onClock(std::make_shared<ClockType>()));
    timer.schedule([] {}, 200 * 365 * 24h);
    checkThatItSleepsForASecond(timer);
}

BOOST_AUTO_TEST_CASE_TEMPLATE(j14_a_timer_whose_only_task_is_never_due_never_wakes_up, ClockType,
                              RealClocks) {
    jtimer::Timer timer(test::onClock(std::make_shared<ClockType>()));
    timer.schedule([] {}, Date::max());
    checkThatItSleepsForASecond(timer);
}

BOOST_AUTO_TEST_CASE_TEMPLATE(
    j14_a_timer_whose_tasks_are_cancelled_or_behind_the_head_never_wakes_up, ClockType,
    RealClocks) {
    jtimer::Timer timer(test::onClock(std::make_shared<ClockType>()));
    timer.schedule([] {}, 1h);
    const ThreadWatch thread(timer);
    const long switches = thread.switches();
    for (int i = 0; i < 100; ++i) timer.schedule([] {}, 2h)->cancel();
    BOOST_TEST(timer.purge() == 100);
    boost::this_thread::sleep_for(boost::chrono::milliseconds(100));
    BOOST_TEST(thread.switches() == switches);
}

#endif

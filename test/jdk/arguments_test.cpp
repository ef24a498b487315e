// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "support/manual_timer.hpp"
#include "support/test.hpp"
#include "support/throws.hpp"

#include <boost/function.hpp>

using jtimer::Date;
using jtimer::IllegalArgumentException;
using jtimer::IllegalStateException;
using jtimer::NullPointerException;
using jtimer::Timer;
using jtimer::TimerTask;
using jtimer::TimeSpan;
using jtimer::When;
using namespace std::chrono_literals;
using test::at;
using test::kStartMillis;
using test::makeTask;
using TaskPointer = std::shared_ptr<TimerTask>;
/// Java's Date, which reaches farther than std::chrono's.
using JavaDate = std::chrono::time_point<std::chrono::system_clock,
                                         std::chrono::duration<std::int64_t, std::milli>>;

namespace {

constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t kMin = std::numeric_limits<std::int64_t>::min();

JavaDate date(std::int64_t millis) { return JavaDate(JavaDate::duration(millis)); }

struct Fixture : test::ManualTimer {
    Timer cancelledTimer{test::onClock(clock)};
    Fixture() { cancelledTimer.cancel(); }
};

/// One of Java's six overloads with its times.
struct Call {
    enum Kind { Once, FixedDelay, FixedRate };

    Kind kind;
    When when;
    TimeSpan period{0};

    TaskPointer operator()(Timer& timer, TaskPointer task) const {
        switch (kind) {
        case Once:
            return timer.schedule(std::move(task), when);
        case FixedDelay:
            return timer.schedule(std::move(task), when, period);
        case FixedRate:
            return timer.scheduleAtFixedRate(std::move(task), when, period);
        }
        return nullptr;
    }
};

constexpr Call::Kind kKinds[] = {Call::Once, Call::FixedDelay, Call::FixedRate};

/// What can be wrong with a call, in the order of J21. The least of them is reported.
enum class Fault {
    NegativeDelay,
    NonPositivePeriod,
    IllegalTime,
    TimerCancelled,
    NullTask,
    TaskUsed
};

const char* textOf(Fault fault) {
    switch (fault) {
    case Fault::NegativeDelay:
        return "IllegalArgumentException: Negative delay.";
    case Fault::NonPositivePeriod:
        return "IllegalArgumentException: Non-positive period.";
    case Fault::IllegalTime:
        return "IllegalArgumentException: Illegal execution time.";
    case Fault::TimerCancelled:
        return "IllegalStateException: Timer already cancelled.";
    case Fault::NullTask:
        return "NullPointerException: task cannot be null";
    case Fault::TaskUsed:
        return "IllegalStateException: Task already scheduled or cancelled";
    }
    return "";
}

std::string outcome(const Call& call, Timer& timer, const TaskPointer& task) {
    try {
        return call(timer, task) == task ? "accepted" : "another task";
    } catch (const IllegalArgumentException& e) {
        return std::string("IllegalArgumentException: ") + e.what();
    } catch (const IllegalStateException& e) {
        return std::string("IllegalStateException: ") + e.what();
    } catch (const NullPointerException& e) {
        return std::string("NullPointerException: ") + e.what();
    }
}

struct Time {
    const char* name;
    When when;
    std::optional<Fault> fault;
};

const std::vector<Time>& times() {
    static const std::vector<Time> times{
        {"delay -1", -1, Fault::NegativeDelay},
        {"delay -1ns", -1ns, Fault::NegativeDelay},
        {"the most negative delay", kMin, Fault::NegativeDelay},
        {"delay 0", 0, {}},
        {"delay 1ns", 1ns, {}},
        {"delay 1000", 1000, {}},
        {"the longest delay", kMax - kStartMillis, {}},
        {"1 ms more", kMax - kStartMillis + 1, Fault::IllegalTime},
        {"an endless delay", kMax, Fault::IllegalTime},
        {"Date(-1)", date(-1), Fault::IllegalTime},
        {"1 ns before 1970", Date{} - 1ns, Fault::IllegalTime},
        {"Date(Long.MIN_VALUE)", date(kMin), Fault::IllegalTime},
        {"Date::min()", Date::min() + 1ms, Fault::IllegalTime},
        {"Date(0)", date(0), {}},
        {"Date(now + 1000)", at(1000), {}},
        {"Date::max()", Date::max(), {}},
        {"Date(Long.MAX_VALUE)", date(kMax), {}},
    };
    return times;
}

struct Period {
    const char* name;
    TimeSpan period;
    bool positive;
};

const std::vector<Period>& periods() {
    static const std::vector<Period> periods{
        {"period 1000", 1000, true}, {"period 1ns", 1ns, true},  {"the longest period", kMax, true},
        {"period 0", 0, false},      {"period -1", -1, false},   {"period -1ns", -1ns, false},
        {"period 0s", 0s, false},    {"the least", kMin, false},
    };
    return periods;
}

/// A task in each state in which it can be handed over.
struct Tasks {
    struct Entry {
        const char* name;
        TaskPointer task;
        std::optional<Fault> fault;
    };

    explicit Tasks(Fixture& f) {
        const TaskPointer pending = f.timer.schedule(makeTask(), 1h);
        const TaskPointer executed = f.timer.schedule(makeTask(), 0);
        f.clock->waitUntilIdle();
        const TaskPointer cancelled = makeTask();
        cancelled->cancel();
        entries = {{"null", nullptr, Fault::NullTask},
                   {"virgin", makeTask(), {}},
                   {"pending", pending, Fault::TaskUsed},
                   {"executed", executed, Fault::TaskUsed},
                   {"cancelled", cancelled, Fault::TaskUsed}};
    }

    std::vector<Entry> entries;
};

/// All timers and tasks for one call, which itself has the faults `faults`.
void checkCall(Fixture& f, const Call& call, const std::set<Fault>& faults) {
    for (const bool isCancelled : {false, true}) {
        const Tasks tasks(f);
        for (const auto& [name, task, fault] : tasks.entries) {
            std::set<Fault> all = faults;
            if (isCancelled) all.insert(Fault::TimerCancelled);
            if (fault) all.insert(*fault);
            const std::string expected = all.empty() ? "accepted" : textOf(*all.begin());
            BOOST_TEST_CONTEXT(name << " task, " << (isCancelled ? "cancelled" : "live")
                                    << " timer") {
                BOOST_TEST(outcome(call, isCancelled ? f.cancelledTimer : f.timer, task) ==
                           expected);
                if (task == nullptr || all.empty()) continue;
                // Nothing has changed (J27): a virgin can be scheduled, a pending one is.
                if (!fault) f.timer.schedule(task, 1000);
                const bool isPending =
                    name == std::string("virgin") || name == std::string("pending");
                BOOST_TEST(task->cancel() == isPending);
            }
        }
        for (const auto& entry : tasks.entries) {
            if (entry.task != nullptr) entry.task->cancel();
        }
        f.timer.purge();
    }
}

}  // namespace

BOOST_FIXTURE_TEST_CASE(j15_to_j27_the_first_failing_check_decides_in_every_combination, Fixture) {
    for (const Call::Kind kind : kKinds) {
        for (const Time& time : times()) {
            for (const Period& period : periods()) {
                std::set<Fault> faults;
                if (time.fault) faults.insert(*time.fault);
                if (kind != Call::Once && !period.positive) faults.insert(Fault::NonPositivePeriod);
                BOOST_TEST_CONTEXT("kind " << kind << ", " << time.name << ", " << period.name) {
                    checkCall(*this, {kind, time.when, period.period}, faults);
                }
                if (kind == Call::Once) break;
            }
        }
    }
}

BOOST_FIXTURE_TEST_CASE(j17_a_task_for_1970_is_due_at_once, Fixture) {
    int runs = 0;
    const auto task = timer.schedule([&] { ++runs; }, date(0));
    clock->waitUntilIdle();
    BOOST_TEST(runs == 1);
    BOOST_TEST(task->scheduledExecutionTime() == 0);
}

BOOST_FIXTURE_TEST_CASE(j18_j19_a_delay_may_reach_javas_last_millisecond_and_no_farther, Fixture) {
    for (const Call::Kind kind : kKinds) {
        const TaskPointer task = makeTask();
        for (const std::int64_t delay : {kMax, kMax - 1, kMax - kStartMillis + 1}) {
            CHECK_THROWS((Call{kind, delay, 5}(timer, task)), IllegalArgumentException,
                         "Illegal execution time.");
        }
        Call{kind, kMax - kStartMillis, 5}(timer, task);
        BOOST_TEST(task->scheduledExecutionTime() == (kind == Call::Once ? kMax : kMax - 5));
    }
}

BOOST_AUTO_TEST_CASE(j18_the_clocks_nanoseconds_count_when_the_sum_is_at_the_edge) {
    // 1000 units of 1/999 s are 1001 ms and 1002 ns or so: enough to carry.
    using Odd = std::chrono::duration<std::int64_t, std::ratio<1, 999>>;
    const std::int64_t seconds = (kMax - kStartMillis) / 1000;
    const Odd delay(999 * seconds + 1);
    const JavaDate edge = date(kMax - 1000 * seconds - 1);
    const auto attempt = [&](Date::duration after) {
        const auto clock =
            std::make_shared<jtimer::ManualClock>(Date(edge.time_since_epoch()) + after);
        Timer timer(test::onClock(clock));
        return outcome({Call::Once, delay}, timer, makeTask());
    };
    BOOST_TEST(attempt(0ms) == "accepted");
    BOOST_TEST(attempt(std::chrono::floor<Date::duration>(998'997ns)) == "accepted");
    BOOST_TEST(attempt(std::chrono::ceil<Date::duration>(998'999ns)) == textOf(Fault::IllegalTime));
}

BOOST_AUTO_TEST_CASE(j18_on_a_clock_before_1970_only_what_comes_after_it_can_be_scheduled) {
    const auto clock = std::make_shared<jtimer::ManualClock>(Date(-5ms));
    Timer timer(test::onClock(clock));
    BOOST_TEST(outcome({Call::Once, 0}, timer, makeTask()) == textOf(Fault::IllegalTime));
    BOOST_TEST(outcome({Call::Once, 4'999us}, timer, makeTask()) == textOf(Fault::IllegalTime));
    BOOST_TEST(outcome({Call::Once, 5}, timer, makeTask()) == "accepted");
}

BOOST_AUTO_TEST_CASE(j18_a_delay_that_begins_before_1970_is_exact_to_the_nanosecond) {
    const auto clock = std::make_shared<jtimer::ManualClock>(Date(-1'500us));
    Timer timer(test::onClock(clock));
    std::int64_t ran = 0;
    timer.schedule([&] { ran = clock->nanos(); }, 2);
    clock->advance(2);
    BOOST_TEST(ran == 500'000);
}

BOOST_FIXTURE_TEST_CASE(j19_the_farthest_times_never_come_and_disturb_nobody, Fixture) {
    test::Log log(clock);
    const auto farthest = timer.schedule(log.entry("never"), date(kMax));
    timer.schedule(log.entry("never"), kMax - kStartMillis - 60'000);
    timer.scheduleAtFixedRate(log.entry("never"), kMax - kStartMillis, kMax);
    BOOST_TEST(!clock->advanceToNext());
    timer.schedule(log.entry("a"), 10);
    timer.scheduleAtFixedRate(log.entry("b"), 20, 20);
    clock->advance(60);
    BOOST_TEST(log.take() == "a@10 b@20 b@40 b@60");
    BOOST_TEST(farthest->scheduledExecutionTime() == kMax);
    BOOST_TEST(farthest->cancel());
}

BOOST_FIXTURE_TEST_CASE(j20_c3_every_kind_of_null_is_the_null_task_in_every_overload, Fixture) {
    const auto refuses = [this](auto null) {
        for (const When& when : {When(10), When(at(10))}) {
            CHECK_THROWS(timer.schedule(null(), when), NullPointerException, "task cannot be null");
            CHECK_THROWS(timer.schedule(null(), when, 5), NullPointerException,
                         "task cannot be null");
            CHECK_THROWS(timer.scheduleAtFixedRate(null(), when, 5), NullPointerException,
                         "task cannot be null");
        }
    };
    refuses([] { return nullptr; });
    refuses([] { return TaskPointer(); });
    refuses([] { return std::shared_ptr<test::FunctionTask>(); });
    refuses([] { return std::unique_ptr<TimerTask>(); });
    refuses([] { return std::function<void()>(); });
    refuses([] { return std::function<int()>(); });
    refuses([] { return boost::function<void()>(); });
    refuses([] { return static_cast<void (*)()>(nullptr); });
    BOOST_TEST(!clock->advanceToNext());  // nothing was queued
}

BOOST_FIXTURE_TEST_CASE(j27_a_refused_call_leaves_the_task_and_the_timer_as_they_were, Fixture) {
    test::Log log(clock);
    timer.schedule(log.entry("before"), 5);
    const auto task = makeTask([&] { log.write("task"); });
    for (const Call& bad : {Call{Call::Once, -1}, Call{Call::FixedDelay, 1, 0},
                            Call{Call::Once, kMax}, Call{Call::FixedRate, date(-1), 1}}) {
        BOOST_CHECK_THROW(bad(timer, task), IllegalArgumentException);
        BOOST_CHECK_THROW(bad(timer, nullptr), IllegalArgumentException);
    }
    BOOST_CHECK_THROW(cancelledTimer.schedule(task, 10, 10), IllegalStateException);
    BOOST_CHECK_THROW(timer.schedule(nullptr, 0), NullPointerException);
    BOOST_TEST(task->scheduledExecutionTime() == 0);
    BOOST_TEST(task.use_count() == 1);

    timer.schedule(task, 10);
    clock->advance(100);
    BOOST_TEST(log.take() == "before@5 task@10");
}

BOOST_FIXTURE_TEST_CASE(j28_the_date_is_read_at_the_call, Fixture) {
    test::Log log(clock);
    Date time = at(10);
    timer.schedule(log.entry("a"), time);
    time += 1h;
    clock->advance(1h);
    BOOST_TEST(log.take() == "a@10");
}

BOOST_FIXTURE_TEST_CASE(j29_a_delay_of_0_means_now, Fixture) {
    test::Log log(clock);
    clock->advance(1'234'567ns);
    for (const When& when : {When(0), When(0ms), When(0ns), When(0h), When(clock->now())}) {
        const auto task = timer.schedule(log.entry("a"), when);
        clock->waitUntilIdle();
        BOOST_TEST(scheduled(*task) == 1);
    }
    BOOST_TEST(log.take() == "a@1 a@1 a@1 a@1 a@1");
}

BOOST_FIXTURE_TEST_CASE(every_overload_takes_milliseconds_durations_and_dates_in_any_mixture,
                        Fixture) {
    test::Log log(clock);
    timer.schedule(log.entry("a"), 500);
    timer.schedule(log.entry("b"), 501'000us);
    timer.schedule(log.entry("c"), at(502));
    timer.schedule(log.entry("d"), 503, 10s);
    timer.schedule(log.entry("e"), 504ms, 10'000L);
    timer.schedule(log.entry("f"), at(505), 10'000U);
    timer.schedule(log.entry("g"), at(506), std::chrono::duration<double>(10.0));
    timer.scheduleAtFixedRate(log.entry("h"), 507ULL, 10s);
    timer.scheduleAtFixedRate(log.entry("i"), 0.508s, 10'000);
    timer.scheduleAtFixedRate(log.entry("j"), date(kStartMillis + 509), 10s);
    clock->advance(1s);
    BOOST_TEST(log.take() == "a@500 b@501 c@502 d@503 e@504 f@505 g@506 h@507 i@508 j@509");
    clock->advance(10s);
    BOOST_TEST(log.take() == "d@10503 e@10504 f@10505 g@10506 h@10507 i@10508 j@10509");
}

// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "brpc/manual_thread.hpp"
#include "support/test.hpp"
#include "support/throws.hpp"

#include <ctime>

using jtimer::Date;
using jtimer::NullPointerException;
using jtimer::brpc::kInvalidTaskId;
using jtimer::brpc::TaskId;
using jtimer::brpc::TimerThread;
using test::at;
using test::countUp;
using test::doNothing;
using test::ManualThread;
using namespace std::chrono_literals;

namespace {

void freeFunction() {}

timespec timespecAt(std::int64_t millis) {
    const std::int64_t since1970 = test::kStartMillis + millis;
    return {static_cast<std::time_t>(since1970 / 1000),
            static_cast<long>(since1970 % 1000 * 1'000'000)};
}

constexpr Date kNever = Date::max();

}  // namespace

BOOST_FIXTURE_TEST_SUITE(schedule, ManualThread)

BOOST_AUTO_TEST_CASE(b8_ids_are_an_even_version_of_at_least_2_above_a_number) {
    for (int i = 0; i < 200; ++i) {
        const TaskId id = timer.schedule(doNothing, nullptr, far());
        BOOST_TEST((id >> 32) == 2U);
        BOOST_TEST((id & 0xFFFFFFFF) < 256U);
    }
    BOOST_TEST(timer.unschedule(0) == -1);
}

BOOST_AUTO_TEST_CASE(b13_schedule_returns_an_id_outside_and_inside_a_task) {
    TaskId inside = kInvalidTaskId;
    timer.schedule([&] { inside = timer.schedule(log.entry("inner"), at(20)); }, at(10));
    clock->advance(30);
    BOOST_TEST(inside != kInvalidTaskId);
    BOOST_TEST(log.take() == "inner@20");
}

BOOST_AUTO_TEST_CASE(b13_schedule_returns_0_before_start_and_after_the_stop) {
    TimerThread fresh;
    BOOST_TEST(fresh.schedule(doNothing, nullptr, far()) == kInvalidTaskId);
    BOOST_TEST(fresh.schedule(freeFunction, far()) == kInvalidTaskId);
    BOOST_TEST(fresh.schedule(doNothing, nullptr, timespecAt(0)) == kInvalidTaskId);
    timer.stopAndJoin();
    BOOST_TEST(timer.schedule(doNothing, nullptr, far()) == kInvalidTaskId);
    BOOST_TEST(timer.schedule(freeFunction, far()) == kInvalidTaskId);
    BOOST_TEST(timer.schedule(doNothing, nullptr, timespecAt(0)) == kInvalidTaskId);
    BOOST_TEST(timer.stats().scheduled == 0U);
}

BOOST_AUTO_TEST_CASE(b14_a_time_that_is_past_0_or_negative_means_as_soon_as_possible) {
    timer.schedule(log.entry("past"), at(-1));
    clock->waitUntilIdle();
    timer.schedule(log.entry("zero"), Date{});
    clock->waitUntilIdle();
    timer.schedule(log.entry("negative"), Date{-5s});
    clock->waitUntilIdle();
    timer.schedule(log.entry("least"), Date::min());
    clock->waitUntilIdle();
    BOOST_TEST(log.take() == "past@0 zero@0 negative@0 least@0");
}

BOOST_AUTO_TEST_CASE(b15_never_is_never_due_and_can_be_unscheduled) {
    const TaskId never = timer.schedule(log.entry("never"), kNever);
    BOOST_TEST(never != kInvalidTaskId);
    clock->waitUntilIdle();
    BOOST_TEST(timer.stats().signals == 0U);
    timer.schedule(log.entry("last"), jtimer::detail::toDate<Date>(jtimer::detail::kNever - 1));
    clock->advanceTo(kNever);
    BOOST_TEST(timer.stats().triggered == 1U);
    BOOST_TEST(timer.stats().pending == 1U);
    BOOST_TEST(timer.unschedule(never) == 0);
}

// As fine as a Date counts: in nanoseconds by libstdc++, in microseconds by libc++.
BOOST_AUTO_TEST_CASE(b16_resolution_is_the_nanosecond_and_nothing_is_early) {
    std::vector<std::int64_t> shown;
    for (const std::int64_t ticks : {1, 2, 999, 1001}) {
        timer.schedule([&] { shown.push_back((clock->now() - test::kStart).count()); },
                       at(0) + Date::duration(ticks));
    }
    clock->advance(2ms);
    BOOST_TEST(shown == (std::vector<std::int64_t>{1, 2, 999, 1001}),
               boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(b16_a_timespec_is_accepted_as_a_time) {
    timer.schedule([](void* self) { static_cast<ManualThread*>(self)->log.write("timespec"); },
                   static_cast<ManualThread*>(this), timespecAt(1250));
    clock->advance(2000);
    BOOST_TEST(log.take() == "timespec@1250");
}

BOOST_AUTO_TEST_CASE(b16_d10_a_timespec_beyond_the_range_saturates) {
    int runs = 0;
    constexpr auto greatest = std::numeric_limits<std::time_t>::max();
    constexpr auto least = std::numeric_limits<std::time_t>::min();
    // A time_t of 32 bits ends in 2038, within the range.
    constexpr int within = sizeof(std::time_t) == 4 ? 3 : 0;
    timer.schedule(countUp, &runs, timespec{greatest, 0});
    timer.schedule(countUp, &runs, timespec{greatest, 999'999'999});
    timer.schedule(countUp, &runs, timespec{greatest / 1'000'000'000 + 1, 0});
    clock->advanceTo(kNever);
    BOOST_TEST(runs == within);
    timer.schedule(countUp, &runs, timespec{least, 0});
    clock->waitUntilIdle();
    BOOST_TEST(runs == within + 1);
}

BOOST_AUTO_TEST_CASE(b17_a_null_task_is_refused_in_every_state_of_the_timer) {
    TimerThread fresh;
    const auto refuses = [](TimerThread& refusing) {
        void (*const noFunction)(void*) = nullptr;
        void (*const noCallable)() = nullptr;
        const char* const text = "task cannot be null";
        CHECK_THROWS(refusing.schedule(noFunction, nullptr, far()), NullPointerException, text);
        CHECK_THROWS(refusing.schedule(noFunction, nullptr, timespecAt(0)), NullPointerException,
                     text);
        CHECK_THROWS(refusing.schedule(noCallable, far()), NullPointerException, text);
        CHECK_THROWS(refusing.schedule(std::function<void()>(), far()), NullPointerException, text);
        const std::function<int()> empty;
        CHECK_THROWS(refusing.schedule(std::ref(empty), far()), NullPointerException, text);
    };
    refuses(fresh);
    refuses(timer);
    timer.stopAndJoin();
    refuses(timer);
    BOOST_TEST(timer.stats().slots == 0U);
}

BOOST_AUTO_TEST_CASE(
    b17_what_copying_a_callable_throws_goes_to_the_caller_and_nothing_has_changed) {
    struct CannotBeCopied {
        std::array<char, 16> small{};
        CannotBeCopied() = default;
        CannotBeCopied(const CannotBeCopied&) { throw std::runtime_error("no copy"); }
        void operator()() const {}
    };
    struct Large : CannotBeCopied {
        std::array<char, 100> large{};
    };
    const CannotBeCopied small;
    const Large large;
    for (int i = 0; i < 1000; ++i) {
        CHECK_THROWS(timer.schedule(small, far()), std::runtime_error, "no copy");
        CHECK_THROWS(timer.schedule(large, far()), std::runtime_error, "no copy");
    }
    BOOST_TEST(timer.stats().scheduled == 0U);
    BOOST_TEST(timer.stats().slots == 0U);
    BOOST_TEST(timer.stats().signals == 0U);
    const TaskId id = timer.schedule(doNothing, nullptr, far());
    BOOST_TEST((id & 0xFFFFFFFF) < 64U);  // the slots were used again
}

BOOST_AUTO_TEST_CASE(b17_a_callable_may_be_move_only_and_may_answer) {
    auto owned = std::make_unique<int>(41);
    int seen = 0;
    timer.schedule(
        [&seen, owned = std::move(owned)] {
            seen = ++*owned;
            return seen;
        },
        at(10));
    timer.schedule(freeFunction, at(10));
    timer.schedule(&freeFunction, at(10));
    const std::function<void()> constant = log.entry("function");
    timer.schedule(constant, at(10));
    clock->advance(10);
    BOOST_TEST(seen == 42);
    BOOST_TEST(log.take() == "function@10");
    BOOST_TEST(timer.stats().triggered == 4U);
}

BOOST_AUTO_TEST_CASE(b18_a_run_sees_what_was_written_before_schedule_and_in_the_runs_before) {
    // Not atomic: the thread sanitizer would complain.
    int written = 0;
    int sum = 0;
    boost::thread([&] {
        written = 20;
        timer.schedule([&] { sum += written; }, at(1));
        timer.schedule([&] { sum *= 2; }, at(2));
    }).join();
    clock->advance(5);
    BOOST_TEST(sum == 40);
}

BOOST_AUTO_TEST_CASE(b19_b30_a_callable_is_copied_under_no_lock) {
    struct SchedulesWhenCopied {
        ManualThread* self;
        explicit SchedulesWhenCopied(ManualThread* thread) : self(thread) {}
        SchedulesWhenCopied(const SchedulesWhenCopied& other) : self(other.self) {
            self->timer.schedule(self->log.entry("by the copy"), at(5));
        }
        void operator()() const { self->log.write("itself"); }
    };
    timer.schedule(SchedulesWhenCopied(this), at(10));
    clock->advance(10);
    BOOST_TEST(log.take() == "by the copy@5 itself@10");
}

BOOST_AUTO_TEST_CASE(stats_count_what_was_done_and_what_is_there) {
    jtimer::brpc::TimerThreadStats inside;
    const TaskId first = timer.schedule(doNothing, nullptr, at(10));
    timer.schedule([&] { inside = timer.stats(); }, at(20));
    timer.schedule(doNothing, nullptr, at(30));
    pull();  // by a fourth task, which runs
    timer.unschedule(first);
    BOOST_TEST(timer.stats().scheduled == 4U);
    BOOST_TEST(timer.stats().triggered == 1U);
    BOOST_TEST(timer.stats().unscheduled == 1U);
    BOOST_TEST(timer.stats().pending == 2U);
    BOOST_TEST(timer.stats().slots == 3U);
    BOOST_TEST(timer.stats().heapSize == 3U);
    clock->advance(20);
    BOOST_TEST(inside.triggered == 2U);
    BOOST_TEST(inside.unscheduled == 1U);
    BOOST_TEST(inside.pending == 1U);
    BOOST_TEST(inside.slots == 2U);     // itself, and the last one
    BOOST_TEST(inside.heapSize == 2U);  // when the thread last went to sleep
    BOOST_TEST(timer.stats().slots == 1U);
    BOOST_TEST(timer.stats().heapSize == 1U);
}

BOOST_AUTO_TEST_SUITE_END()

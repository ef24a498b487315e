// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "run_schedule/dispatcher.hpp"

#include <boost/test/unit_test.hpp>

#include <chrono>
#include <csignal>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>

using std::chrono::milliseconds;

namespace {

/// A dispatcher whose commands end when the test says so, at times that it sets. `log` says what
/// happened when, in milliseconds.
struct Desk final : Dispatcher::Host {
    explicit Desk(int jobs) : dispatcher(*this, jobs, milliseconds(500)) {}

    /// A run of that name is due now. \param options as in a schedule file
    Dispatcher::Outcome due(const std::string& name, Overlap overlap = Overlap::Wait,
                            Retry retry = {}, Entry::Kind kind = Entry::Kind::Cron,
                            milliseconds period = milliseconds(0)) {
        auto& entry = entries[name];
        if (!entry) {
            Entry made;
            made.name = name;
            made.overlap = overlap;
            made.retry = retry;
            made.kind = kind;
            made.period = period;
            entry = std::make_shared<const Entry>(made);
        }
        return dispatcher.due({entry, at(time)});
    }

    void advance(std::int64_t millis) {
        const std::int64_t end = time + millis;
        while (!calls.empty() && calls.begin()->first <= end) {
            time = calls.begin()->first;
            const std::function<void()> call = std::move(calls.begin()->second);
            calls.erase(calls.begin());
            call();
        }
        time = end;
    }

    std::string take() { return std::exchange(log, {}); }

    static jtimer::Date at(std::int64_t millis) { return jtimer::Date(milliseconds(millis)); }
    void write(const std::string& what) {
        log += (log.empty() ? "" : " ") + what + '@' + std::to_string(time);
    }

    jtimer::Date now() override { return at(time); }
    void launch(const Job& job) override {
        const auto late = job.lateness / milliseconds(1);
        write(job.entry->name + (job.attempt > 1 ? '#' + std::to_string(job.attempt) : "") +
              (late > 0 ? "+" + std::to_string(late) : ""));
        if (endsAtOnce) dispatcher.ended(job.entry->name, true);
    }
    void signal(const std::string& name, int signal) override {
        write(name + (signal == SIGTERM ? ":term" : ":kill"));
    }
    void callAfter(milliseconds delay, std::function<void()> function) override {
        calls.emplace(time + delay.count(), std::move(function));
    }
    void begun(const Job&) override {}
    void ended(const Job& job, bool succeeded) override {
        write(job.entry->name + (succeeded ? ":good" : ":bad"));
    }
    void skipped(const Due& due) override { write(due.entry->name + ":skipped"); }
    void tooLate(const Due& due) override { write(due.entry->name + ":late"); }
    void overrun(const Job& job, std::chrono::nanoseconds since) override {
        overruns += job.entry->name + '+' + std::to_string(since / milliseconds(1)) + ' ';
    }

    std::int64_t time = 1000;
    bool endsAtOnce = false;
    std::string overruns;
    std::string log;
    std::multimap<std::int64_t, std::function<void()>> calls;
    std::map<std::string, std::shared_ptr<const Entry>> entries;
    Dispatcher dispatcher;
};

using Outcome = Dispatcher::Outcome;

}  // namespace

BOOST_AUTO_TEST_CASE(different_names_run_at_once_and_the_rest_waits_in_the_order_of_its_times) {
    Desk d(2);
    BOOST_CHECK(d.due("a") == Outcome::Begun);
    BOOST_CHECK(d.due("b") == Outcome::Begun);
    d.advance(10);
    BOOST_CHECK(d.due("c") == Outcome::Waits);
    BOOST_CHECK(d.due("d") == Outcome::Waits);
    d.advance(10);
    d.dispatcher.ended("b", true);
    d.advance(10);
    d.dispatcher.ended("a", true);
    BOOST_TEST(d.take() == "a@1000 b@1000 b:good@1020 c+10@1020 a:good@1030 d+20@1030");
    BOOST_TEST(!d.dispatcher.idle());
    d.dispatcher.ended("c", true);
    d.dispatcher.ended("d", true);
    BOOST_TEST(d.dispatcher.idle());
}

BOOST_AUTO_TEST_CASE(a_run_waits_for_the_previous_one_of_its_name_although_there_is_room) {
    Desk d(2);
    d.due("a");
    d.advance(10);
    BOOST_CHECK(d.due("a") == Outcome::Waits);
    d.advance(10);
    BOOST_TEST(d.take() == "a@1000");
    d.dispatcher.ended("a", false);
    BOOST_TEST(d.take() == "a:bad@1020 a+10@1020");
}

BOOST_AUTO_TEST_CASE(of_a_fixed_rate_all_runs_wait_and_of_others_one) {
    Desk d(1);
    for (int i = 0; i < 4; ++i, d.advance(10)) {
        d.due("rate", Overlap::Wait, {}, Entry::Kind::Rate, milliseconds(10));
        d.due("cron");
    }
    BOOST_TEST(d.take() == "rate@1000 cron:skipped@1010 cron:skipped@1020 cron:skipped@1030");
    d.endsAtOnce = true;
    d.dispatcher.ended("rate", true);
    BOOST_TEST(d.take() == "rate:good@1040 cron+40@1040 cron:good@1040 rate+30@1040 rate:good@1040 "
                           "rate+20@1040 rate:good@1040 rate+10@1040 rate:good@1040");
}

BOOST_AUTO_TEST_CASE(what_skips_is_dropped_while_a_run_is_in_progress_or_waits) {
    Desk d(1);
    d.due("other");
    BOOST_CHECK(d.due("a", Overlap::Skip) == Outcome::Waits);
    BOOST_CHECK(d.due("a", Overlap::Skip) == Outcome::Dropped);
    d.dispatcher.ended("other", true);
    d.advance(5);
    BOOST_CHECK(d.due("a") == Outcome::Dropped);
    d.dispatcher.ended("a", true);
    BOOST_CHECK(d.due("a") == Outcome::Begun);
    BOOST_TEST(d.take() == "other@1000 a:skipped@1000 other:good@1000 a@1000 a:skipped@1005 "
                           "a:good@1005 a@1005");
}

BOOST_AUTO_TEST_CASE(what_kills_ends_the_previous_run_and_begins_when_that_has_ended) {
    Desk d(2);
    d.due("a", Overlap::Kill, {3, milliseconds(10)});
    d.advance(100);
    BOOST_CHECK(d.due("a") == Outcome::Waits);
    d.advance(100);
    d.due("a");  // again, before the first has gone
    d.advance(100);
    BOOST_TEST(d.take() == "a@1000 a:term@1100 a:skipped@1200");
    d.dispatcher.ended("a", false);  // and is not tried again
    BOOST_TEST(d.take() == "a:bad@1300 a+200@1300");
    d.advance(1000);
    BOOST_TEST(d.take() == "");  // the new run is not meant by the old deadline
}

BOOST_AUTO_TEST_CASE(what_does_not_end_within_the_grace_period_is_killed) {
    Desk d(2);
    d.due("a", Overlap::Kill);
    d.advance(100);
    d.due("a");
    d.advance(1000);
    BOOST_TEST(d.take() == "a@1000 a:term@1100 a:kill@1600");
}

BOOST_AUTO_TEST_CASE(a_failed_command_is_tried_again_after_delays_that_double) {
    Desk d(1);
    d.due("a", Overlap::Wait, {3, milliseconds(10)});
    for (int i = 0; i < 4; ++i, d.advance(1000)) d.dispatcher.ended("a", false);
    BOOST_TEST(d.take() == "a@1000 a#2@1010 a#3@2020 a#4@3040 a:bad@4000");

    d.due("b", Overlap::Wait, {3, milliseconds(10)});
    d.dispatcher.ended("b", false);
    d.advance(10);
    d.dispatcher.ended("b", true);
    BOOST_TEST(d.take() == "b@5000 b#2@5010 b:good@5010");
}

BOOST_AUTO_TEST_CASE(delays_end_at_an_hour_or_at_the_first_delay) {
    Desk d(2);
    d.due("a", Overlap::Wait, {9, std::chrono::minutes(25)});
    d.due("b", Overlap::Wait, {9, std::chrono::hours(2)});
    d.take();
    constexpr std::int64_t kMinute = 60'000;
    std::string delays;
    for (int i = 0; i < 4; ++i) {
        d.dispatcher.ended("a", false);
        delays += std::to_string((d.calls.begin()->first - d.time) / kMinute) + ' ';
        d.advance(d.calls.begin()->first - d.time);
    }
    for (int i = 0; i < 2; ++i) {
        d.dispatcher.ended("b", false);
        delays += std::to_string((d.calls.begin()->first - d.time) / kMinute) + ' ';
        d.advance(d.calls.begin()->first - d.time);
    }
    BOOST_TEST(delays == "25 50 60 60 120 120 ");
}

BOOST_AUTO_TEST_CASE(a_run_that_waits_for_its_retry_is_in_progress_but_takes_no_slot) {
    Desk d(1);
    d.due("a", Overlap::Wait, {1, milliseconds(100)});
    d.dispatcher.ended("a", false);
    d.due("a");
    d.due("b");
    BOOST_TEST(d.take() == "a@1000 b@1000");
    d.advance(150);
    BOOST_TEST(d.take() == "");  // the retry waits for the slot
    d.dispatcher.ended("b", true);
    BOOST_TEST(d.take() == "b:good@1150 a#2@1150");
    d.dispatcher.ended("a", false);
    BOOST_TEST(d.take() == "a:bad@1150 a+150@1150");
}

BOOST_AUTO_TEST_CASE(a_retry_is_given_up_for_a_run_that_kills) {
    Desk d(1);
    d.due("a", Overlap::Kill, {1, milliseconds(100)});
    d.dispatcher.ended("a", false);
    d.advance(50);
    d.due("a");
    BOOST_TEST(d.take() == "a@1000 a:bad@1050 a@1050");
    d.advance(1000);
    BOOST_TEST(d.take() == "");

    d.dispatcher.ended("a", false);
    d.due("b");
    d.advance(100);  // the retry is ready, but b has the slot
    d.due("a");
    d.dispatcher.ended("b", true);
    BOOST_TEST(d.take() == "b@2050 a:bad@2150 b:good@2150 a@2150");
}

BOOST_AUTO_TEST_CASE(what_is_dropped_does_not_begin_and_what_runs_goes_on) {
    Desk d(1);
    d.due("a");
    d.due("a");
    d.due("b");
    d.dispatcher.drop("a");
    d.dispatcher.drop("b");
    d.dispatcher.drop("unknown");
    d.dispatcher.ended("a", true);
    BOOST_TEST(d.take() == "a@1000 a:good@1000");

    d.due("c", Overlap::Wait, {1, milliseconds(100)});
    d.dispatcher.ended("c", false);
    d.dispatcher.drop("c");
    d.advance(1000);
    BOOST_TEST(d.take() == "c@1000 c:bad@1000");
    BOOST_TEST(d.dispatcher.idle());

    d.due("c");
    d.dispatcher.drop("c");
    d.dispatcher.ended("c", false);
    d.advance(1000);
    BOOST_TEST(d.take() == "c@2000 c:bad@2000");
    BOOST_TEST(d.dispatcher.idle());
    d.due("c");
    d.dispatcher.ended("c", false);
    d.advance(1000);
    BOOST_TEST(d.take() == "c@3000 c#2@3100");
}

BOOST_AUTO_TEST_CASE(after_stop_nothing_begins_and_retries_have_failed) {
    Desk d(1);
    d.due("a", Overlap::Wait, {1, milliseconds(100)});
    d.dispatcher.ended("a", false);
    d.due("b", Overlap::Wait, {1, milliseconds(100)});
    d.due("c");
    d.dispatcher.stop();
    d.dispatcher.ended("b", false);
    BOOST_TEST(d.take() == "a@1000 b@1000 b:bad@1000");
    d.dispatcher.giveUp();
    BOOST_TEST(d.take() == "a:bad@1000");
    d.advance(1000);
    BOOST_TEST(d.take() == "");
}

BOOST_AUTO_TEST_CASE(r19_a_run_that_is_too_late_is_dropped_wherever_it_waited) {
    Desk d(1);
    const auto entry = [](const char* name, Entry::Kind kind) {
        Entry made;
        made.name = name;
        made.kind = kind;
        made.period = milliseconds(100);
        made.startWithin = milliseconds(50);
        return std::make_shared<const Entry>(made);
    };
    const auto cron = entry("cron", Entry::Kind::Cron), rate = entry("rate", Entry::Kind::Rate);
    BOOST_CHECK(d.dispatcher.due({cron, Desk::at(950)}) == Outcome::Begun);  // just in time
    d.dispatcher.ended("cron", true);
    BOOST_CHECK(d.dispatcher.due({cron, Desk::at(949)}) == Outcome::Dropped);
    BOOST_TEST(d.take() == "cron+50@1000 cron:good@1000 cron:late@1000");
    // In a queue: of the runs of a rate, each by itself.
    d.due("other");
    d.dispatcher.due({cron, Desk::at(1000)});
    for (const int millis : {1000, 1100, 1200}) d.dispatcher.due({rate, Desk::at(millis)});
    d.advance(170);
    d.take();
    d.dispatcher.ended("other", true);
    BOOST_TEST(d.take() ==
               "other:good@1170 cron:late@1170 rate:late@1170 rate:late@1170 rate@1170");
    BOOST_TEST(!d.dispatcher.idle());
}

BOOST_AUTO_TEST_CASE(r21_a_run_that_is_in_progress_when_the_next_is_due_is_told_once) {
    Desk d(2);
    d.due("wait");
    d.due("skip", Overlap::Skip);
    d.advance(10);
    for (int i = 0; i < 3; ++i) {
        d.due("wait");
        d.due("skip");
        d.advance(5);
    }
    BOOST_TEST(std::exchange(d.overruns, {}) == "wait+10 skip+10 ");
    d.dispatcher.ended("wait", true);  // the next one begins
    d.advance(1);
    d.due("wait");
    BOOST_TEST(d.overruns == "wait+1 ");
}

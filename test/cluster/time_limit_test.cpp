// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.

// The time limits of runs. The process's clock is a ManualClock; the database's is its own.

#include "cluster/time_limit.hpp"

#include "cluster/fixture.hpp"
#include "cluster/recorder.hpp"
#include "cluster/scheduler_state.hpp"
#include "cluster/schema.hpp"
#include "support/captured_cerr.hpp"

#include <jtimer/cluster/exceptions.hpp>
#include <jtimer/cluster/scheduler.hpp>
#include <jtimer/exceptions.hpp>
#include <jtimer/manual_clock.hpp>

#include <boost/test/unit_test.hpp>
#include <boost/thread/lock_guard.hpp>
#include <boost/thread/mutex.hpp>
#include <boost/thread/thread.hpp>

#include <atomic>
#include <chrono>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <pthread.h>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace {

using namespace jtimer::cluster;
using jtimer::ManualClock;
using jtimer::TimeSpan;
using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::nanoseconds;
using std::chrono::seconds;

TaskOptions limited(TimeSpan timeout, TimeSpan grace = 30'000) {
    TaskOptions options;
    options.timeout = timeout;
    options.grace = grace;
    options.firstBackoff = 0;
    return options;
}

template <class Condition>
void awaitThat(const Condition& condition) {
    while (!condition()) boost::this_thread::yield();
}

/// A node on a clock that only the test moves. It runs tasks named "n".
struct Fixture : test::Schema {
    Fixture() {
        options.name = "one";
        options.lease = hours(24);
        options.uncaughtExceptionHandler = [this](const std::string&,
                                                  const std::exception_ptr& thrown) {
            try {
                std::rethrow_exception(thrown);
            } catch (const std::exception& e) {
                const boost::lock_guard<boost::mutex> lock(mutex);
                errors.push_back(e.what());
            }
        };
        options.onRunEnd = [this](const RunEnd& end) {
            {
                const boost::lock_guard<boost::mutex> lock(mutex);
                told.push_back(end);
            }
            ends.add();
        };
    }
    ~Fixture() { stop(); }

    void start(const Handler& handler, TaskOptions taskOptions) {
        state.emplace(options);
        state->registry.emplace("n", detail::Registered{handler, std::move(taskOptions)});
        engine.emplace(state->options, state->registry, state->counters, state->stores, clock);
        engine->start();
    }

    void schedule(const std::string& id) {
        Scheduler(options).schedule("n", id, 0);
        engine->dispatcher.lookForTasks();
    }

    void stop() {
        if (engine.has_value()) engine->stop({});
        if (engine.has_value()) last = stats();
        engine.reset();
        state.reset();
    }

    Stats stats() {
        Stats stats = state->counters.read();
        engine->dispatcher.countRuns(stats);
        return stats;
    }

    TaskInfo find(const std::string& id) { return Scheduler(options).find("n", id).value(); }

    std::vector<Outcome> outcomes() {
        const boost::lock_guard<boost::mutex> lock(mutex);
        std::vector<Outcome> all;
        for (const RunEnd& end : told) all.push_back(end.outcome);
        return all;
    }

    const std::shared_ptr<ManualClock> clock = std::make_shared<ManualClock>();
    boost::mutex mutex;  ///< guards the next two
    std::vector<std::string> errors;
    std::vector<RunEnd> told;
    test::Counted ends, begun, go, over;
    test::CapturedCerr printed;
    std::optional<detail::SchedulerState> state;
    std::optional<detail::Engine> engine;
    Stats last;  ///< after stop()
};

const std::string kTooLong = "It took longer than its time limit of 10 s.";

}  // namespace

BOOST_AUTO_TEST_CASE(o26_a_limit_is_exceeded_to_the_nanosecond_and_the_grace_follows) {
    const auto clock = std::make_shared<ManualClock>(jtimer::Date(hours(1)));
    const detail::TimeLimit limit(limited(seconds(10), seconds(5)), clock);
    BOOST_TEST(limit.begunAt() == nanoseconds(hours(1)).count());
    BOOST_TEST((limit.left() == TimeSpan(10'000)));
    BOOST_TEST((limit.untilGraceOver() == TimeSpan(15'000)));
    clock->advance(nanoseconds(9'999'999'999));
    BOOST_TEST(!limit.exceeded());
    BOOST_TEST((limit.left() == TimeSpan(nanoseconds(1))));
    clock->advance(nanoseconds(1));
    BOOST_TEST(limit.exceeded());
    BOOST_TEST((limit.left() == TimeSpan(0)));
    BOOST_TEST(!limit.graceOver());
    clock->advance(nanoseconds(4'999'999'999));
    BOOST_TEST(!limit.graceOver());
    clock->advance(nanoseconds(1));
    BOOST_TEST(limit.graceOver());
    BOOST_TEST((limit.left() == TimeSpan(0)));
}

BOOST_AUTO_TEST_CASE(o26_without_a_limit_a_run_takes_as_long_as_it_likes) {
    const auto clock = std::make_shared<ManualClock>();
    const detail::TimeLimit limit({}, clock);
    const detail::TimeLimit longest(limited(TimeSpan::max()), clock);
    clock->advance(hours(24 * 365 * 100));
    BOOST_TEST(!limit.exceeded());
    BOOST_TEST(!limit.left().has_value());
    BOOST_TEST(!limit.untilGraceOver().has_value());
    BOOST_TEST(!longest.exceeded());
    BOOST_TEST(!longest.untilGraceOver().has_value());
}

BOOST_AUTO_TEST_CASE(o27_a_limit_is_told_in_seconds) {
    const auto message = [](TimeSpan timeout) {
        return detail::TimeLimit(limited(timeout), std::make_shared<ManualClock>()).message();
    };
    BOOST_TEST(message(30'000) == "It took longer than its time limit of 30 s.");
    BOOST_TEST(message(1'500) == "It took longer than its time limit of 1.5 s.");
    BOOST_TEST(message(50) == "It took longer than its time limit of 0.05 s.");
    BOOST_TEST(message(minutes(2)) == "It took longer than its time limit of 120 s.");
    BOOST_TEST(message(nanoseconds(1)) == "It took longer than its time limit of 0.000000001 s.");
}

BOOST_AUTO_TEST_CASE(o26_o28_a_limit_is_positive_and_a_grace_not_negative) {
    Scheduler scheduler;
    const auto refused = [&](TimeSpan timeout, TimeSpan grace, const std::string& text) {
        BOOST_CHECK_EXCEPTION(scheduler.registerTask(
                                  "n", [](Run&) {}, limited(timeout, grace)),
                              jtimer::IllegalArgumentException,
                              [&](const std::exception& e) { return e.what() == text; });
    };
    refused(0, 0, "timeout: expected more than 0");
    refused(-1, 0, "timeout: expected more than 0");
    refused(1, -1, "grace: expected 0 or more");
    BOOST_TEST((TaskOptions().grace == seconds(30)));
    BOOST_TEST(!TaskOptions().timeout.has_value());
}

BOOST_FIXTURE_TEST_SUITE(time_limits, Fixture)

BOOST_AUTO_TEST_CASE(o26_a_run_sees_its_limit_by_the_clock_of_the_process) {
    test::Counted seen;
    TaskOptions once = limited(seconds(10));
    once.maxAttempts = 1;
    start(
        [&](Run& run) {
            BOOST_TEST(!run.timedOut());
            BOOST_TEST(!run.stopRequested());
            BOOST_TEST((run.timeLeft() == TimeSpan(10'000)));
            begun.add();
            go.await(1);
            BOOST_TEST((run.timeLeft() == TimeSpan(1)));
            BOOST_TEST(!run.timedOut());
            seen.add();
            go.await(2);
            BOOST_TEST((run.timeLeft() == TimeSpan(0)));
            BOOST_TEST(run.timedOut());
            BOOST_TEST(run.stopRequested());
            BOOST_TEST(!run.leaseLost());
        },
        once);
    schedule("i");
    begun.await(1);
    clock->advance(9'999);
    go.add();
    seen.await(1);
    clock->advance(1);
    go.add();
    ends.await(1);
    stop();
}

BOOST_AUTO_TEST_CASE(o26_a_run_without_a_limit_never_times_out) {
    start(
        [&](Run& run) {
            begun.add();
            go.await(1);
            BOOST_TEST(!run.timedOut());
            BOOST_TEST(!run.stopRequested());
            BOOST_TEST(!run.timeLeft().has_value());
        },
        {});
    schedule("i");
    begun.await(1);
    clock->advance(hours(23));
    go.add();
    ends.await(1);
    stop();
    BOOST_TEST(last.succeeded == 1U);
    BOOST_TEST(last.timedOut == 0U);
}

BOOST_AUTO_TEST_CASE(o26_the_limit_counts_from_the_arrival_of_the_claim) {
    std::function<void()> held;
    test::Counted queued;
    options.executor = [&](std::function<void()> run) {
        held = std::move(run);
        queued.add();
    };
    start([&](Run& run) { BOOST_TEST((run.timeLeft() == TimeSpan(7'000))); }, limited(seconds(10)));
    schedule("i");
    queued.await(1);
    clock->advance(seconds(3));
    held();
    stop();
    BOOST_TEST(last.succeeded == 1U);
}

BOOST_AUTO_TEST_CASE(o27_a_run_that_returns_after_its_limit_has_failed) {
    start(
        [&](Run&) {
            begun.add();
            go.await(1);
        },
        limited(seconds(10)));
    schedule("i");
    begun.await(1);
    clock->advance(seconds(10));
    go.add();
    begun.await(2);
    ends.await(2);
    stop();
    BOOST_TEST(last.failed == 1U);
    BOOST_TEST(last.timedOut == 1U);
    BOOST_TEST(last.abandoned == 0U);
    BOOST_TEST(last.succeeded == 1U);
    BOOST_TEST(told[0].error == kTooLong);
    BOOST_TEST((told[0].outcome == Outcome::Retrying));
    BOOST_TEST((told[0].duration == seconds(10)));
    BOOST_TEST(errors == std::vector<std::string>{kTooLong}, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(o27_a_run_that_throws_after_its_limit_has_failed_with_both_reasons) {
    TaskOptions once = limited(seconds(10));
    once.maxAttempts = 1;
    start(
        [&](Run& run) {
            begun.add();
            go.await(1);
            run.setPayload("how far it came");
            throw std::runtime_error(run.id() == "long" ? std::string(2'000, 'x') : "half done");
        },
        once);
    schedule("i");
    schedule("long");
    begun.await(2);
    clock->advance(seconds(11));
    go.add();
    ends.await(2);
    stop();
    BOOST_TEST(find("i").lastError == kTooLong + " half done");
    BOOST_TEST(find("i").payload == "how far it came");
    BOOST_TEST(find("long").lastError ==
               (kTooLong + " " + std::string(2'000, 'x')).substr(0, 2'000));
    BOOST_TEST(last.timedOut == 2U);
}

BOOST_AUTO_TEST_CASE(o27_a_run_that_ends_its_thread_after_its_limit_has_failed_with_both_reasons) {
    TaskOptions once = limited(seconds(10));
    once.maxAttempts = 1;
    start(
        [&](Run&) {
            begun.add();
            go.await(1);
            pthread_exit(nullptr);
        },
        once);
    schedule("i");
    begun.await(1);
    clock->advance(seconds(10));
    go.add();
    ends.await(1);
    stop();
    BOOST_TEST(find("i").lastError == kTooLong + " The handler ended its thread.");
}

BOOST_AUTO_TEST_CASE(o27_a_committed_complete_is_a_success_however_long_it_took) {
    TaskOptions once = limited(seconds(10));
    once.maxAttempts = 1;
    start(
        [&](Run& run) {
            test::Session session;
            session("begin");
            run.complete(session.get());
            session(run.id() == "commits" ? "commit" : "rollback");
            begun.add();
            go.await(1);
        },
        once);
    schedule("commits");
    schedule("rolls back");
    begun.await(2);
    clock->advance(seconds(20));
    go.add();
    ends.await(2);
    stop();
    BOOST_TEST(last.succeeded == 1U);
    BOOST_TEST(last.failed == 1U);
    BOOST_TEST(last.timedOut == 2U);
    const std::string error = kTooLong + " The transaction of complete() was not committed.";
    BOOST_TEST(find("rolls back").lastError == error);
    BOOST_TEST(errors == std::vector<std::string>{error}, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(o28_a_handler_that_does_not_return_is_abandoned_and_retried_while_it_runs) {
    std::atomic<bool> second{false}, lost{false}, throws{false}, refused{false};
    start(
        [&](Run& run) {
            if (run.attempt() > 1) {
                second = true;
                begun.add();
                return;
            }
            run.setPayload("too late");
            begun.add();
            go.await(1);
            lost = run.leaseLost();
            try {
                run.checkLease();
            } catch (const LeaseLostException&) {
                throws = true;
            }
            test::Session session;
            session("begin");
            try {
                run.complete(session.get());
            } catch (const LeaseLostException&) {
                refused = true;
            }
        },
        limited(seconds(10), seconds(5)));
    schedule("i");
    begun.await(1);
    clock->advance(nanoseconds(14'999'999'999));
    BOOST_TEST(stats().abandoned == 0U);
    BOOST_TEST((find("i").state == State::Running));
    clock->advance(nanoseconds(1));
    begun.await(2);
    ends.await(3);
    BOOST_TEST(second);
    BOOST_TEST(stats().running == 1U);
    BOOST_TEST(stats().abandonedRunning == 1U);
    BOOST_TEST((stats().oldestRun == seconds(15)));
    go.add();
    stop();
    BOOST_TEST(lost);
    BOOST_TEST(throws);
    BOOST_TEST(refused);
    BOOST_TEST(last.timedOut == 1U);
    BOOST_TEST(last.abandoned == 1U);
    BOOST_TEST(last.abandonedRunning == 0U);
    BOOST_TEST(last.failed == 1U);
    BOOST_TEST(last.succeeded == 1U);
    BOOST_TEST(last.fenced == 1U);
    const std::string error = kTooLong + " It was abandoned.";
    BOOST_TEST((outcomes() == std::vector<Outcome>{Outcome::Abandoned, Outcome::Retrying,
                                                   Outcome::Succeeded, Outcome::Fenced}));
    BOOST_TEST(told[0].error == error);
    BOOST_TEST(told[1].error == error);
    BOOST_TEST((told[0].duration == seconds(15)));
    BOOST_TEST(told[0].fencingToken == told[3].fencingToken);
    BOOST_TEST(told[0].fencingToken < told[2].fencingToken);
    BOOST_TEST(errors == std::vector<std::string>{error}, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(o28_the_lease_is_lost_before_the_failure_is_written) {
    test::Recorder recorder;
    std::atomic<bool> lost{false};
    start(
        [&](Run& run) {
            begun.add();
            go.await(1);
            lost = run.leaseLost();
            over.add();
        },
        limited(seconds(10), 0));
    schedule("i");
    begun.await(1);
    recorder.hold("write_ends");
    clock->advance(seconds(10));
    recorder.await("write_ends", 1);
    go.add();
    over.await(1);
    BOOST_TEST(lost);
    // The handler has returned, and its end waits for the failure, so as not to overtake it.
    BOOST_TEST((find("i").state == State::Running));
    recorder.release();
    ends.await(3);
    stop();
    BOOST_TEST(told[1].error == kTooLong + " It was abandoned.");
    BOOST_TEST(last.fenced == 1U);
}

BOOST_AUTO_TEST_CASE(o28_another_node_may_retry_an_abandoned_run) {
    options.concurrency = 1;
    start(
        [&](Run&) {
            begun.add();
            go.await(1);
        },
        limited(seconds(10), seconds(5)));
    schedule("i");
    begun.await(1);
    test::Counted retried;
    Options others = options;
    others.onRunEnd = {};
    others.lease = 30'000;
    Scheduler other(others);
    other.registerTask("n", [&](Run& run) {
        BOOST_TEST(run.attempt() == 2);
        retried.add();
    });
    other.start();
    clock->advance(seconds(15));
    retried.await(1);
    other.stop();
    BOOST_TEST(other.stats().succeeded == 1U);
    BOOST_TEST(other.stats().takenOver == 0U);
    BOOST_TEST(stats().abandonedRunning == 1U);
    go.add();
    stop();
    BOOST_TEST(last.fenced == 1U);
    BOOST_TEST(last.succeeded == 0U);
}

BOOST_AUTO_TEST_CASE(o28_k44_the_failure_is_fenced_if_complete_was_committed) {
    test::Recorder recorder;
    start(
        [&](Run& run) {
            test::Session session;
            session("begin");
            run.complete(session.get());
            begun.add();
            go.await(1);
            session("commit");
            over.add();
            go.await(2);
        },
        limited(seconds(10), seconds(5)));
    schedule("i");
    begun.await(1);
    clock->advance(seconds(15));
    // The row is locked by the transaction, so the failure waits.
    recorder.await("write_ends", 1);
    go.add();
    over.await(1);
    while (stats().fenced == 0) clock->advance(20);
    BOOST_TEST(stats().succeeded == 0U);
    go.add();
    stop();
    BOOST_TEST(last.abandoned == 1U);
    BOOST_TEST(last.succeeded == 1U);
    BOOST_TEST(last.failed == 0U);
    BOOST_TEST((outcomes() ==
                std::vector<Outcome>{Outcome::Abandoned, Outcome::Fenced, Outcome::Succeeded}));
}

BOOST_AUTO_TEST_CASE(o28_an_abandoned_run_out_of_attempts_is_dead_as_after_any_failure) {
    TaskOptions once = limited(seconds(10), 0);
    once.delivery = Delivery::AtMostOnce;
    start(
        [&](Run&) {
            begun.add();
            go.await(1);
        },
        once);
    schedule("i");
    begun.await(1);
    clock->advance(seconds(10));
    ends.await(2);
    BOOST_TEST((find("i").state == State::Dead));
    go.add();
    stop();
    BOOST_TEST(find("i").lastError == kTooLong + " It was abandoned.");
    BOOST_TEST(begun.get() == 1);
}

BOOST_AUTO_TEST_CASE(o28_with_the_longest_grace_no_handler_is_abandoned) {
    start(
        [&](Run& run) {
            begun.add();
            go.await(1);
            BOOST_TEST(!run.leaseLost());
        },
        limited(seconds(10), TimeSpan::max()));
    schedule("i");
    begun.await(1);
    clock->advance(hours(23));
    BOOST_TEST((find("i").state == State::Running));
    go.add();
    ends.await(1);
    stop();
    BOOST_TEST(last.abandoned == 0U);
    BOOST_TEST(last.timedOut == 1U);
    BOOST_TEST(last.failed == 1U);
}

BOOST_AUTO_TEST_CASE(o28_a_run_that_has_returned_is_not_abandoned) {
    start([](Run&) {}, limited(seconds(10), seconds(5)));
    const auto pending = [&] { return engine->environment.timer->stats().pending; };
    awaitThat([&] { return pending() == 2; });  // the next renewal and the next poll
    schedule("i");
    ends.await(1);
    awaitThat([&] { return pending() == 2 && stats().running == 0; });
    clock->advance(seconds(15));
    stop();
    BOOST_TEST(last.abandoned == 0U);
    BOOST_TEST(last.succeeded == 1U);
}

BOOST_AUTO_TEST_CASE(o28_a_run_that_its_executor_begins_after_the_grace_does_not_begin) {
    std::function<void()> held;
    test::Counted queued;
    options.executor = [&](std::function<void()> run) {
        held = std::move(run);
        queued.add();
    };
    TaskOptions once = limited(seconds(10), seconds(5));
    once.maxAttempts = 1;
    start([&](Run&) { BOOST_ERROR("It ran."); }, once);
    schedule("i");
    queued.await(1);
    clock->advance(seconds(15));
    ends.await(2);
    held();
    stop();
    BOOST_TEST((find("i").state == State::Dead));
    BOOST_TEST(last.notBegun == 1U);
    BOOST_TEST(last.abandoned == 1U);
    BOOST_TEST(last.failed == 1U);
}

BOOST_AUTO_TEST_CASE(o29_an_abandoned_handler_keeps_its_slot_and_is_printed_once) {
    options.concurrency = 2;
    TaskOptions once = limited(seconds(10), seconds(5));
    once.maxAttempts = 1;
    std::atomic<int> runs{0};
    start(
        [&](Run& run) {
            ++runs;
            if (run.id() == "later") return;
            begun.add();
            go.await(run.id() == "1" ? 1 : 2);
            over.add();
        },
        once);
    schedule("1");
    begun.await(1);
    clock->advance(seconds(15));
    ends.await(2);
    const auto line = [](const std::string& id) {
        return "Task \"n\" \"" + id +
               "\" is abandoned: it has not returned 5 s after its time limit of 10 s\n";
    };
    const auto dead = [](const std::string& id) {
        return "Task \"n\" \"" + id + "\" is dead after 1 attempt: " + kTooLong +
               " It was abandoned.\n";
    };
    BOOST_TEST(printed.text() == line("1") + dead("1"));
    schedule("2");
    begun.await(2);
    clock->advance(seconds(15));
    ends.await(4);
    BOOST_TEST(printed.text() ==
               line("1") + dead("1") + line("2") +
                   "Node \"one\" runs nothing more: abandoned runs hold all of its slots\n" +
                   dead("2"));
    BOOST_TEST(stats().abandonedRunning == 2U);
    schedule("later");
    clock->advance(minutes(1));
    BOOST_TEST(runs == 2);
    BOOST_TEST((find("later").state == State::Scheduled));
    // A handler that returns frees its slot.
    go.add();
    awaitThat([&] { return runs == 3; });
    go.add();
    stop();
    BOOST_TEST(last.abandoned == 2U);
    BOOST_TEST(last.fenced == 2U);
    BOOST_TEST(last.succeeded == 1U);
}

BOOST_AUTO_TEST_CASE(o29_stop_waits_for_an_abandoned_handler_and_abandons_while_it_waits) {
    start(
        [&](Run&) {
            begun.add();
            go.await(1);
        },
        limited(seconds(10), seconds(5)));
    schedule("i");
    begun.await(1);
    BOOST_TEST(!engine->stop(TimeSpan(1)));
    clock->advance(seconds(15));
    ends.await(2);
    BOOST_TEST(!engine->stop(TimeSpan(1)));
    BOOST_TEST((find("i").state == State::Retrying));
    BOOST_TEST(engine->dispatcher.runningTasks() == "\"n\" \"i\"");
    go.add();
    stop();
    BOOST_TEST(last.fenced == 1U);
}

BOOST_AUTO_TEST_CASE(o28_the_failure_of_an_abandoned_run_is_kept_while_the_database_is_away) {
    test::Recorder recorder;
    start(
        [&](Run&) {
            begun.add();
            go.await(1);
        },
        limited(seconds(10), seconds(5)));
    schedule("i");
    begun.await(1);
    recorder.hold("write_ends");
    clock->advance(seconds(15));
    recorder.await("write_ends", 1);
    ask("select pg_terminate_backend(pid) from pg_stat_activity where query like '%write_ends%' "
        "or application_name = 'jtimer'");
    go.add();
    recorder.release();
    while (stats().failed + stats().fenced < 2) clock->advance(100);
    stop();
    BOOST_TEST(last.failed == 1U);
    BOOST_TEST(last.fenced == 1U);
    BOOST_TEST(last.abandoned == 1U);
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_CASE(o28_a_handler_on_the_clock_of_the_system_is_abandoned) {
    test::Schema schema;
    const test::CapturedCerr printed;
    test::Counted begun, told;
    schema.options.onRunEnd = [&](const RunEnd& end) {
        if (end.outcome == Outcome::Abandoned) told.add();
    };
    Scheduler scheduler(schema.options);
    scheduler.registerTask(
        "n",
        [&](Run& run) {
            if (run.attempt() == 1) told.await(1);
            begun.add();
        },
        limited(20, 20));
    scheduler.schedule("n", "i", 0);
    scheduler.start();
    begun.await(2);
    scheduler.stop();
    BOOST_TEST(scheduler.stats().abandoned == 1U);
    BOOST_TEST(scheduler.stats().fenced == 1U);
    BOOST_TEST(scheduler.stats().succeeded == 1U);
}

// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.

// Options::around and Options::onRunEnd.

#include "cluster/environment.hpp"
#include "cluster/failpoint.hpp"
#include "cluster/fixture.hpp"
#include "cluster/recorder.hpp"
#include "cluster/run_end_hook.hpp"
#include "cluster/schema.hpp"
#include "support/captured_cerr.hpp"

#include <jtimer/cluster/scheduler.hpp>
#include <jtimer/exceptions.hpp>

#include <boost/test/unit_test.hpp>
#include <boost/thread/lock_guard.hpp>
#include <boost/thread/mutex.hpp>
#include <boost/thread/thread.hpp>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <exception>
#include <functional>
#include <pthread.h>
#include <stdexcept>
#include <string>
#include <sys/socket.h>
#include <vector>

namespace {

using namespace jtimer::cluster;
using jtimer::Date;
using std::chrono::hours;
using std::chrono::microseconds;

TaskOptions attempts(int most) {
    TaskOptions options;
    options.maxAttempts = most;
    return options;
}

std::string textOf(const std::exception_ptr& exception) {
    try {
        std::rethrow_exception(exception);
    } catch (const std::exception& e) {
        return e.what();
    }
}

/// What onRunEnd, or the uncaught exception handler, has been told.
template <class Value>
class Told {
  public:
    void add(const Value& value) {
        {
            const boost::lock_guard<boost::mutex> lock(mutex_);
            values_.push_back(value);
        }
        count_.add();
    }
    void await(int count) const { count_.await(count); }
    std::vector<Value> all() const {
        const boost::lock_guard<boost::mutex> lock(mutex_);
        return values_;
    }

  private:
    mutable boost::mutex mutex_;
    std::vector<Value> values_;
    test::Counted count_;
};

struct Fixture : test::Schema {
    Fixture() {
        options.onRunEnd = [this](const RunEnd& end) { ends.add(end); };
        options.uncaughtExceptionHandler = [this](const std::string&,
                                                  const std::exception_ptr& exception) {
            errors.add(textOf(exception));
        };
    }

    Date wakeOf(const std::string& id) const {
        return Date(microseconds(std::stoll(
            ask("select (extract(epoch from wake) * 1000000)::bigint from @.task where id = '" +
                id + "'"))));
    }

    Told<RunEnd> ends;
    Told<std::string> errors;
};

/// A task of one attempt runs with this `around`.
struct Around : Fixture {
    explicit Around() { options.onRunEnd = {}; }

    void run(const std::function<void(Run&, const std::function<void()>&)>& around,
             const Handler& handler) {
        options.around = around;
        Scheduler scheduler(options);
        scheduler.registerTask("n", handler, attempts(1));
        scheduler.schedule("n", "i", 0);
        scheduler.start();
        while (scheduler.stats().succeeded + scheduler.stats().failed == 0)
            boost::this_thread::yield();
        scheduler.stop();
        stats = scheduler.stats();
        if (const auto task = scheduler.find("n", "i")) lastError = task->lastError;
    }

    Stats stats;
    std::string lastError;
    const test::CapturedCerr printed;
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(around_handlers, Around)

BOOST_AUTO_TEST_CASE(o36_around_is_called_on_the_handlers_thread_and_calls_the_handler) {
    std::vector<std::string> order;
    boost::thread::id outside, inside;
    const Run* shown = nullptr;
    const Run* handled = nullptr;
    run(
        [&](Run& run, const std::function<void()>& handler) {
            outside = boost::this_thread::get_id();
            shown = &run;
            order.push_back("before " + run.id());
            handler();
            order.push_back("after " + run.id());
        },
        [&](Run& run) {
            inside = boost::this_thread::get_id();
            handled = &run;
            order.push_back("handler " + run.id());
        });
    BOOST_TEST(order == (std::vector<std::string>{"before i", "handler i", "after i"}),
               boost::test_tools::per_element());
    BOOST_TEST((inside == outside));
    BOOST_TEST(shown == handled);
    BOOST_TEST(stats.succeeded == 1U);
}

BOOST_AUTO_TEST_CASE(o36_what_the_handler_throws_passes_through_around) {
    std::string seen;
    run(
        [&](Run&, const std::function<void()>& handler) {
            try {
                handler();
            } catch (const std::exception& e) {
                seen = e.what();
                throw;
            }
        },
        [](Run&) { throw std::runtime_error("broken"); });
    BOOST_TEST(seen == "broken");
    BOOST_TEST(lastError == "broken");
    BOOST_TEST(errors.all() == std::vector<std::string>{"broken"},
               boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(o36_what_leaves_around_counts) {
    run(
        [](Run&, const std::function<void()>& handler) {
            try {
                handler();
            } catch (const std::exception&) {  // NOLINT(bugprone-empty-catch)
            }
        },
        [](Run&) { throw std::runtime_error("swallowed"); });
    BOOST_TEST(stats.succeeded == 1U);
    BOOST_TEST(errors.all().empty());
}

BOOST_AUTO_TEST_CASE(o36_a_run_whose_around_throws_has_failed) {
    run(
        [](Run&, const std::function<void()>& handler) {
            handler();
            throw std::runtime_error("no span");
        },
        [](Run&) {});
    BOOST_TEST(stats.failed == 1U);
    BOOST_TEST(lastError == "no span");
}

BOOST_AUTO_TEST_CASE(o36_a_run_whose_around_does_not_call_the_handler_has_failed) {
    run([](Run&, const std::function<void()>&) {}, [](Run&) { BOOST_ERROR("It ran."); });
    BOOST_TEST(stats.failed == 1U);
    BOOST_TEST(lastError == "Options::around did not call the handler.");
    BOOST_TEST(errors.all() == std::vector<std::string>{lastError},
               boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(o36_a_run_whose_around_calls_the_handler_twice_has_failed_and_runs_it_once) {
    test::Counted runs, refused;
    run(
        [&](Run&, const std::function<void()>& handler) {
            handler();
            try {
                handler();
            } catch (const jtimer::IllegalStateException&) {
                refused.add();
            }
        },
        [&](Run&) { runs.add(); });
    BOOST_TEST(runs.get() == 1);
    BOOST_TEST(refused.get() == 1);
    BOOST_TEST(stats.failed == 1U);
    BOOST_TEST(lastError == "Options::around called the handler more than once.");
}

BOOST_AUTO_TEST_CASE(o36_k44_what_around_does_after_a_committed_complete_is_only_reported) {
    run([](Run&, const std::function<void()>& handler) { handler(), handler(); },
        [](Run& run) {
            test::Session session;
            session("begin");
            run.complete(session.get());
            session("commit");
        });
    BOOST_TEST(stats.succeeded == 1U);
    BOOST_TEST(stats.failed == 0U);
    BOOST_TEST(errors.all() == std::vector<std::string>{"The handler has been called already."},
               boost::test_tools::per_element());
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_FIXTURE_TEST_SUITE(ends_of_runs, Fixture)

BOOST_AUTO_TEST_CASE(o37_on_run_end_is_told_of_a_success_once_it_is_written) {
    Told<bool> found;
    std::int64_t token = 0;
    Scheduler scheduler(options);
    options.onRunEnd = [&](const RunEnd& end) {
        found.add(scheduler.find(end.name, end.id).has_value());
        ends.add(end);
    };
    Scheduler runs(options);
    runs.registerTask("n", [&](Run& run) {
        token = run.fencingToken();
        boost::this_thread::sleep_for(boost::chrono::milliseconds(20));
    });
    const Date due = Date::clock::now() - hours(1);
    runs.schedule("n", "i", due);
    runs.start();
    ends.await(1);
    runs.stop();
    const std::vector<RunEnd> told = ends.all();
    BOOST_REQUIRE(told.size() == 1U);
    BOOST_TEST(told[0].name == "n");
    BOOST_TEST(told[0].id == "i");
    BOOST_TEST(told[0].attempt == 1);
    BOOST_TEST(told[0].fencingToken == token);
    BOOST_TEST((told[0].outcome == Outcome::Succeeded));
    BOOST_TEST((told[0].lateness >= hours(1)));
    BOOST_TEST((told[0].lateness < hours(2)));
    BOOST_TEST((told[0].duration >= std::chrono::milliseconds(20)));
    BOOST_TEST(!told[0].nextDue.has_value());
    BOOST_TEST(told[0].error.empty());
    BOOST_TEST(found.all() == std::vector<bool>{false}, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(o37_on_run_end_is_told_what_becomes_of_the_task) {
    const test::CapturedCerr printed;
    Scheduler scheduler(options);
    const auto fail = [](Run&) { throw std::runtime_error("broken"); };
    scheduler.registerTask("works", [](Run&) {});
    scheduler.registerTask("fails", fail, attempts(1));
    scheduler.registerTask("retries", fail, attempts(2));
    scheduler.registerTask("again", [](Run& run) { run.again(hours(2)); });
    scheduler.start();
    auto told = [&, count = 0]() mutable {
        ends.await(++count);
        return ends.all().back();
    };

    scheduler.scheduleWithFixedDelay("works", "repeats", 0, hours(1));
    RunEnd end = told();
    BOOST_TEST((end.outcome == Outcome::Succeeded));
    BOOST_TEST((end.nextDue == wakeOf("repeats")));

    scheduler.schedule("again", "again", 0);
    end = told();
    BOOST_TEST((end.outcome == Outcome::Succeeded));
    BOOST_TEST((end.nextDue == wakeOf("again")));

    scheduler.schedule("retries", "retries", 0);
    end = told();
    BOOST_TEST((end.outcome == Outcome::Retrying));
    BOOST_TEST((end.nextDue == wakeOf("retries")));
    BOOST_TEST(end.error == "broken");
    scheduler.runNow("retries", "retries");
    end = told();
    BOOST_TEST((end.outcome == Outcome::Dead));
    BOOST_TEST(end.attempt == 2);
    BOOST_TEST(!end.nextDue.has_value());

    scheduler.scheduleAtFixedRate("fails", "gives up", 0, hours(1));
    end = told();
    BOOST_TEST((end.outcome == Outcome::GaveUp));
    BOOST_TEST((end.nextDue == wakeOf("gives up")));
    BOOST_TEST(end.error == "broken");

    scheduler.schedule("fails", "dies", 0);
    end = told();
    BOOST_TEST((end.outcome == Outcome::Dead));
    BOOST_TEST(!end.nextDue.has_value());
    scheduler.stop();
}

BOOST_AUTO_TEST_CASE(o37_on_run_end_is_told_of_a_task_that_is_given_up_without_a_run) {
    const test::CapturedCerr printed;
    Scheduler scheduler(options);
    scheduler.registerTask("n", [](Run&) { BOOST_ERROR("It ran."); });
    scheduler.schedule("n", "i", 0);
    ask("update @.task set attempt = 3, crashes = 3");
    scheduler.start();
    ends.await(1);
    scheduler.stop();
    const RunEnd end = ends.all()[0];
    BOOST_TEST((end.outcome == Outcome::Dead));
    BOOST_TEST(end.error == "its process died 3 times");
    BOOST_TEST(end.duration.count() == 0);
}

BOOST_AUTO_TEST_CASE(o37_on_run_end_is_told_of_a_fenced_end) {
    Scheduler scheduler(options);
    scheduler.registerTask("n", [&](Run& run) {
        scheduler.cancel("n", run.id());
        throw std::runtime_error("too late");
    });
    scheduler.schedule("n", "i", 0);
    scheduler.start();
    ends.await(1);
    scheduler.stop();
    const RunEnd end = ends.all()[0];
    BOOST_TEST((end.outcome == Outcome::Fenced));
    BOOST_TEST(!end.nextDue.has_value());
    BOOST_TEST(end.error == "too late");
}

BOOST_AUTO_TEST_CASE(o37_on_run_end_is_told_of_an_end_that_complete_has_written) {
    Scheduler scheduler(options);
    scheduler.registerTask("n", [&](Run& run) {
        test::Session session;
        session("begin");
        run.complete(session.get());
        session(run.id() == "commits" ? "commit" : "rollback");
    });
    scheduler.start();
    scheduler.scheduleWithFixedDelay("n", "commits", 0, hours(1));
    ends.await(1);
    scheduler.scheduleWithFixedDelay("n", "rolls back", 0, hours(1));
    ends.await(2);
    scheduler.stop();
    const std::vector<RunEnd> told = ends.all();
    BOOST_TEST((told[0].outcome == Outcome::Succeeded));
    BOOST_TEST((told[0].nextDue == wakeOf("commits")));
    BOOST_TEST(told[0].error.empty());
    BOOST_TEST((told[1].outcome == Outcome::GaveUp));
    BOOST_TEST((told[1].nextDue == wakeOf("rolls back")));
    BOOST_TEST(told[1].error == "The transaction of complete() was not committed.");
}

BOOST_AUTO_TEST_CASE(o37_on_run_end_is_told_the_due_behind_a_pause) {
    Scheduler scheduler(options);
    scheduler.registerTask("n", [&](Run&) {
        ask("update @.task set held = wake, paused_since = @.now() where id = 'i'");
    });
    scheduler.scheduleWithFixedDelay("n", "i", 0, hours(1));
    scheduler.start();
    ends.await(1);
    scheduler.stop();
    BOOST_TEST(ask("select wake, held < 'infinity' from @.task") == "infinity");
    ask("update @.task set wake = held");
    BOOST_TEST((ends.all()[0].nextDue == wakeOf("i")));
}

BOOST_AUTO_TEST_CASE(k83_o37_an_end_whose_answer_was_lost_is_told_once) {
    std::atomic<bool> broken{false};
    detail::setFailpoint([&](const char* statement, bool before, int socket) {
        if (before && std::string(statement) == "write_ends" && !broken.exchange(true))
            ::shutdown(socket, SHUT_RD);
    });
    {
        Scheduler scheduler(options);
        scheduler.registerTask("n", [](Run&) {});
        scheduler.scheduleWithFixedDelay("n", "i", 0, hours(1));
        scheduler.start();
        ends.await(1);
        scheduler.stop();
    }
    detail::setFailpoint({});
    BOOST_TEST(broken);
    BOOST_TEST(ends.all().size() == 1U);
    BOOST_TEST((ends.all()[0].outcome == Outcome::Succeeded));
}

BOOST_AUTO_TEST_CASE(o37_calls_come_on_one_thread_and_may_call_everything_but_stop) {
    Told<boost::thread::id> threads;
    test::Counted handled, refused;
    boost::thread::id handler;
    Scheduler* calls = nullptr;
    options.concurrency = 1;
    options.onRunEnd = [&](const RunEnd&) {
        calls->stats();
        calls->backlog();
        calls->unfinished();
        calls->schedule("m", "later", hours(1));
        BOOST_CHECK_THROW(calls->stop(), jtimer::IllegalStateException);
        threads.add(boost::this_thread::get_id());
    };
    Scheduler scheduler(options);
    calls = &scheduler;
    scheduler.registerTask("n", [&](Run&) { handler = boost::this_thread::get_id(); });
    for (int i = 0; i < 5; ++i) scheduler.schedule("n", std::to_string(i), 0);
    scheduler.start();
    threads.await(5);
    scheduler.stop();
    for (const boost::thread::id& thread : threads.all()) {
        BOOST_TEST((thread == threads.all()[0]));
        BOOST_TEST((thread != handler));
    }
    BOOST_TEST(scheduler.find("m", "later").has_value());
}

BOOST_AUTO_TEST_CASE(o37_a_call_that_hangs_delays_neither_ends_nor_renewals_nor_runs) {
    const test::Recorder recorder;
    test::Counted entered, left;
    options.lease = 1000;
    options.onRunEnd = [&](const RunEnd& end) {
        entered.add();
        if (end.id == "0") left.await(1);
    };
    Scheduler scheduler(options);
    scheduler.registerTask("n", [](Run&) {});
    scheduler.start();
    scheduler.schedule("n", "0", 0);
    entered.await(1);
    for (int i = 1; i < 100; ++i) scheduler.schedule("n", std::to_string(i), 0);
    while (scheduler.stats().succeeded < 100) boost::this_thread::yield();
    recorder.await("renew", recorder.count("renew") + 3);
    BOOST_TEST(entered.get() == 1);
    // Every run is over and its end written, which is what stop() asks.
    BOOST_TEST(scheduler.stop(10));
    left.add();
    scheduler.stop();
    BOOST_TEST(entered.get() == 100);
}

BOOST_AUTO_TEST_CASE(o37_what_on_run_end_throws_goes_to_the_uncaught_exception_handler) {
    options.onRunEnd = [&](const RunEnd& end) {
        ends.add(end);
        throw std::runtime_error("no metrics");
    };
    Scheduler scheduler(options);
    scheduler.registerTask("n", [](Run&) {});
    scheduler.schedule("n", "1", 0);
    scheduler.schedule("n", "2", 0);
    scheduler.start();
    ends.await(2);
    scheduler.stop();
    BOOST_TEST(errors.all() == (std::vector<std::string>{"no metrics", "no metrics"}),
               boost::test_tools::per_element());
    BOOST_TEST(scheduler.stats().succeeded == 2U);
}

BOOST_AUTO_TEST_CASE(o37_a_call_that_ends_its_thread_is_followed_by_others) {
    options.onRunEnd = [&](const RunEnd& end) {
        ends.add(end);
        if (end.id == "1") pthread_exit(nullptr);
    };
    Scheduler scheduler(options);
    scheduler.registerTask("n", [](Run&) {});
    scheduler.start();
    scheduler.schedule("n", "1", 0);
    ends.await(1);
    scheduler.schedule("n", "2", 0);
    ends.await(2);
    scheduler.stop();
}

BOOST_AUTO_TEST_CASE(o37_an_uncaught_exception_handler_that_ends_the_thread_is_followed_by_calls) {
    options.onRunEnd = [&](const RunEnd& end) {
        ends.add(end);
        if (end.id == "1") throw std::runtime_error("no metrics");
    };
    options.uncaughtExceptionHandler = [](const std::string&, const std::exception_ptr&) {
        pthread_exit(nullptr);
    };
    Scheduler scheduler(options);
    scheduler.registerTask("n", [](Run&) {});
    scheduler.start();
    scheduler.schedule("n", "1", 0);
    ends.await(1);
    scheduler.schedule("n", "2", 0);
    ends.await(2);
    scheduler.stop();
}

BOOST_AUTO_TEST_CASE(o37_ten_thousand_ends_that_wait_are_printed_once) {
    options.name = "one";
    test::CapturedCerr cerr;
    test::Counted entered, left;
    options.onRunEnd = [&](const RunEnd& end) {
        if (end.id == "1") left.await(1);
        entered.add();
    };
    const detail::Registry none;
    detail::Counters counters;
    detail::Environment environment(options, none, counters);
    detail::RunEndHook hook(environment);
    hook.start();
    RunEnd end;
    for (int i = 1; i < 10'000; ++i) {
        end.id = std::to_string(i);
        hook.tell(end);
    }
    BOOST_TEST(cerr.text().empty());
    hook.tell(end);
    hook.tell(end);
    BOOST_TEST(cerr.text() == "Node \"one\": 10000 ends of runs wait for Options::onRunEnd\n");
    BOOST_TEST(!hook.waitUntilTold(0));
    left.add();
    BOOST_TEST(hook.waitUntilTold(60'000'000));
    BOOST_TEST(entered.get() == 10'001);
}

BOOST_AUTO_TEST_SUITE_END()

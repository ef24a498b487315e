// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "cluster/failpoint.hpp"
#include "cluster/fixture.hpp"
#include "cluster/recorder.hpp"
#include "cluster/schema.hpp"
#include "support/system_threads.hpp"

#include <jtimer/cluster/scheduler.hpp>
#include <jtimer/exceptions.hpp>

#include <boost/chrono/duration.hpp>
#include <boost/test/unit_test.hpp>
#include <boost/thread/mutex.hpp>
#include <boost/thread/thread.hpp>

#include <chrono>
#include <cstdint>
#include <ctime>
#include <exception>
#include <functional>
#include <limits>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <system_error>
#include <vector>

using namespace jtimer::cluster;

BOOST_AUTO_TEST_CASE(k1_a_one_shot_runs_and_is_gone) {
    test::Schema schema;
    test::Counted runs;
    std::string payload;
    int attempt = 0;
    Scheduler scheduler(schema.options);
    scheduler.registerTask("greet", [&](Run& run) {
        run.checkLease();
        payload = run.payload();
        attempt = run.attempt();
        runs.add();
    });
    scheduler.start();
    BOOST_TEST(scheduler.schedule("greet", "1", 0, "hello"));
    runs.await(1);
    scheduler.stop();
    BOOST_TEST(payload == "hello");
    BOOST_TEST(attempt == 1);
    BOOST_TEST(!scheduler.find("greet", "1").has_value());
    BOOST_TEST(scheduler.stats().succeeded == 1);
    BOOST_TEST(schema.ask("select count(*) from @.node") == "0");
}

BOOST_AUTO_TEST_CASE(k4_k50_a_one_shot_that_is_delivered_at_most_once_is_dead_when_it_throws) {
    test::Schema schema;
    test::Counted runs;
    Scheduler scheduler(schema.options);
    TaskOptions once;
    once.delivery = Delivery::AtMostOnce;
    scheduler.registerTask(
        "mail",
        [&](Run&) {
            runs.add();
            throw std::runtime_error("no route");
        },
        once);
    scheduler.start();
    scheduler.schedule("mail", "1", 0);
    runs.await(1);
    scheduler.stop();
    BOOST_TEST(runs.get() == 1);
    BOOST_TEST((scheduler.find("mail", "1")->state == State::Dead));
    BOOST_TEST(scheduler.find("mail", "1")->lastError == "no route");
    BOOST_TEST(scheduler.stats().died == 1);
}

BOOST_AUTO_TEST_CASE(k12_tasks_are_registered_once_with_a_handler_and_before_start) {
    test::Schema schema;
    Scheduler scheduler(schema.options);
    scheduler.registerTask("a", [](Run&) {});
    BOOST_CHECK_THROW(scheduler.registerTask("a", [](Run&) {}), jtimer::IllegalArgumentException);
    BOOST_CHECK_THROW(scheduler.registerTask("b", Handler()), jtimer::NullPointerException);
    scheduler.start();
    BOOST_CHECK_THROW(scheduler.registerTask("c", [](Run&) {}), jtimer::IllegalStateException);
}

BOOST_AUTO_TEST_CASE(k40_k46_k63_stop_waits_for_the_runs_which_see_it_and_may_not_call_it) {
    test::Schema schema;
    test::Counted begun;
    test::Counted refused;
    Scheduler scheduler(schema.options);
    scheduler.registerTask("slow", [&](Run& run) {
        begun.add();
        while (!run.stopRequested()) boost::this_thread::yield();
        try {
            scheduler.stop();
        } catch (const jtimer::IllegalStateException&) {
            refused.add();
        }
    });
    scheduler.start();
    scheduler.schedule("slow", "1", 0);
    begun.await(1);
    BOOST_TEST(scheduler.stats().running == 1U);
    BOOST_TEST(scheduler.stop(10'000));
    BOOST_TEST(refused.get() == 1);
    BOOST_TEST(scheduler.stats().succeeded == 1);
    BOOST_CHECK_THROW(scheduler.start(), jtimer::IllegalStateException);
}

BOOST_AUTO_TEST_CASE(k62_start_throws_if_a_thread_cannot_be_started_and_can_be_repeated) {
    test::Schema schema;
    std::optional<test::NoMoreThreads> none;
    bool fails = true;
    // By then, the thread of the timer is there.
    detail::setFailpoint([&](const char* statement, bool, int) {
        if (fails && statement == std::string("connect")) none.emplace();
    });
    {
        Scheduler scheduler(schema.options);
        BOOST_CHECK_THROW(scheduler.start(), std::system_error);
        fails = false;
        BOOST_CHECK_THROW(scheduler.start(), std::system_error);  // of the timer
        none.reset();
        scheduler.start();
    }
    detail::setFailpoint(nullptr);
}

BOOST_AUTO_TEST_CASE(k63_stop_waits_for_a_run_with_any_time_span) {
    test::Schema schema;
    test::Counted begun;
    test::Counted released;
    Scheduler scheduler(schema.options);
    scheduler.registerTask("slow", [&](Run&) {
        begun.add();
        released.await(1);
    });
    BOOST_TEST(scheduler.unfinished().empty());
    scheduler.start();
    scheduler.schedule("slow", "1", 0);
    begun.await(1);
    BOOST_REQUIRE(scheduler.unfinished().size() == 1U);
    BOOST_TEST(scheduler.unfinished()[0].first == "slow");
    BOOST_TEST(scheduler.unfinished()[0].second == "1");
    BOOST_TEST(!scheduler.stop(0));
    BOOST_TEST(!scheduler.stop(-1));
    boost::thread releaser([&] {
        // Nothing tells that stop() waits already. If it does not, the test passes all the same.
        boost::this_thread::sleep_for(boost::chrono::milliseconds(50));
        released.add();
    });
    BOOST_CHECK_NO_THROW(BOOST_TEST(scheduler.stop(std::numeric_limits<std::int64_t>::max())));
    releaser.join();
    BOOST_TEST(scheduler.stats().succeeded == 1);
}

BOOST_AUTO_TEST_CASE(k63_a_stop_with_a_limit_waits_for_the_nodes_row_too) {
    test::Schema schema;
    schema.ask("create function @.slowly() returns trigger language plpgsql as $$ begin"
               " perform pg_sleep(0.3); return old; end $$");
    schema.ask("create trigger slowly before delete on @.node for each row"
               " execute function @.slowly()");
    Scheduler scheduler(schema.options);
    scheduler.registerTask("n", [](Run&) {});
    scheduler.start();
    BOOST_TEST(schema.ask("select count(*) from @.node") == "1");
    BOOST_TEST(scheduler.stop(std::chrono::minutes(1)));
    BOOST_TEST(schema.ask("select count(*) from @.node") == "0");
}

BOOST_AUTO_TEST_CASE(k41_a_failure_without_text_is_recorded_by_the_name_of_its_type) {
    struct Silent : std::exception {
        const char* what() const noexcept override { return nullptr; }
    };
    test::Schema schema;
    test::Counted failures;
    schema.options.uncaughtExceptionHandler = [&](const std::string&, std::exception_ptr) {
        failures.add();
    };
    Scheduler scheduler(schema.options);
    scheduler.registerTask("n", [](Run& run) {
        if (run.id() == "silent") throw Silent();
        throw 7;
    });
    scheduler.start();
    for (const char* const id : {"silent", "int"})
        scheduler.scheduleAtFixedRate("n", id, 0, std::chrono::hours(1));
    failures.await(2);
    scheduler.stop();
    BOOST_TEST(scheduler.find("n", "int").value().lastError == "int");
    const std::string name = scheduler.find("n", "silent").value().lastError;
    BOOST_TEST(name.find("Silent") != std::string::npos, name);
}

BOOST_AUTO_TEST_CASE(k44_a_run_is_not_completed_in_no_transaction) {
    test::Schema schema;
    test::Counted failures;
    schema.options.uncaughtExceptionHandler = [&](const std::string&, std::exception_ptr) {
        failures.add();
    };
    Scheduler scheduler(schema.options);
    TaskOptions once;
    once.delivery = Delivery::AtMostOnce;
    scheduler.registerTask(
        "n", [](Run& run) { run.complete(nullptr); }, once);
    scheduler.start();
    scheduler.schedule("n", "i", 0);
    failures.await(1);
    scheduler.stop();
    BOOST_TEST(scheduler.find("n", "i").value().lastError == "transaction cannot be null");
}

BOOST_AUTO_TEST_CASE(k41_every_failure_goes_to_the_uncaught_exception_handler_once) {
    test::Schema schema;
    schema.options.name = "one";
    schema.options.executor = [](const std::function<void()>& run) {
        static int runs = 0;
        if (++runs <= 3) boost::thread(run).detach();
        if (runs == 5) throw std::runtime_error("no more");
    };
    std::multiset<std::string> caught;
    boost::mutex mutex;
    test::Counted failures;
    schema.options.uncaughtExceptionHandler = [&](const std::string& name, std::exception_ptr e) {
        try {
            std::rethrow_exception(e);
        } catch (const std::runtime_error& error) {
            const boost::mutex::scoped_lock lock(mutex);
            caught.insert(name + ": " + error.what());
        }
        failures.add();
        throw std::runtime_error("changes nothing");
    };
    Scheduler scheduler(schema.options);
    scheduler.registerTask("n", [](Run& run) {
        test::Session session;
        session("begin");
        if (run.id() != "b") run.complete(session.get());
        session("rollback");
        if (run.id() != "a") throw std::runtime_error("broken " + run.id());
    });
    scheduler.start();
    for (const char* const id : {"a", "b", "c", "d", "e"})
        scheduler.scheduleAtFixedRate("n", id, 0, std::chrono::hours(1));
    failures.await(5);
    scheduler.stop();
    BOOST_TEST(scheduler.stats().failed == 5U);
    const std::multiset<std::string> expected{
        "one: The executor did not run the task.", "one: The executor did not run the task.",
        "one: The transaction of complete() was not committed.", "one: broken b", "one: broken c"};
    BOOST_TEST(caught == expected, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(k74_notifications_may_come_by_a_connection_of_their_own) {
    test::Schema schema;
    schema.options.notifyConninfo = schema.options.conninfo + " application_name=listens";
    schema.options.pollInterval = std::chrono::hours(1);  // what is claimed was notified
    test::Counted runs;
    Scheduler scheduler(schema.options);
    scheduler.registerTask("n", [&](Run&) { runs.add(); });
    scheduler.start();
    const auto listeners = [&] {
        return schema.ask("select count(*) from pg_stat_activity where application_name ="
                          " 'listens' and query like 'listen %'");
    };
    while (listeners() != "1") boost::this_thread::yield();
    Scheduler planner(schema.options);
    planner.schedule("n", "1", 0);
    runs.await(1);
    planner.pause(Target::name("n"));
    planner.schedule("n", "2", 0);
    planner.resume(Target::name("n"));
    runs.await(2);
    scheduler.stop();
    BOOST_TEST(scheduler.stats().notifications >= 1U);
}

BOOST_AUTO_TEST_CASE(k63_stop_is_refused_while_another_thread_starts) {
    test::Schema schema;
    std::string refused;
    Scheduler scheduler(schema.options);
    detail::setFailpoint([&](const std::string& statement, bool before, int) {
        if (!before || statement != "connect" || !refused.empty()) return;
        refused = "no";
        try {
            scheduler.stop();
        } catch (const jtimer::IllegalStateException& e) {
            refused = e.what();
        }
    });
    scheduler.start();
    scheduler.stop();
    detail::setFailpoint({});
    BOOST_TEST(refused == "The scheduler is being started.");
}

BOOST_AUTO_TEST_CASE(o21_o24_what_is_revived_runs_at_once_and_names_tell_of_all) {
    test::Schema schema;
    schema.options.pollInterval = std::chrono::hours(1);
    test::Counted runs;
    Scheduler scheduler(schema.options);
    TaskOptions once;
    once.maxAttempts = 1;
    scheduler.registerTask(
        "n",
        [&](Run&) {
            runs.add();
            if (runs.get() == 1) throw std::runtime_error("broken");
        },
        once);
    scheduler.start();
    scheduler.schedule("n", "i", 0);
    while (scheduler.stats().died == 0) boost::this_thread::yield();
    BOOST_REQUIRE(scheduler.names(10).size() == 1U);
    BOOST_TEST(scheduler.names(10)[0].name == "n");
    Filter filter;
    filter.name = "n";
    BOOST_TEST(scheduler.revive(filter) == 1U);
    runs.await(2);
    scheduler.stop();
    BOOST_TEST(scheduler.stats().succeeded == 1U);
    BOOST_TEST(scheduler.revive(filter) == 0U);
}

BOOST_AUTO_TEST_CASE(k74_a_fifth_caller_waits_for_a_connection_until_the_operation_timeout) {
    test::Recorder recorder;
    test::Schema schema;
    schema.options.operationTimeout = 1000;
    Scheduler scheduler(schema.options);
    recorder.hold("commit");
    std::vector<boost::thread> callers;
    for (int i = 0; i < 4; ++i) {
        callers.emplace_back([&, i] {
            try {
                scheduler.schedule("n", std::to_string(i), 0);
            } catch (const DatabaseException&) {  // held for as long as the call may take
            }
        });
    }
    recorder.await("commit", 4);
    BOOST_CHECK_EXCEPTION(scheduler.backlog(), DatabaseException, [](const DatabaseException& e) {
        return e.what() == std::string("All connections of the Scheduler are in use");
    });
    recorder.release();
    for (boost::thread& caller : callers) caller.join();
    BOOST_CHECK_NO_THROW(scheduler.backlog());
}

BOOST_AUTO_TEST_CASE(k26_k42_a_run_tells_how_many_missed_ones_were_merged_into_it) {
    test::Schema schema;
    std::vector<std::uint64_t> missed;
    test::Counted runs;
    Scheduler scheduler(schema.options);
    scheduler.registerTask("n", [&](Run& run) {
        missed.push_back(run.missedRuns());
        runs.add();
    });
    scheduler.scheduleAtFixedRate("n", "i", 0, std::chrono::hours(1));
    // It runs, then once for the five hours since, and next in half an hour.
    schema.ask("update @.task set due = due - interval '5 h 30 min',"
               " origin = origin - interval '5 h 30 min', wake = wake - interval '5 h 30 min'");
    scheduler.start();
    runs.await(2);
    scheduler.stop();
    BOOST_TEST(missed == (std::vector<std::uint64_t>{0, 4}), boost::test_tools::per_element());
    BOOST_TEST(scheduler.stats().missed == 4U);
}

BOOST_AUTO_TEST_CASE(k44_a_callers_connection_waits_afterwards_or_not_as_it_did) {
    test::Schema schema;
    Scheduler scheduler(schema.options);
    for (const int nonblocking : {0, 1}) {
        test::Session session;
        session("begin");
        PQsetnonblocking(session.get(), nonblocking);
        BOOST_TEST(scheduler.schedule(session.get(), {"n", "i", Schedule::once(0), {}}) ==
                   (nonblocking == 0));
        BOOST_TEST(PQisnonblocking(session.get()) == nonblocking);
        session("commit");
    }
}

/// Nothing tells that a thread goes on sleeping. One that does not takes processor time.
BOOST_AUTO_TEST_CASE(the_threads_of_an_idle_node_sleep) {
    test::Schema schema;
    test::Counted runs;
    Scheduler scheduler(schema.options);
    scheduler.registerTask("n", [&](Run&) { runs.add(); });
    scheduler.start();
    scheduler.schedule("n", "i", 0);
    runs.await(1);
    const std::clock_t before = std::clock();
    boost::this_thread::sleep_for(boost::chrono::milliseconds(500));
    BOOST_TEST(std::clock() - before < CLOCKS_PER_SEC / 4);
    scheduler.stop();
}

// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.

// What a Scheduler's calls promise, before the start, beside a node, and after it.

#include "cluster/failpoint.hpp"
#include "cluster/fixture.hpp"
#include "cluster/recorder.hpp"
#include "cluster/schema.hpp"
#include "cluster/server.hpp"
#include "cluster/silent_host.hpp"
#include "cluster/store.hpp"
#include "support/captured_cerr.hpp"

#include <jtimer/cluster/scheduler.hpp>
#include <jtimer/exceptions.hpp>

#include <boost/test/unit_test.hpp>
#include <boost/thread/thread.hpp>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <functional>
#include <stdexcept>
#include <string>
#include <sys/socket.h>

namespace {

using namespace jtimer::cluster;
using std::chrono::hours;
using std::chrono::minutes;

struct Fixture : test::Schema {
    test::Recorder recorder;  // before every Scheduler
};

/// Starts and stops it to run a task. \returns how often the handler was called
int runATask(Scheduler& scheduler) {
    test::Counted runs;
    scheduler.registerTask("n", [&](Run&) { runs.add(); });
    scheduler.schedule("n", "i", 0);
    scheduler.start();
    runs.await(1);
    scheduler.stop();
    return runs.get();
}

}  // namespace

BOOST_FIXTURE_TEST_SUITE(calls, Fixture)

BOOST_AUTO_TEST_CASE(k7_a_server_whose_clock_is_years_away_from_the_nodes_changes_nothing) {
    test::Counted runs;
    jtimer::Date due;
    Scheduler scheduler(options);
    scheduler.registerTask("n", [&](Run& run) {
        due = run.scheduledExecutionTime();
        runs.add();
    });
    TestClock clock(options);
    clock.advance(hours(24 * 365 * 20));
    scheduler.start();
    const jtimer::Date before = clock.now();
    scheduler.schedule("n", "i", hours(1));
    const jtimer::Date after = clock.now();
    clock.advance(minutes(59));
    BOOST_TEST(runs.get() == 0);
    clock.advance(minutes(1));
    runs.await(1);
    BOOST_TEST((due >= before + hours(1)));
    BOOST_TEST((due <= after + hours(1)));
}

BOOST_AUTO_TEST_CASE(k8_each_write_waits_for_the_disk_as_the_server_is_told_to) {
    ask("create table @.durability (value text)");
    ask("create function @.note() returns trigger language plpgsql as $$ begin insert into "
        "@.durability values (current_setting('synchronous_commit')); return null; end $$");
    for (const std::string table : {"node", "task"})
        ask("create trigger note after insert or update or delete on @." + table +
            " for each row execute function @.note()");
    const auto writes = [this](const std::string& setting) {
        Options told = options;
        if (!setting.empty()) told.conninfo += " options='-c synchronous_commit=" + setting + "'";
        ask("truncate @.durability");
        Scheduler scheduler(told);
        BOOST_TEST(runATask(scheduler) == 1);
        return ask("select string_agg(distinct value, ' ') from @.durability");
    };
    BOOST_TEST(writes("") == "on");
    BOOST_TEST(writes("remote_apply") == "remote_apply");
}

BOOST_AUTO_TEST_CASE(k11_there_is_one_task_for_each_name_and_id) {
    Scheduler scheduler(options);
    for (int i = 0; i < 2; ++i) {
        for (const char* const name : {"a", "b"}) {
            for (const char* const id : {"a", "b"})
                BOOST_TEST(scheduler.schedule(name, id, hours(1)) == (i == 0));
        }
    }
    BOOST_TEST(scheduler.list().size() == 4U);
}

BOOST_AUTO_TEST_CASE(k14_a_process_that_registers_nothing_only_schedules) {
    Scheduler planner(options);
    planner.start();
    BOOST_TEST(planner.schedule("n", "i", 0));
    planner.wakeUp();
    planner.stop();
    BOOST_TEST(recorder.count("claim") == 0U);
    test::Counted runs;
    Scheduler worker(options);
    worker.registerTask("n", [&](Run&) { runs.add(); });
    worker.start();
    runs.await(1);
}

BOOST_AUTO_TEST_CASE(k15_tasks_are_scheduled_in_handlers_and_by_any_thread_and_are_then_committed) {
    test::Counted runs;
    std::atomic<int> found{0};
    Scheduler scheduler(options);
    const auto schedule = [&](const std::string& name, const std::string& id) {
        scheduler.schedule(name, id, 0);
        if (test::Session()("select count(*) from \"" + options.schema +
                                "\".task where name = $1 and id = $2",
                            {name, id}) == "1")
            ++found;
    };
    scheduler.registerTask("first", [&](Run& run) {
        schedule("unknown", run.id());
        runs.add();
    });
    boost::thread_group threads;
    for (int i = 0; i < 4; ++i)
        threads.create_thread([&schedule, i] { schedule("first", std::to_string(i)); });
    threads.join_all();
    BOOST_TEST(found == 4);
    scheduler.start();
    runs.await(4);
    BOOST_TEST(found == 8);
}

// More handlers at once than there are connections for calls.
BOOST_AUTO_TEST_CASE(k40_handlers_may_call_everything_but_what_would_wait_for_them) {
    options.executor = [](const std::function<void()>& run) { boost::thread(run).detach(); };
    // Boost.Test's assertions are for one thread.
    const auto refuses = [](const auto& call) {
        try {
            call();
        } catch (const jtimer::IllegalStateException&) {
            return true;
        }
        return false;
    };
    std::atomic<int> finished{0};
    test::Counted runs;
    Scheduler scheduler(options);
    scheduler.registerTask("n", [&](Run& run) {
        const std::string id = "of " + run.id();
        const NewTask task{"other", id, Schedule::once(hours(1))};
        const bool refused = refuses([&] { scheduler.stop(); }) &&
                             refuses([&] { static_cast<void>(scheduler.stop(1)); }) &&
                             refuses([&] { scheduler.start(); }) &&
                             refuses([&] { scheduler.registerTask("m", [](Run&) {}); });
        const bool scheduled = scheduler.schedule(task);
        const bool again = scheduler.scheduleAll({task}) != 0;
        const bool repeats = scheduler.scheduleAtFixedRate("rate", id, hours(1), hours(1)) &&
                             scheduler.scheduleWithFixedDelay("delay", id, hours(1), hours(1)) &&
                             scheduler.scheduleCron("cron", id, "0 0 1 1 *");
        const bool moved = scheduler.reschedule("other", id, hours(2));
        const bool found = scheduler.find("n", run.id())->state == State::Running;
        const bool listed = !scheduler.list().empty();
        const bool counted = scheduler.backlog().running >= 1 && scheduler.stats().running >= 1;
        scheduler.wakeUp();
        const bool cancelled = scheduler.cancel("other", id);
        if (refused && scheduled && !again && repeats && moved && found && listed && counted &&
            cancelled)
            ++finished;
        runs.add();
    });
    scheduler.start();
    for (int i = 0; i < 8; ++i) scheduler.schedule("n", std::to_string(i), 0);
    runs.await(8);
    scheduler.stop();
    BOOST_TEST(finished == 8);
    BOOST_TEST(scheduler.stats().succeeded == 8U);
}

BOOST_AUTO_TEST_CASE(k21_a_commit_that_cannot_be_looked_up_has_an_unknown_outcome) {
    Options unreachable = options;
    unreachable.conninfo = "host=/nowhere";
    unreachable.operationTimeout = 50;
    try {
        Scheduler(unreachable).schedule("n", "i", 0);
        BOOST_ERROR("nothing thrown");
    } catch (const OutcomeUnknownException&) {
        BOOST_ERROR("nothing has been sent");
    } catch (const DatabaseException& e) {
        BOOST_TEST(e.sqlState().empty());
    }

    // The answer to the commit is lost, if the server gets to it, and the server is away when it is
    // to be asked.
    bool lost = false;
    bool stopped = false;
    detail::setFailpoint([&](const std::string& statement, bool before, int socket) {
        if (before && !lost && statement == "commit") {
            lost = true;
            ::shutdown(socket, SHUT_RD);
        } else if (before && lost && !stopped && statement == "connect") {
            stopped = true;
            test::server().stop();
        }
    });
    options.operationTimeout = 500;
    Scheduler scheduler(options);
    BOOST_CHECK_THROW(scheduler.schedule("n", "i", hours(1)), OutcomeUnknownException);
    test::server().start();  // which may or may not have committed
    detail::setFailpoint({});
}

BOOST_AUTO_TEST_CASE(k40_an_executor_that_calls_its_function_twice_runs_a_task_once) {
    options.executor = [](const std::function<void()>& run) { run(), run(); };
    Scheduler scheduler(options);
    BOOST_TEST(runATask(scheduler) == 1);
    BOOST_TEST(scheduler.stats().succeeded == 1U);
    BOOST_TEST(scheduler.stats().failed == 0U);
}

BOOST_AUTO_TEST_CASE(k48_a_one_shot_has_20_attempts_and_each_period_one) {
    test::CapturedCerr cerr;
    Scheduler scheduler(options);
    scheduler.registerTask("n", [&](Run&) { throw std::runtime_error("broken"); });
    scheduler.start();
    TestClock clock(options);
    scheduler.schedule("n", "once", 0);
    scheduler.scheduleAtFixedRate("n", "repeats", 0, hours(2));
    clock.advance(0);
    for (int attempt = 1; attempt < 20; ++attempt) {
        BOOST_TEST((scheduler.find("n", "once")->state == State::Retrying));
        BOOST_TEST(scheduler.find("n", "once")->attempt == attempt);
        BOOST_TEST((scheduler.find("n", "repeats")->state == State::Scheduled));
        clock.advance(hours(2));
    }
    BOOST_TEST((scheduler.find("n", "once")->state == State::Dead));
    scheduler.stop();
    BOOST_TEST(scheduler.stats().retried == 19U);
    BOOST_TEST(scheduler.stats().failed == 40U);
    BOOST_TEST(cerr.text() == "Task \"n\" \"once\" is dead after 20 attempts: broken\n");
}

BOOST_AUTO_TEST_CASE(k62_start_fails_without_the_database_and_may_be_called_again) {
    Options missing = options;
    missing.schema = "missing";
    Scheduler scheduler(missing);
    BOOST_CHECK_THROW(scheduler.start(), SchemaException);
    migrate(missing);
    scheduler.start();
    scheduler.stop();
    missing.conninfo = "host=/nowhere";
    BOOST_CHECK_THROW(Scheduler(missing).start(), DatabaseException);
}

BOOST_AUTO_TEST_CASE(k58_k62_a_run_outlives_the_server_and_its_end_is_written_when_that_is_back) {
    test::CapturedCerr cerr;
    test::Counted begun;
    std::atomic<bool> over{false};
    Scheduler scheduler(options);
    scheduler.registerTask("n", [&](Run& run) {
        begun.add();
        while (run.id() == "first" && !over) boost::this_thread::yield();
    });
    scheduler.start();
    scheduler.schedule("n", "first", 0);
    begun.await(1);
    test::server().stop();
    over = true;
    while (scheduler.stats().running != 0) boost::this_thread::yield();
    BOOST_TEST(scheduler.stats().succeeded == 0U);
    test::server().start();
    scheduler.schedule("n", "second", 0);
    begun.await(2);
    scheduler.stop();
    BOOST_TEST(scheduler.stats().succeeded == 2U);
    BOOST_TEST(scheduler.stats().reconnects >= 1U);
    BOOST_TEST(scheduler.stats().leasesLost == 0U);
}

BOOST_AUTO_TEST_CASE(k65_a_second_stop_waits_too_and_calls_go_on_working) {
    test::Counted begun;
    std::atomic<bool> over{false};
    Scheduler scheduler(options);
    scheduler.registerTask("n", [&](Run&) {
        begun.add();
        while (!over) boost::this_thread::yield();
    });
    scheduler.start();
    scheduler.schedule("n", "i", 0);
    begun.await(1);
    BOOST_TEST(!scheduler.stop(0));
    BOOST_TEST(!scheduler.stop(0));
    over = true;
    scheduler.stop();
    BOOST_TEST(scheduler.stop(0));
    BOOST_CHECK_THROW(scheduler.start(), jtimer::IllegalStateException);
    BOOST_TEST(scheduler.schedule("n", "later", 0));
    BOOST_TEST(scheduler.find("n", "later").has_value());
    BOOST_TEST(begun.get() == 1);
}

BOOST_AUTO_TEST_CASE(k69_k70_o43_the_columns_indexes_and_vacuum_settings_are_as_documented) {
    const auto columns = [&](const std::string& table) {
        return ask("select string_agg(column_name, ' ' order by ordinal_position) from "
                   "information_schema.columns where table_schema = '" +
                   options.schema + "' and table_name = '" + table + "'");
    };
    BOOST_TEST(columns("meta") == "version serves for_tests");
    BOOST_TEST(columns("node") ==
               "id name started lease lease_until names concurrency library pauses");
    BOOST_TEST(columns("task") ==
               "name id payload kind period cron zone missed origin due wake owner started token "
               "attempt crashes missed_runs last_error held paused_since paused_by paused_note");
    BOOST_TEST(columns("cluster") == "id resumed pauses history keep keep_rows pruned");
    BOOST_TEST(columns("pause") == "scope name since by note");
    BOOST_TEST(columns("run") == "token name id node attempt due started finished outcome error");
    BOOST_TEST(ask("select string_agg(indexname, ' ' order by indexname) from pg_indexes where "
                   "schemaname = '" +
                   options.schema + "' and tablename = 'task'") ==
               "task_dead task_key task_name task_owner task_paused task_retrying task_wake");
    BOOST_TEST(ask("select reloptions from pg_class where oid = '@.task'::regclass") ==
               "{autovacuum_vacuum_scale_factor=0.01,autovacuum_vacuum_cost_delay=0}");
}

BOOST_AUTO_TEST_CASE(o43_the_indexes_for_lists_by_state_have_no_task_that_runs_in_time) {
    const auto tasksIn = [&](const std::string& index) {
        return ask("select pg_get_expr(indpred, indrelid) from pg_index where indexrelid = '@." +
                   index + "'::regclass");
    };
    const std::string infinity = "'infinity'::timestamp with time zone";
    BOOST_TEST(tasksIn("task_dead") ==
               "((owner IS NULL) AND (wake = " + infinity + ") AND (held IS NULL))");
    BOOST_TEST(tasksIn("task_paused") == "((owner IS NULL) AND (held IS NOT NULL))");
    BOOST_TEST(tasksIn("task_retrying") == "((owner IS NULL) AND (attempt > 0) AND (wake < " +
                                               infinity + ") AND (held IS NULL))");
}

BOOST_AUTO_TEST_CASE(k28_the_server_is_asked_for_a_zone_once_by_each_connection) {
    detail::Store store(options);
    const auto statements = [&](const std::string& zone) {
        const std::size_t before = recorder.sent().size();
        store.schedule({{"n", "i", Schedule::cron("0 2 * * *", zone), {}, IfExists::Replace}});
        return recorder.sent().size() - before;
    };
    statements("Europe/Berlin");
    const std::size_t known = statements("Europe/Berlin");
    BOOST_TEST(statements("Asia/Tokyo") == known + 1);
    BOOST_TEST(statements("Asia/Tokyo") == known);
}

BOOST_AUTO_TEST_CASE(k73_k74_a_node_has_three_connections_named_jtimer_or_as_conninfo_says) {
    const auto connections = [&](const std::string& name) {
        return test::ask(test::server().conninfo(),
                         "select count(*) from pg_stat_activity where application_name = '" + name +
                             "'");
    };
    options.conninfo += " application_name=mine";
    options.pollInterval = hours(1);
    Scheduler scheduler(options);
    scheduler.start();
    BOOST_TEST(connections("mine") == "3");
    options.conninfo = test::server().conninfo();
    Scheduler caller(options);
    caller.schedule("n", "i", hours(1));
    BOOST_TEST(connections("jtimer") == "1");
}

BOOST_AUTO_TEST_CASE(k73_of_several_hosts_one_that_does_not_answer_is_left_for_the_next) {
    const test::SilentHost silent;
    const std::string port = silent.port();
    const std::string working = options.conninfo;
    BOOST_REQUIRE(working.rfind("host=/", 0) == 0);
    options.operationTimeout = 3000;  // a third of it, or connect_timeout, for the first
    options.conninfo = "host=127.0.0.1,127.0.0.1," + working.substr(5);
    options.conninfo += " port=" + port + "," + port + ",5432";
    for (const char* const timeout : {"", " connect_timeout=1"}) {
        options.conninfo += timeout;
        Scheduler scheduler(options);
        BOOST_TEST(scheduler.schedule("n", *timeout == '\0' ? "1" : "2", hours(1)));
    }
    options.conninfo = "host=127.0.0.1,127.0.0.1 connect_timeout=1 port=" + port;
    options.operationTimeout = 300;
    const std::string refusal = "The database did not accept the connection in time";
    BOOST_CHECK_EXCEPTION(
        Scheduler(options).find("n", "1"), DatabaseException,
        [&](const DatabaseException& e) { return e.what() == refusal + "; " + refusal; });
}

BOOST_AUTO_TEST_CASE(k76_a_server_that_only_reads_is_refused) {
    options.operationTimeout = 1000;  // in which it connects twice
    options.conninfo += " options='-c default_transaction_read_only=on'";
    const std::string expected = "Schema \"" + options.schema + "\" is read-only";
    const auto says = [&](const SchemaException& e) { return e.what() == expected; };
    BOOST_CHECK_EXCEPTION(migrate(options), SchemaException, says);
    for (const char* const accepted : {"", " target_session_attrs=any"}) {
        options.conninfo += accepted;
        Scheduler scheduler(options);
        BOOST_CHECK_EXCEPTION(scheduler.start(), SchemaException, says);
        BOOST_CHECK_EXCEPTION(scheduler.schedule("n", "i", 0), SchemaException, says);
        BOOST_CHECK_EXCEPTION(scheduler.find("n", "i"), SchemaException, says);
    }
}

BOOST_AUTO_TEST_CASE(k78_lateness_is_of_first_attempts_by_the_databases_clock) {
    test::Counted runs;
    Scheduler scheduler(options);
    TestClock clock(options);
    clock.advance(hours(1000));
    TaskOptions eager;
    eager.firstBackoff = 0;
    scheduler.registerTask(
        "n",
        [&](Run& run) {
            runs.add();
            if (run.attempt() == 1) throw std::runtime_error("once");
        },
        eager);
    scheduler.schedule("n", "i", clock.now() - hours(1));
    scheduler.start();
    runs.await(2);
    scheduler.stop();
    const Stats stats = scheduler.stats();
    BOOST_TEST(stats.lateness.count() == 1U);
    BOOST_TEST((stats.lateness.max() >= hours(1)));
    BOOST_TEST((stats.lateness.max() < hours(1000)));
}

BOOST_AUTO_TEST_SUITE_END()

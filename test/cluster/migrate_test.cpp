// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.

// Schemas: how they are made, which ones a library accepts, and what roles need.

#include "cluster/failpoint.hpp"
#include "cluster/fixture.hpp"
#include "cluster/schema.hpp"
#include "cluster/schema_version_1.hpp"
#include "cluster/server.hpp"
#include "cluster/silent_host.hpp"

#include <jtimer/cluster/migrate.hpp>
#include <jtimer/cluster/scheduler.hpp>

#include <boost/test/unit_test.hpp>
#include <boost/thread/thread.hpp>

#include <atomic>
#include <chrono>
#include <optional>
#include <stdexcept>
#include <string>
#include <sys/socket.h>
#include <unistd.h>

namespace {

using namespace jtimer::cluster;

Options optionsOf(const std::string& schema) {
    Options options;
    options.conninfo = test::server().conninfo();
    options.schema = schema;
    return options;
}

std::string ask(const std::string& sql) { return test::ask(test::server().conninfo(), sql); }

/// Made by the library of version 1.
void makeVersion1(const std::string& schema) {
    std::string sql = test::kSchemaVersion1;
    for (std::size_t at = 0; (at = sql.find('@', at)) != std::string::npos;)
        sql.replace(at, 1, schema);
    BOOST_TEST(ask(sql) == "");
}

/// Everything that a schema consists of, but for its name.
std::string contentsOf(const std::string& schema) {
    return ask("select string_agg(line, E'\\n' order by line) from ("
               "select concat_ws(' ', table_name, column_name, data_type, collation_name,"
               " column_default, is_nullable) from information_schema.columns"
               " where table_schema = '" +
               schema +
               "' union all "
               "select indexdef from pg_indexes where schemaname = '" +
               schema +
               "' union all "
               "select conname || pg_get_constraintdef(oid) from pg_constraint"
               " where connamespace = '" +
               schema +
               "'::regnamespace union all "
               "select relname || reloptions::text from pg_class"
               " where relnamespace = '" +
               schema + "'::regnamespace) as of (line)");
}

std::string refusal(const Options& options) {
    try {
        Scheduler(options).schedule("n", "i", 0);
    } catch (const SchemaException& e) {
        return e.what();
    }
    return "accepted";
}

}  // namespace

BOOST_AUTO_TEST_CASE(k66_any_number_of_callers_may_migrate_at_once) {
    const Options options = optionsOf("raced");
    std::atomic<int> migrated{0};
    boost::thread_group threads;
    for (int i = 0; i < 10; ++i) {
        threads.create_thread([&] {
            migrate(options);
            ++migrated;
        });
    }
    threads.join_all();
    BOOST_TEST(migrated == 10);
    BOOST_TEST(ask("select count(*) from raced.meta") == "1");
}

BOOST_AUTO_TEST_CASE(k67_a_schema_that_does_not_fit_is_refused_with_what_to_do) {
    Options options = optionsOf("versions");
    BOOST_TEST(refusal(options) == "Schema \"versions\" does not exist: call migrate()");
    migrate(options);
    BOOST_TEST(refusal(options) == "accepted");
    ask("update versions.meta set version = 0");
    BOOST_TEST(refusal(options) ==
               "Schema \"versions\" has version 0, this library needs 2: call migrate()");
    ask("update versions.meta set version = 7");
    BOOST_TEST(refusal(options) == "accepted");
    migrate(options);
    BOOST_TEST(ask("select version from versions.meta") == "7");
    ask("update versions.meta set serves = 3");
    BOOST_TEST(refusal(options) ==
               "Schema \"versions\" has version 7, which needs a newer library than 2");
    BOOST_CHECK_THROW(migrate(options), SchemaException);
    ask("delete from versions.meta");
    BOOST_TEST(refusal(options) == "Schema \"versions\" has no version");
}

BOOST_AUTO_TEST_CASE(k66_a_migration_whose_connection_breaks_is_made_again) {
    const Options options = optionsOf("broken off");
    int connections = 0;
    detail::setFailpoint([&](const std::string& statement, bool before, int socket) {
        if (before && statement == "connect") ++connections;
        if (before && statement == "migrate" && connections == 1) ::shutdown(socket, SHUT_RDWR);
    });
    migrate(options);
    detail::setFailpoint({});
    BOOST_TEST(connections == 2);
    BOOST_TEST(refusal(options) == "accepted");

    Options nowhere = options;
    nowhere.conninfo = "host=/nowhere";
    nowhere.operationTimeout = 50;
    BOOST_CHECK_EXCEPTION(migrate(nowhere), DatabaseException,
                          [](const DatabaseException& e) { return e.sqlState().empty(); });
}

BOOST_AUTO_TEST_CASE(k80_a_schema_for_tests_stays_one_and_no_other_becomes_one) {
    const auto refused = [](const Options& options, bool forTests) {
        try {
            migrate(options, forTests);
        } catch (const SchemaException& e) {
            return std::string(e.what());
        }
        return std::string();
    };
    const Options tests = optionsOf("tests"), work = optionsOf("work");
    BOOST_TEST(refused(tests, true) + refused(work, false) == "");
    BOOST_TEST(refused(tests, true) + refused(work, false) == "");
    BOOST_TEST(refused(tests, false) == "Schema \"tests\" exists and is for tests");
    BOOST_TEST(refused(work, true) == "Schema \"work\" exists and is not for tests");
}

BOOST_AUTO_TEST_CASE(k68_the_statements_as_text_make_the_same_schema) {
    BOOST_TEST(ask(schemaSql("as text")) == "");
    BOOST_TEST(refusal(optionsOf("as text")) == "accepted");
    makeVersion1("upgraded");
    BOOST_TEST(ask(schemaSql("upgraded", 1)) == "");
    BOOST_TEST(refusal(optionsOf("upgraded")) == "accepted");
    BOOST_TEST(schemaSql("s", 2).find("create") == std::string::npos);
    BOOST_CHECK_THROW(schemaSql("s", 3), jtimer::IllegalArgumentException);
    BOOST_CHECK_THROW(schemaSql("s", -1), jtimer::IllegalArgumentException);
    BOOST_CHECK_THROW(schemaSql(""), jtimer::IllegalArgumentException);
}

BOOST_AUTO_TEST_CASE(k71_a_role_that_schedules_needs_nothing_of_nodes) {
    Options options = optionsOf("roles");
    migrate(options);
    ask("create role planner login");
    ask("grant usage on schema roles to planner");
    ask("grant select on roles.meta to planner");
    ask("grant usage on sequence roles.token to planner");
    ask("grant select, insert, update, delete on roles.task to planner");
    options.conninfo += " user=planner";
    Scheduler scheduler(options);
    BOOST_TEST(scheduler.schedule("n", "i", 0));
    BOOST_TEST(scheduler.reschedule("n", "i", 1));
    BOOST_TEST(scheduler.cancel("n", "i"));
    try {
        scheduler.backlog();
        BOOST_ERROR("nothing thrown");
    } catch (const DatabaseException& e) {
        BOOST_TEST(e.sqlState() == "42501");
    }
    for (const char* const table : {"node", "run", "pause", "cluster"})
        ask(std::string("grant select, insert, update, delete on roles.") + table + " to planner");
    scheduler.start();
    BOOST_TEST(scheduler.backlog().nodes == 1U);
}

BOOST_AUTO_TEST_CASE(o43_o44_a_schema_of_version_1_is_upgraded_with_its_rows_and_serves_both) {
    makeVersion1("one");
    const Options options = optionsOf("one");
    BOOST_TEST(refusal(options) ==
               "Schema \"one\" has version 1, this library needs 2: call migrate()");
    ask("insert into one.node (id, name, lease, lease_until) values"
        " (nextval('one.token'), 'old', '1 hour', now() + interval '1 hour')");
    ask("insert into one.task (name, id, payload, kind, missed, origin, due, wake, owner, token)"
        " select 'n', id, convert_to('payload of ' || id, 'UTF8'), 'once', 'once', '2030-01-01',"
        " '2030-01-01', wake::timestamptz, owner, nextval('one.token')"
        " from (values ('free', '2030-01-01', null), ('dead', 'infinity', null),"
        " ('running', '2030-01-01', 1)) as given (id, wake, owner)");
    const std::string columns = "name, id, payload, kind, period, cron, zone, missed, origin, due,"
                                " wake, owner, started, token, attempt, crashes, missed_runs,"
                                " last_error";
    const std::string rows = "select string_agg(row::text, '|' order by id) from (select " +
                             columns + " from one.task) row";
    const std::string before = ask(rows);
    migrate(options);
    BOOST_TEST(ask("select version || ' ' || serves from one.meta") == "2 1");
    BOOST_TEST(ask(rows) == before);
    BOOST_TEST(ask("select count(*) from one.task where held is null and paused_since is null"
                   " and paused_by is null and paused_note is null") == "3");
    BOOST_TEST(ask("select (names is null)::text || (concurrency is null)::text ||"
                   " (library is null)::text || pauses from one.node") == "truetruetrue0");
    BOOST_TEST(ask("select cluster::text from one.cluster") ==
               "(1,-infinity,0,off,\"7 days\",1000000,-infinity)");
    BOOST_TEST(refusal(options) == "accepted");
    Scheduler scheduler(options);
    BOOST_TEST((scheduler.find("n", "running")->state == State::Running));
    BOOST_TEST(scheduler.find("n", "running")->runningOn == "old");
    BOOST_TEST((scheduler.find("n", "dead")->state == State::Dead));
    BOOST_TEST(scheduler.find("n", "free")->payload == "payload of free");

    migrate(optionsOf("two"));
    std::string fresh = contentsOf("two");
    for (std::size_t at = 0; (at = fresh.find("two.", at)) != std::string::npos;)
        fresh.replace(at, 3, "one");
    BOOST_TEST(contentsOf("one") == fresh);
}

BOOST_AUTO_TEST_CASE(o45_an_index_that_was_built_before_is_kept) {
    makeVersion1("indexed");
    ask("create index concurrently task_name on indexed.task (name, wake)"
        " where coalesce(owner, 0) = 0");
    const std::string index = "select 'indexed.task_name'::regclass::oid";
    const std::string before = ask(index);
    migrate(optionsOf("indexed"));
    BOOST_TEST(ask(index) == before);
    BOOST_TEST(ask("select version from indexed.meta") == "2");
}

BOOST_AUTO_TEST_CASE(o45_a_lock_is_waited_for_three_times_and_in_between_others_go_on) {
    makeVersion1("locked");
    const Options options = optionsOf("locked");
    std::optional<test::Session> reader(std::in_place);
    (*reader)("begin");
    (*reader)("select count(*) from locked.node");  // as a long report does
    int tries = 0;
    std::string renewed;
    detail::setFailpoint([&](const char* statement, bool before, int) {
        if (statement != std::string("migrate") || !before || ++tries == 1) return;
        ask("set statement_timeout = 1000; update locked.node set name = name");
        renewed = ask("select count(*) from locked.node");
        reader.reset();
    });
    migrate(options);
    detail::setFailpoint(nullptr);
    BOOST_TEST(tries == 2);
    BOOST_TEST(renewed == "0");
    BOOST_TEST(ask("select version from locked.meta") == "2");
}

BOOST_AUTO_TEST_CASE(o45_what_the_server_refuses_for_another_reason_is_tried_once) {
    ask("create role stranger login");
    Options options = optionsOf("others");
    options.conninfo += " user=stranger";
    int connections = 0;
    detail::setFailpoint([&](const std::string& statement, bool before, int) {
        if (before && statement == "connect") ++connections;
    });
    BOOST_CHECK_EXCEPTION(migrate(options), DatabaseException, [](const DatabaseException& e) {
        return e.sqlState() == "42501";  // insufficient privilege
    });
    detail::setFailpoint({});
    BOOST_TEST(connections == 1);
}

BOOST_AUTO_TEST_CASE(o46_the_new_tables_belong_to_the_roles_that_use_the_older_ones) {
    makeVersion1("granted");
    Options options = optionsOf("granted");
    ask("create role \"The Worker\" login");
    ask("create role reader");
    ask("create role scheduler_only");
    ask("create role runner");
    ask("grant usage on schema granted to \"The Worker\"");
    ask("grant select on granted.meta to \"The Worker\"");
    ask("grant usage on sequence granted.token to \"The Worker\"");
    ask("grant select, insert, update, delete on granted.task, granted.node to \"The Worker\"");
    ask("grant select on granted.task, granted.node to reader with grant option");
    ask("grant select, insert, update, delete on granted.task to scheduler_only");
    ask("grant select, update, delete on granted.task to runner");
    migrate(options);
    const std::string rights =
        "select string_agg(table_name || ' ' || rights, ', ' order by table_name) from ("
        "select table_name, string_agg(lower(privilege_type) || case is_grantable when 'YES'"
        " then '*' else '' end, ' ' order by privilege_type) as rights"
        " from information_schema.role_table_grants where table_schema = 'granted'"
        " and table_name in ('run', 'pause', 'cluster') and grantee = '";
    BOOST_TEST(ask(rights + "The Worker' group by 1) each") ==
               "cluster delete insert select update, pause delete insert select update, run "
               "delete insert select update");
    BOOST_TEST(ask(rights + "reader' group by 1) each") == "cluster select*, pause select*, "
                                                           "run select*");
    BOOST_TEST(ask(rights + "scheduler_only' group by 1) each") ==
               "pause delete insert select update, run delete insert select update");
    // What ends a run inserts a past one.
    BOOST_TEST(ask(rights + "runner' group by 1) each") ==
               "pause delete select update, run delete insert select update");
    options.conninfo += " user='The Worker'";
    Scheduler(options).start();
}

BOOST_AUTO_TEST_CASE(o46_start_names_the_right_that_a_role_lacks) {
    Options options = optionsOf("lacking");
    migrate(options);
    ask("create role weak login");
    ask("grant usage on schema lacking to weak");
    ask("grant select on all tables in schema lacking to weak");
    options.conninfo += " user=weak";
    const auto refused = [&] {
        try {
            Scheduler(options).start();
        } catch (const DatabaseException& e) {
            BOOST_TEST(e.sqlState() == "42501");
            const std::string message = e.what();
            return message.substr(0, message.find(':'));
        }
        return std::string("started");
    };
    const auto lacks = [](const std::string& what) {
        return "Role \"weak\" lacks the right " + what;
    };
    BOOST_TEST(refused() == lacks("UPDATE on \"lacking\".task"));
    ask("grant insert, update, delete on lacking.task, lacking.node to weak");
    BOOST_TEST(refused() == lacks("UPDATE on \"lacking\".cluster"));
    ask("grant update on lacking.cluster to weak");
    BOOST_TEST(refused() == lacks("USAGE on \"lacking\".token"));
    ask("grant usage on sequence lacking.token to weak");
    BOOST_TEST(refused() == lacks("INSERT on \"lacking\".run"));
    ask("grant insert on lacking.run to weak");
    BOOST_TEST(refused() == lacks("DELETE on \"lacking\".run"));
    ask("grant delete on lacking.run to weak");
    BOOST_TEST(refused() == "started");
}

BOOST_AUTO_TEST_CASE(k72_quotes_backslashes_and_sql_are_text_everywhere) {
    for (const std::string& hostile :
         {std::string("'; drop table task; --"), std::string("\"; drop schema x; --"),
          std::string("\\'\\\" $1 @ # %"), std::string("$$; drop $x$ \\"),
          std::string("U&\"\xc3\xa4\\0041")}) {
        Options options = optionsOf(hostile);
        options.name = hostile;
        migrate(options);
        Scheduler scheduler(options);
        scheduler.registerTask(hostile, [](Run& run) { throw std::runtime_error(run.payload()); });
        BOOST_TEST(scheduler.schedule(hostile, hostile, std::chrono::hours(1), hostile));
        BOOST_TEST(scheduler.find(hostile, hostile)->payload == hostile);
        scheduler.start();
        scheduler.reschedule(hostile, hostile, 0);
        while (scheduler.find(hostile, hostile)->state != State::Retrying) ::usleep(1000);
        BOOST_TEST(scheduler.find(hostile, hostile)->lastError == hostile);
        Filter filter;
        filter.name = hostile;
        BOOST_TEST(scheduler.list(filter).size() == 1U);
        BOOST_TEST(scheduler.cancel(hostile, hostile));
    }
}

BOOST_AUTO_TEST_CASE(k61_a_server_that_never_answers_is_given_up_in_time) {
    const test::SilentHost silent;
    Options options;
    options.conninfo = "host=127.0.0.1 port=" + silent.port();
    options.operationTimeout = 200;
    const auto begin = std::chrono::steady_clock::now();
    BOOST_CHECK_THROW(Scheduler(options).schedule("n", "i", 0), DatabaseException);
    BOOST_TEST((std::chrono::steady_clock::now() - begin < std::chrono::seconds(5)));
}

BOOST_AUTO_TEST_CASE(k20_calls_survive_a_restart_of_the_server) {
    const Options options = optionsOf("restarted");
    migrate(options);
    Scheduler scheduler(options);
    BOOST_TEST(scheduler.schedule("n", "1", std::chrono::hours(1)));
    test::server().restart(test::Server::Stop::Fast);
    BOOST_TEST(scheduler.schedule("n", "2", std::chrono::hours(1)));
    test::server().restart(test::Server::Stop::Immediate);
    BOOST_TEST(scheduler.schedule("n", "3", std::chrono::hours(1)));
    BOOST_TEST(scheduler.list().size() == 3U);
}

// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.

// Schemas: how they are made, which ones a library accepts, and what roles need.

#include "cluster/schema.hpp"
#include "cluster/server.hpp"
#include "cluster/silent_host.hpp"

#include <jtimer/cluster/migrate.hpp>
#include <jtimer/cluster/scheduler.hpp>

#include <boost/test/unit_test.hpp>
#include <boost/thread/thread.hpp>

#include <atomic>
#include <chrono>
#include <stdexcept>
#include <string>
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
               "Schema \"versions\" has version 0, this library needs 1: call migrate()");
    ask("update versions.meta set version = 7");
    BOOST_TEST(refusal(options) == "accepted");
    migrate(options);
    BOOST_TEST(ask("select version from versions.meta") == "7");
    ask("update versions.meta set serves = 2");
    BOOST_TEST(refusal(options) ==
               "Schema \"versions\" has version 7, which needs a newer library than 1");
    BOOST_CHECK_THROW(migrate(options), SchemaException);
}

BOOST_AUTO_TEST_CASE(k68_the_statements_as_text_make_the_same_schema) {
    BOOST_TEST(ask(schemaSql("as text")) == "");
    BOOST_TEST(refusal(optionsOf("as text")) == "accepted");
    BOOST_TEST(schemaSql("s", 1).find("create") == std::string::npos);
    BOOST_CHECK_THROW(schemaSql("s", 2), jtimer::IllegalArgumentException);
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
    ask("grant select, insert, update, delete on roles.node to planner");
    scheduler.start();
    BOOST_TEST(scheduler.backlog().nodes == 1U);
}

BOOST_AUTO_TEST_CASE(k72_quotes_backslashes_and_sql_are_text_everywhere) {
    for (const std::string& hostile :
         {std::string("'; drop table task; --"), std::string("\"; drop schema x; --"),
          std::string("\\'\\\" $1 @ # %"), std::string("U&\"\xc3\xa4\\0041")}) {
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

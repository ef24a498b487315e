// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.

// The calls of a Scheduler that has not been started.

#include "cluster/schema.hpp"

#include <jtimer/cluster/migrate.hpp>
#include <jtimer/cluster/scheduler.hpp>

#include <boost/test/unit_test.hpp>

#include <libpq-fe.h>

#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <vector>

namespace {

using namespace jtimer::cluster;
using std::chrono::hours;
using std::chrono::milliseconds;

using PgConnection = std::unique_ptr<PGconn, decltype(&PQfinish)>;

struct Fixture : test::Schema {
    Fixture() : scheduler(options) {}

    PgConnection connect(const std::string& more = {}) const {
        return {PQconnectdb((options.conninfo + more).c_str()), PQfinish};
    }

    Scheduler scheduler;
};

void run(const PgConnection& connection, const char* sql) {
    PQclear(PQexec(connection.get(), sql));
}

/// The message of an exception of type E.
template <class E, class Call>
std::string messageOf(const Call& call) {
    try {
        call();
    } catch (const E& e) {
        return e.what();
    }
    return "nothing thrown";
}

using jtimer::IllegalArgumentException;

}  // namespace

BOOST_FIXTURE_TEST_SUITE(scheduling, Fixture)

BOOST_AUTO_TEST_CASE(k9_names_and_ids_are_1_to_200_bytes_of_utf_8) {
    const auto schedule = [&](const std::string& name, const std::string& id) {
        return messageOf<IllegalArgumentException>([&] { scheduler.schedule(name, id, hours(1)); });
    };
    const std::string expectedName = "name: expected 1 to 200 bytes of UTF-8";
    const std::string expectedId = "id: expected 1 to 200 bytes of UTF-8";
    BOOST_TEST(schedule("", "i") == expectedName);
    BOOST_TEST(schedule("n", "") == expectedId);
    BOOST_TEST(schedule(std::string(201, 'x'), "i") == expectedName);
    BOOST_TEST(schedule("n", std::string("a\0b", 3)) == expectedId);
    for (const char* malformed :
         {"\xff", "\x80", "\xc3", "\xc0\x80", "\xe0\x80\x80", "\xed\xa0\x80", "\xf0\x80\x80\x80",
          "\xf4\x90\x80\x80", "\xf5\x80\x80\x80", "a\xe2\x82"}) {
        BOOST_TEST(schedule("n", malformed) == expectedId);
    }
    for (const std::string& good :
         {std::string(200, 'x'), std::string("\xc3\xa4"), std::string("\xe2\x82\xac"),
          std::string("\xf0\x9f\x98\x80"), std::string("\xf4\x8f\xbf\xbf")}) {
        BOOST_TEST(scheduler.schedule(good, good, hours(1)));
        BOOST_TEST(scheduler.find(good, good)->id == good);
        BOOST_TEST(scheduler.cancel(good, good));
    }
    BOOST_CHECK_THROW(scheduler.cancel("", "i"), IllegalArgumentException);
    BOOST_CHECK_THROW(scheduler.reschedule("n", "", 0), IllegalArgumentException);
    BOOST_CHECK_THROW(scheduler.find("", "i"), IllegalArgumentException);
}

BOOST_AUTO_TEST_CASE(k9_keys_are_compared_by_byte) {
    BOOST_TEST(scheduler.schedule("n", "a", hours(1)));
    BOOST_TEST(scheduler.schedule("n", "A", hours(1)));
    BOOST_TEST(scheduler.schedule("n", "\xc3\xa4", hours(1)));   // one character
    BOOST_TEST(scheduler.schedule("n", "a\xcc\x88", hours(1)));  // the same, composed
    std::vector<std::string> ids;
    for (const TaskInfo& task : scheduler.list()) ids.push_back(task.id);
    const std::vector<std::string> expected = {"A", "a", "a\xcc\x88", "\xc3\xa4"};
    BOOST_TEST(ids == expected, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(k10_a_payload_is_any_bytes_up_to_1_mib) {
    std::string bytes;
    for (int i = 0; i < 256; ++i) bytes += static_cast<char>(i);
    BOOST_TEST(scheduler.schedule("n", "bytes", hours(1), bytes));
    BOOST_TEST(scheduler.find("n", "bytes")->payload == bytes);
    const std::string longest(1U << 20U, 'x');
    BOOST_TEST(scheduler.schedule("n", "long", hours(1), longest));
    BOOST_TEST((scheduler.find("n", "long")->payload == longest));
    BOOST_CHECK_THROW(scheduler.schedule("n", "longer", hours(1), longest + 'x'),
                      IllegalArgumentException);
}

BOOST_AUTO_TEST_CASE(k16_arguments_are_checked_with_the_words_of_a_timer) {
    const auto message = [](const auto& call) { return messageOf<IllegalArgumentException>(call); };
    BOOST_TEST(message([&] { scheduler.schedule("n", "i", -1); }) == "Negative delay.");
    BOOST_TEST(message([&] { scheduler.reschedule("n", "i", -1); }) == "Negative delay.");
    BOOST_TEST(message([&] { scheduler.scheduleAtFixedRate("n", "i", -1, 1); }) ==
               "Negative delay.");
    BOOST_TEST(message([&] { scheduler.scheduleAtFixedRate("n", "i", 0, 0); }) ==
               "Non-positive period.");
    BOOST_TEST(message([&] { scheduler.scheduleWithFixedDelay("n", "i", 0, -1); }) ==
               "Non-positive period.");
    BOOST_TEST(scheduler.schedule("n", "past", jtimer::Date(-hours(1))));
    BOOST_TEST((scheduler.find("n", "past")->scheduledExecutionTime == jtimer::Date(-hours(1))));
    BOOST_TEST(scheduler.scheduleAtFixedRate("n", "short", hours(1), std::chrono::nanoseconds(1)));
    BOOST_TEST(ask("select period from @.task where id = 'short'") == "1000");
}

BOOST_AUTO_TEST_CASE(k18_schedule_all_takes_all_or_none) {
    const Schedule later = Schedule::once(hours(1));
    std::vector<NewTask> tasks;
    for (int i = 0; i < 100; ++i) tasks.push_back({"n", std::to_string(i), later, "p"});
    BOOST_TEST(scheduler.scheduleAll(tasks) == 100U);
    BOOST_TEST(scheduler.scheduleAll(tasks) == 0U);
    tasks.push_back({"n", "100", later, {}});
    tasks[0].ifExists = IfExists::Replace;
    BOOST_TEST(scheduler.scheduleAll(tasks) == 2U);
    BOOST_TEST(scheduler.scheduleAll({}) == 0U);

    tasks = {{"n", "new", later, {}}, {"n", "cron", Schedule::cron("* * * * *", "Nowhere"), {}}};
    BOOST_TEST(messageOf<IllegalArgumentException>([&] { scheduler.scheduleAll(tasks); }) ==
               "Unknown time zone: Nowhere");
    BOOST_TEST(!scheduler.find("n", "new").has_value());
    tasks = {{"n", "new", later, {}}, {"m", "new", later, {}}, {"n", "new", later, {}}};
    BOOST_CHECK_THROW(scheduler.scheduleAll(tasks), IllegalArgumentException);
    BOOST_TEST(!scheduler.find("m", "new").has_value());
}

BOOST_AUTO_TEST_CASE(k19_a_task_in_the_callers_transaction_exists_if_that_commits) {
    const PgConnection connection = connect();
    const NewTask task{"n", "i", Schedule::once(hours(1)), "p"};
    BOOST_CHECK_THROW(scheduler.schedule(connection.get(), task), jtimer::IllegalStateException);

    run(connection, "begin");
    BOOST_TEST(scheduler.schedule(connection.get(), task));
    BOOST_TEST((PQtransactionStatus(connection.get()) == PQTRANS_INTRANS));
    BOOST_TEST(!scheduler.find("n", "i").has_value());
    run(connection, "rollback");
    BOOST_TEST(!scheduler.find("n", "i").has_value());

    run(connection, "begin");
    BOOST_TEST(scheduler.schedule(connection.get(), task));
    BOOST_TEST(!scheduler.schedule(connection.get(), task));
    run(connection, "commit");
    BOOST_TEST(scheduler.find("n", "i")->payload == "p");
    BOOST_TEST(PQisnonblocking(connection.get()) == 0);

    run(connection, "begin");
    run(connection, "a syntax error");
    BOOST_CHECK_THROW(scheduler.schedule(connection.get(), task), jtimer::IllegalStateException);
}

BOOST_AUTO_TEST_CASE(k19_the_encoding_of_the_callers_connection_does_not_matter) {
    for (const char* encoding : {"LATIN1", "SJIS", "UTF8"}) {
        const PgConnection connection = connect(std::string(" client_encoding=") + encoding);
        run(connection, "begin");
        BOOST_TEST(scheduler.schedule(connection.get(),
                                      {"\xe2\x82\xac", encoding, Schedule::once(hours(1)), {}}));
        run(connection, "commit");
        BOOST_TEST(scheduler.find("\xe2\x82\xac", encoding).has_value());
    }
}

BOOST_AUTO_TEST_CASE(k27_k28_malformed_expressions_and_unknown_zones_are_refused) {
    const auto zone = [&](const std::string& name) {
        return messageOf<IllegalArgumentException>(
            [&] { scheduler.scheduleCron("n", "i", "0 2 * * *", name); });
    };
    for (const char* name : {"Nowhere", "GMT+24", "CET-1CEST", "", "europe/berlin", "a\xff",
                             "'; drop table task; --"}) {
        BOOST_TEST(zone(name) == std::string("Unknown time zone: ") + name);
    }
    BOOST_TEST(zone("Europe/Berlin") == "nothing thrown");
    BOOST_CHECK_THROW(scheduler.scheduleCron("n", "i", "60 * * * *"), IllegalArgumentException);
    BOOST_CHECK_THROW(scheduler.scheduleCron("n", "i", "0 0 30 2 *"), IllegalArgumentException);
}

BOOST_AUTO_TEST_CASE(k60_a_database_that_cannot_be_reached_is_reported_in_time) {
    Options unreachable = options;
    unreachable.conninfo = "host=/nowhere password=secret";
    unreachable.operationTimeout = 100;
    Scheduler lonely(unreachable);
    const std::string message =
        messageOf<DatabaseException>([&] { lonely.schedule("n", "i", 0, "hidden"); });
    BOOST_TEST(message.find("/nowhere") != std::string::npos);
    BOOST_TEST(message.find("secret") == std::string::npos);
    BOOST_TEST(message.find("hidden") == std::string::npos);

    unreachable.conninfo = "postgresql://user:secret@host:x:y/";
    Scheduler malformed(unreachable);
    BOOST_TEST(messageOf<DatabaseException>([&] { malformed.backlog(); }).find("secret") ==
               std::string::npos);
    unreachable.conninfo = "host";
    Scheduler without(unreachable);
    BOOST_TEST(messageOf<DatabaseException>([&] { without.backlog(); }) ==
               "The connection string is malformed");
}

BOOST_AUTO_TEST_CASE(k73_a_connect_timeout_of_0_is_no_limit) {
    options.conninfo += " connect_timeout=0";
    BOOST_TEST(Scheduler(options).schedule("n", "i", hours(1)));
}

BOOST_AUTO_TEST_CASE(k60_an_error_of_the_server_has_its_code_and_not_the_payload) {
    ask("alter table @.task add check (payload <> 'hidden')");
    try {
        scheduler.schedule("n", "i", 0, "hidden");
        BOOST_ERROR("nothing thrown");
    } catch (const DatabaseException& e) {
        BOOST_TEST(e.sqlState() == "23514");
        BOOST_TEST(std::string(e.what()).find("hidden") == std::string::npos);
    }
}

BOOST_AUTO_TEST_CASE(options_out_of_range_are_refused) {
    const auto refused = [&](const auto& change) {
        Options wrong = options;
        change(wrong);
        BOOST_CHECK_THROW(Scheduler{wrong}, IllegalArgumentException);
        BOOST_CHECK_THROW(migrate(wrong), IllegalArgumentException);
    };
    refused([](Options& o) { o.concurrency = 0; });
    refused([](Options& o) { o.concurrency = 1001; });
    refused([](Options& o) { o.lease = 999; });
    refused([](Options& o) { o.pollInterval = 9; });
    refused([](Options& o) { o.operationTimeout = 0; });
    refused([](Options& o) { o.schema = ""; });
    refused([](Options& o) { o.schema = std::string(49, 'x'); });
    refused([](Options& o) { o.name = std::string(201, 'x'); });
}

BOOST_AUTO_TEST_CASE(options_of_a_task_out_of_range_are_refused) {
    const auto refused = [&](const auto& change) {
        TaskOptions wrong;
        change(wrong);
        return messageOf<IllegalArgumentException>([&] {
            scheduler.registerTask(
                "n", [](Run&) {}, wrong);
        });
    };
    BOOST_TEST(refused([](TaskOptions& o) { o.maxAttempts = 0; }) ==
               "maxAttempts: expected at least 1");
    BOOST_TEST(refused([](TaskOptions& o) { o.maxCrashes = 0; }) ==
               "maxCrashes: expected at least 1");
    BOOST_TEST(refused([](TaskOptions& o) { o.firstBackoff = -1; }) ==
               "firstBackoff: expected 0 or more");
    BOOST_TEST(refused([](TaskOptions& o) { o.maxBackoff = -1; }) ==
               "maxBackoff: expected 0 or more");
    BOOST_TEST(refused([](TaskOptions& o) { o.maxAttempts = 1; }) == "nothing thrown");
}

BOOST_AUTO_TEST_CASE(k62_calls_that_change_nothing_say_so) {
    BOOST_TEST(!scheduler.reschedule("n", "i", 0));
    BOOST_TEST(!scheduler.runNow("n", "i"));
    BOOST_TEST(!scheduler.pause(Target::task("n", "i")));
    BOOST_TEST(scheduler.pause(Target::name("n")));
    BOOST_TEST(!scheduler.pause(Target::name("n")));
    BOOST_TEST(scheduler.unfinished().empty());
    BOOST_TEST(scheduler.stats().running == 0U);
    scheduler.wakeUp();
    BOOST_CHECK_THROW(scheduler.schedule(nullptr, {"n", "i", Schedule::once(0)}),
                      jtimer::NullPointerException);
    BOOST_TEST(scheduler.stop(0));
    BOOST_CHECK_THROW(scheduler.start(), jtimer::IllegalStateException);
}

BOOST_AUTO_TEST_CASE(k73_lists_of_hosts_and_ports_that_do_not_match_are_refused_by_libpq) {
    Options wrong = options;
    wrong.conninfo = "host=/nowhere,/elsewhere port=1,2,3";
    wrong.operationTimeout = 100;
    Scheduler nowhere(wrong);
    BOOST_TEST(messageOf<DatabaseException>([&] { nowhere.backlog(); }) ==
               "could not match 3 port numbers to 2 hosts");
}

BOOST_AUTO_TEST_CASE(k75_everything_works_without_prepared_statements) {
    options.preparedStatements = false;
    Scheduler plain(options);
    for (int i = 0; i < 3; ++i) {
        BOOST_TEST(plain.schedule("n", "i", hours(1)));
        BOOST_TEST(plain.reschedule("n", "i", hours(2)));
        BOOST_TEST(plain.find("n", "i").has_value());
        BOOST_TEST(plain.cancel("n", "i"));
    }
    BOOST_TEST(ask("select count(*) from pg_prepared_statements") == "0");
}

BOOST_AUTO_TEST_SUITE_END()

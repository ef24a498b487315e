// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.

// A started Scheduler and a TestClock, as a user's tests use them.

#include "cluster/schema.hpp"

#include <jtimer/cluster.hpp>

#include <boost/test/unit_test.hpp>
#include <boost/thread/mutex.hpp>

#include <libpq-fe.h>

#include <chrono>
#include <cstddef>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

using namespace jtimer::cluster;
using std::chrono::hours;
using std::chrono::minutes;

/// Records the runs of the tasks named "n".
struct Fixture : test::Schema {
    Fixture() : scheduler(options), clock(options) {
        scheduler.registerTask("n", [this](Run& run) {
            const boost::mutex::scoped_lock lock(mutex);
            dues.push_back(run.scheduledExecutionTime());
            attempts.push_back(run.attempt());
        });
    }

    Scheduler scheduler;
    TestClock clock;
    boost::mutex mutex;
    std::vector<jtimer::Date> dues;
    std::vector<int> attempts;
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(room, Fixture)

BOOST_AUTO_TEST_CASE(k80_a_moved_clock_runs_what_becomes_due_before_advance_returns) {
    scheduler.start();
    const jtimer::Date first = clock.now() + hours(1);
    scheduler.scheduleAtFixedRate("n", "i", first, hours(24));
    clock.advance(minutes(59));
    BOOST_TEST(dues.empty());
    for (int day = 0; day < 100; ++day) clock.advance(hours(24));
    BOOST_REQUIRE(dues.size() == 100U);
    for (std::size_t day = 0; day < dues.size(); ++day)
        BOOST_TEST((dues[day] == first + day * hours(24)));
    scheduler.stop();  // the node may still have to hear of the last end, which the clock has seen
    BOOST_TEST(scheduler.stats().succeeded == 100U);
}

BOOST_AUTO_TEST_CASE(k23_k25_a_first_run_that_is_moved_forward_moves_no_later_one) {
    scheduler.start();
    const jtimer::Date first = clock.now() + hours(10);
    const jtimer::Date early = first - hours(9);
    scheduler.scheduleAtFixedRate("n", "i", first, minutes(30));
    BOOST_TEST(scheduler.reschedule("n", "i", early));
    for (int i = 0; i < 22; ++i) clock.advance(minutes(30));
    const std::vector<jtimer::Date> expected{early, first, first + minutes(30), first + hours(1)};
    BOOST_TEST((dues == expected));
}

BOOST_AUTO_TEST_CASE(k80_a_clock_needs_a_schema_for_tests_and_never_goes_back) {
    BOOST_CHECK_THROW(clock.advance(-1), jtimer::IllegalArgumentException);
    Options plain = options;
    plain.schema += "plain";
    migrate(plain);
    BOOST_CHECK_THROW(TestClock{plain}, jtimer::IllegalStateException);
    BOOST_CHECK_THROW(migrate(plain, true), SchemaException);
    test::ask(plain.conninfo,
              "set client_min_messages = error; drop schema \"" + plain.schema + "\" cascade");
}

BOOST_AUTO_TEST_CASE(k44_complete_commits_the_effect_with_the_end_of_the_run) {
    ask("create table @.effect (token bigint)");
    const std::string insert = "insert into \"" + options.schema + "\".effect values (";
    scheduler.registerTask("c", [&](Run& run) {
        const std::unique_ptr<PGconn, decltype(&PQfinish)> connection(
            PQconnectdb(options.conninfo.c_str()), PQfinish);
        PQclear(PQexec(connection.get(), "begin"));
        const std::string effect = insert + std::to_string(run.fencingToken()) + ")";
        PQclear(PQexec(connection.get(), effect.c_str()));
        run.complete(connection.get());
        BOOST_CHECK_THROW(run.complete(connection.get()), jtimer::IllegalStateException);
        BOOST_CHECK_THROW(run.setPayload("more"), jtimer::IllegalStateException);
        BOOST_CHECK_THROW(run.again(0), jtimer::IllegalStateException);
        const bool commits = run.id() == "commits" || run.attempt() == 2;
        PQclear(PQexec(connection.get(), commits ? "commit" : "rollback"));
    });
    scheduler.start();
    scheduler.schedule("c", "commits", 0);
    scheduler.schedule("c", "rolls back", 0);
    clock.advance(0);
    BOOST_TEST(ask("select count(*) from @.effect") == "1");
    BOOST_TEST(!scheduler.find("c", "commits").has_value());
    BOOST_TEST((scheduler.find("c", "rolls back")->state == State::Retrying));
    clock.advance(hours(1));
    BOOST_TEST(ask("select count(*) from @.effect") == "2");
    BOOST_TEST(!scheduler.find("c", "rolls back").has_value());
}

BOOST_AUTO_TEST_CASE(k50_a_one_shot_that_keeps_failing_dies) {
    TaskOptions twice;
    twice.maxAttempts = 2;
    scheduler.registerTask(
        "fails", [](Run&) { throw std::runtime_error("broken"); }, twice);
    scheduler.start();
    scheduler.schedule("fails", "i", 0);
    clock.advance(0);
    BOOST_TEST((scheduler.find("fails", "i")->state == State::Retrying));
    clock.advance(hours(1));
    const auto task = scheduler.find("fails", "i");
    BOOST_TEST((task->state == State::Dead));
    BOOST_TEST(task->lastError == "broken");
    scheduler.stop();
    BOOST_TEST(scheduler.stats().died == 1U);
}

BOOST_AUTO_TEST_SUITE_END()

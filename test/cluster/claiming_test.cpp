// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.

// What a node sends to claim tasks, to write the ends of runs, and to announce tasks.

#include "cluster/fixture.hpp"
#include "cluster/recorder.hpp"
#include "cluster/schema.hpp"
#include "cluster/store.hpp"
#include "support/captured_cerr.hpp"

#include <jtimer/cluster/scheduler.hpp>

#include <boost/test/unit_test.hpp>
#include <boost/thread/thread.hpp>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace {

using namespace jtimer::cluster;
using std::chrono::hours;
using std::chrono::seconds;
using Clock = std::chrono::steady_clock;

jtimer::Date ago(std::chrono::seconds span) {
    return std::chrono::time_point_cast<jtimer::Date::duration>(std::chrono::system_clock::now()) -
           span;
}

/// A node whose first run is over, and whose end is held up.
struct HeldEnd {
    test::Recorder recorder;
    test::CapturedCerr cerr;
    test::Schema schema;
    test::Counted runs;
    Scheduler scheduler{schema.options};

    HeldEnd() {
        scheduler.registerTask("n", [&](Run&) { runs.add(); });
        scheduler.start();
        recorder.hold("delete_ends");
        scheduler.schedule("n", "first", 0);
        recorder.await("delete_ends", 1);
    }
    /// When so many runs are over, and the ends of the others wait behind the first one's.
    void releaseAfter(int count) {
        runs.await(count);
        while (scheduler.stats().running != 0) boost::this_thread::yield();
        recorder.release();
    }
};

}  // namespace

BOOST_AUTO_TEST_CASE(k31_a_claim_takes_no_more_than_its_limit_under_any_plan) {
    for (const char* const planner :
         {"-c plan_cache_mode=force_generic_plan",
          "-c plan_cache_mode=force_generic_plan -c enable_tidscan=off",
          "-c enable_indexscan=off -c enable_bitmapscan=off",
          "-c enable_tidscan=off -c enable_hashjoin=off -c enable_mergejoin=off",
          "-c enable_tidscan=off -c enable_nestloop=off"}) {
        test::Schema schema;
        schema.options.conninfo += std::string(" options='") + planner + "'";
        detail::Store store(schema.options);
        std::vector<NewTask> tasks;
        for (int i = 0; i < 20; ++i)
            tasks.push_back({"n", std::to_string(i), Schedule::once(0), {}});
        store.schedule(tasks);
        const auto node = store.registerNode({"one", 30'000'000}).node;
        for (const std::size_t expected : {7U, 7U, 6U, 0U})
            BOOST_TEST(store.claim(node, {"n"}, 7).tasks.size() == expected, planner);
    }
}

BOOST_AUTO_TEST_CASE(k32_a_slot_that_is_free_takes_the_next_task_while_another_run_goes_on) {
    test::Schema schema;
    schema.options.concurrency = 2;
    schema.options.pollInterval = hours(1);
    schema.options.notifications = false;
    test::Counted runs, released;
    Scheduler scheduler(schema.options);
    scheduler.registerTask("n", [&](Run& run) {
        runs.add();
        if (run.id() == "0") return released.await(1);
        // The thread that claims waits for a slot by then.
        boost::this_thread::sleep_for(boost::chrono::milliseconds(50));
    });
    std::vector<NewTask> tasks;
    for (int i = 0; i < 5; ++i) tasks.push_back({"n", std::to_string(i), Schedule::once(0)});
    scheduler.scheduleAll(tasks);
    scheduler.start();
    runs.await(5);
    released.add();
    scheduler.stop();
    BOOST_TEST(scheduler.stats().succeeded == 5U);
}

BOOST_AUTO_TEST_CASE(k33_a_claim_with_a_cursor_leaves_older_tasks_alone) {
    test::Schema schema;
    detail::Store store(schema.options);
    store.schedule({{"n", "1", Schedule::once(ago(seconds(20))), {}},
                    {"n", "2", Schedule::once(ago(seconds(10))), {}}});
    const auto node = store.registerNode({"one", 30'000'000}).node;
    const detail::Claim first = store.claim(node, {"n"}, 1);
    BOOST_REQUIRE(first.tasks.size() == 1U);
    BOOST_TEST(first.tasks[0].id == "1");
    store.schedule({{"n", "0", Schedule::once(ago(seconds(30))), {}}});
    const detail::Claim second = store.claim(node, {"n"}, 10, first.lastWake);
    BOOST_REQUIRE(second.tasks.size() == 1U);
    BOOST_TEST(second.tasks[0].id == "2");
    const detail::Claim third = store.claim(node, {"n"}, 10);
    BOOST_REQUIRE(third.tasks.size() == 1U);
    BOOST_TEST(third.tasks[0].id == "0");
}

// Each run makes the next task due, so that every claim is full. A claim without a cursor must come
// all the same, or the older task would wait for ever.
BOOST_AUTO_TEST_CASE(k33_full_claims_go_on_where_they_ended_and_soon_start_at_the_beginning) {
    test::Schema schema;
    schema.options.concurrency = 1;
    test::Counted older;
    std::atomic<int> runs{0};
    std::atomic<int> runsBeforeOlder{0};
    Clock::time_point olderAt;
    Scheduler scheduler(schema.options);
    scheduler.registerTask("load", [&](Run&) {
        const int run = ++runs;
        if (run == 1) scheduler.schedule("older", "i", ago(hours(2)));
        if (older.get() == 0) scheduler.schedule("load", std::to_string(run), 0);
    });
    scheduler.registerTask("older", [&](Run&) {
        olderAt = Clock::now();
        runsBeforeOlder = runs.load();
        older.add();
    });
    const auto begin = Clock::now();
    scheduler.schedule("load", "0", ago(hours(1)));
    scheduler.start();
    older.await(1);
    scheduler.stop();
    // Only a claim without the cursor finds the older task, and the next one of these is due a
    // second after the first.
    if (runsBeforeOlder == 1) BOOST_TEST((olderAt - begin >= seconds(1)));
}

BOOST_AUTO_TEST_CASE(k37_tasks_begin_in_the_order_of_their_wakes) {
    test::Schema schema;
    schema.options.concurrency = 1;
    test::Counted runs;
    std::string order;
    Scheduler scheduler(schema.options);
    scheduler.registerTask("n", [&](Run& run) {
        order += run.id();
        runs.add();
    });
    std::vector<NewTask> tasks;
    for (const int i : {3, 1, 4, 5, 9, 2, 6, 8, 7})
        tasks.push_back({"n", std::to_string(i), Schedule::once(ago(seconds(100 - i))), {}});
    scheduler.scheduleAll(tasks);
    scheduler.start();
    runs.await(9);
    scheduler.stop();
    BOOST_TEST(order == "123456789");
}

BOOST_AUTO_TEST_CASE(k35_claims_ends_and_renewals_have_connections_of_their_own) {
    const test::Recorder recorder;
    test::Schema schema;
    test::Counted runs;
    Scheduler scheduler(schema.options);
    scheduler.registerTask("n", [&](Run&) { runs.add(); });
    scheduler.start();
    for (int i = 0; i < 10; ++i) scheduler.schedule("n", std::to_string(i), 0);
    runs.await(10);
    scheduler.stop();
    std::map<std::string, std::set<int>> sockets;
    for (const test::Sent& each : recorder.sent()) sockets[each.name].insert(each.socket);
    std::set<int> distinct;
    for (const char* const statement : {"claim", "delete_ends", "renew"}) {
        BOOST_TEST(sockets[statement].size() == 1U, statement);
        distinct.insert(sockets[statement].begin(), sockets[statement].end());
    }
    BOOST_TEST(distinct.size() == 3U);
}

BOOST_AUTO_TEST_CASE(k35_a_deadlock_or_serialisation_failure_is_repeated_at_once) {
    const test::Recorder recorder;
    for (const char* const code : {"40P01", "40001"}) {
        test::Schema schema;
        schema.ask("create sequence @.failures");
        schema.ask("create function @.fail() returns trigger language plpgsql as $$ begin "
                   "if nextval('@.failures') <= 2 then raise exception using errcode = '" +
                   std::string(code) + "'; end if; return old; end $$");
        schema.ask("create trigger fail before delete on @.task for each row execute function "
                   "@.fail()");
        test::Counted runs;
        Scheduler scheduler(schema.options);
        scheduler.registerTask("n", [&](Run&) { runs.add(); });
        scheduler.start();
        scheduler.schedule("n", "i", 0);
        runs.await(1);
        scheduler.stop();
        BOOST_TEST(schema.ask("select last_value from @.failures") == "3");
        BOOST_TEST(scheduler.stats().succeeded == 1U);
        BOOST_TEST(scheduler.stats().reconnects == 0U);
        BOOST_TEST(!scheduler.find("n", "i").has_value());
    }
    BOOST_TEST(recorder.count("delete_ends") == 6U);
}

BOOST_FIXTURE_TEST_CASE(k36_an_end_that_the_server_refuses_holds_up_no_other, HeldEnd) {
    schema.ask("create sequence @.refusals");
    schema.ask("create function @.refuse() returns trigger language plpgsql as $$ begin "
               "perform nextval('@.refusals'); raise exception 'refused'; end $$");
    schema.ask("create trigger refuse before delete on @.task for each row when (old.id = '2') "
               "execute function @.refuse()");
    for (const char* const id : {"1", "2", "3"}) scheduler.schedule("n", id, 0);
    releaseAfter(4);
    while (scheduler.stats().succeeded != 3) boost::this_thread::yield();
    // With the others, and alone.
    while (std::stoi(schema.ask("select last_value from @.refusals")) < 2)
        boost::this_thread::yield();
    schema.ask("drop trigger refuse on @.task");
    scheduler.stop();
    BOOST_TEST(cerr.text() == "Task \"n\" \"2\": its end cannot be written: ERROR: refused\n");
    BOOST_TEST(runs.get() == 4);
    BOOST_TEST(scheduler.stats().succeeded == 4U);
    BOOST_TEST(scheduler.stats().reconnects == 0U);
}

BOOST_FIXTURE_TEST_CASE(k36_while_ends_are_written_claims_go_on_and_the_next_ends_share_a_write,
                        HeldEnd) {
    for (int i = 0; i < 5; ++i) scheduler.schedule("n", std::to_string(i), 0);
    releaseAfter(6);
    scheduler.stop();
    BOOST_TEST(scheduler.stats().succeeded == 6U);
    BOOST_TEST(recorder.count("delete_ends") == 2U);
}

BOOST_AUTO_TEST_CASE(k36_one_shots_that_have_succeeded_are_deleted_by_a_statement_of_their_own) {
    const test::Recorder recorder;
    test::Schema schema;
    Scheduler scheduler(schema.options);
    scheduler.registerTask("n", [&](Run& run) {
        if (run.id() == "repeats")
            scheduler.scheduleAtFixedRate("n", "repeats", hours(1), hours(1));
        if (run.id() == "again" && run.attempt() == 1) run.again(hours(1));
    });
    scheduler.start();
    const auto await = [&](std::uint64_t succeeded) {
        while (scheduler.stats().succeeded != succeeded) boost::this_thread::yield();
    };
    scheduler.schedule("n", "i", 0);
    await(1);
    BOOST_TEST(recorder.count("delete_ends") == 1U);
    BOOST_TEST(recorder.count("write_ends") == 0U);
    scheduler.schedule("n", "again", 0);
    await(2);
    BOOST_TEST(recorder.count("delete_ends") == 1U);
    BOOST_TEST(recorder.count("write_ends") == 1U);
    // It is left by the first, and found by the second.
    scheduler.schedule("n", "repeats", 0);
    await(3);
    BOOST_TEST(recorder.count("delete_ends") == 2U);
    BOOST_TEST(recorder.count("write_ends") == 2U);
    scheduler.stop();
    BOOST_TEST(scheduler.list().size() == 2U);
    BOOST_TEST((scheduler.find("n", "repeats")->state == State::Scheduled));
    BOOST_TEST(scheduler.stats().fenced == 0U);
}

BOOST_AUTO_TEST_CASE(k18_tasks_of_one_policy_share_a_statement_and_a_single_one_has_its_own) {
    const test::Recorder recorder;
    test::Schema schema;
    Scheduler scheduler(schema.options);
    const Schedule later = Schedule::once(hours(1));
    scheduler.scheduleAll({{"n", "1", later, {}, IfExists::Update},
                           {"n", "2", later, {}, IfExists::Keep},
                           {"n", "3", later, {}, IfExists::Update}});
    scheduler.schedule("n", "4", hours(1));
    BOOST_TEST(recorder.count("schedule_all_update") == 1U);
    BOOST_TEST(recorder.count("schedule_keep") == 1U);
    BOOST_TEST(recorder.count("schedule_update") == 1U);
    BOOST_TEST(recorder.count("schedule_all_keep") == 0U);
}

BOOST_AUTO_TEST_CASE(k38_tasks_that_are_due_soon_are_announced_outside_of_transactions) {
    const test::Recorder recorder;
    test::Schema schema;
    Scheduler listener(schema.options);
    listener.start();
    const auto begin = Clock::now();
    {
        Scheduler scheduler(schema.options);
        scheduler.schedule("n", "later", hours(1));
        for (int i = 0; i < 100; ++i) scheduler.schedule("n", std::to_string(i), 0);
        recorder.await("notify", 1);
    }
    const auto span = std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - begin);
    BOOST_TEST(recorder.count("notify") <= static_cast<std::size_t>(span.count()) / 20 + 1);
    while (listener.stats().notifications == 0) boost::this_thread::yield();

    std::set<int> inTransaction;
    for (const test::Sent& each : recorder.sent()) {
        if (each.name == "begin") inTransaction.insert(each.socket);
        if (each.name == "commit" || each.name == "rollback") inTransaction.erase(each.socket);
        if (each.name == "notify") BOOST_TEST(inTransaction.count(each.socket) == 0U);
    }
}

BOOST_AUTO_TEST_CASE(k38_a_task_that_a_poll_finds_in_time_is_not_announced) {
    const test::Recorder recorder;
    test::Schema schema;
    Scheduler scheduler(schema.options);
    scheduler.schedule("n", "later", hours(1));
    scheduler.schedule("n", "tomorrow", hours(24));
    scheduler.schedule("n", "now", 0);
    recorder.await("notify", 1);
    BOOST_TEST(recorder.count("notify") == 1U);
}

BOOST_AUTO_TEST_CASE(k38_a_task_whose_time_has_come_is_announced) {
    const test::Recorder recorder;
    test::Schema schema;
    Scheduler scheduler(schema.options);
    scheduler.schedule("n", "i", ago(seconds(1)));
    recorder.await("notify", 1);
}

BOOST_AUTO_TEST_CASE(k39_without_notifications_a_task_is_found_by_a_poll) {
    const test::Recorder recorder;
    test::Schema schema;
    Options deaf = schema.options;
    deaf.notifications = false;
    deaf.pollInterval = 20;
    test::Counted runs;
    Scheduler node(deaf);
    node.registerTask("n", [&](Run&) { runs.add(); });
    node.start();
    recorder.await("claim", 2);  // it sleeps between polls
    Scheduler(schema.options).schedule("n", "i", 0);
    runs.await(1);
    node.stop();
    BOOST_TEST(node.stats().notifications == 0U);
    BOOST_TEST(recorder.count("listen") == 0U);
}

// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.

// The runs that have ended: which are kept, how they are read, and when they are deleted.

#include "cluster/fixture.hpp"
#include "cluster/store_fixture.hpp"

#include <jtimer/cluster/scheduler.hpp>
#include <jtimer/exceptions.hpp>

#include <libpq-fe.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

using namespace jtimer::cluster;
using namespace jtimer::cluster::detail;
using std::chrono::hours;

namespace {

using jtimer::cluster::Outcome;  // not detail::Session's

constexpr Micros kWeek = 604'800'000'000;

struct Fixture : test::StoreFixture {
    void keep(History what) { store.keepHistory(what, kWeek, 1'000'000); }

    EndStatus write(const std::shared_ptr<const ClaimedTask>& task, End::Kind kind,
                    History history) {
        std::vector<End> ends(1);
        ends[0].task = task;
        ends[0].kind = kind;
        ends[0].delay = 3600 * kSecond;
        if (kind != End::Kind::Success) ends[0].error = "broken";
        return store.writeEnds(ends, history)[0];
    }

    /// Runs a new one-shot to this end.
    void run(const std::string& id, End::Kind kind, History history = History::All) {
        schedule("n", id, Schedule::once(0));
        BOOST_TEST((write(claimOne(), kind, history) == EndStatus::Written));
    }

    /// Rows with the tokens of a range, which ended so many days ago.
    void insertRuns(std::int64_t first, std::int64_t last, double daysAgo) const {
        ask("insert into @.run select i, 'n', i::text, 'one', 1, now(), now(), now() - " +
            std::to_string(daysAgo) + " * interval '1 day', 'succeeded' from generate_series(" +
            std::to_string(first) + ", " + std::to_string(last) + ") i");
    }

    std::string ids(const HistoryFilter& filter = {}) {
        std::string ids;
        for (const PastRun& run : store.history(filter).runs) ids += run.id + ' ';
        return ids;
    }

    /// How many are left after a node has pruned, if it has.
    std::string prune() {
        auto pruning = store.beginPruning();
        if (!pruning) return "not now";
        while (store.prune(*pruning)) {
        }
        return ask("select count(*) from @.run");
    }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(history, Fixture)

BOOST_AUTO_TEST_CASE(o32_history_is_off_by_default_and_a_renewal_tells_what_is_kept) {
    BOOST_TEST((store.registerNode({"two", kLease}).history == History::Off));
    BOOST_TEST((store.renew(node).history == History::Off));
    for (const History what : {History::Failures, History::All, History::Off}) {
        keep(what);
        BOOST_TEST((store.renew(node).history == what));
        BOOST_TEST((store.registerNode({"three", kLease}).history == what));
    }
}

BOOST_AUTO_TEST_CASE(o32_failures_keeps_those_and_all_keeps_all) {
    for (const History what : {History::Off, History::Failures, History::All}) {
        run("success", End::Kind::Success, what);
        run("retry", End::Kind::Retry, what);
        run("dead", End::Kind::Dead, what);
        if (what == History::Off) BOOST_TEST(ids() == "");
        if (what == History::Failures) BOOST_TEST(ids() == "dead retry ");
        ask("delete from @.task");
    }
    BOOST_TEST(ids() == "dead retry success dead retry ");
}

BOOST_AUTO_TEST_CASE(o33_a_row_tells_of_the_run_and_has_no_payload) {
    schedule("n", "i", Schedule::once(0), "secret");
    const auto first = claimOne();
    write(first, End::Kind::Retry, History::All);
    store.runNow("n", "i");
    const auto second = claimOne();
    const Micros before = std::stoll(ask("select (extract(epoch from now()) * 1000000)::bigint"));
    write(second, End::Kind::Success, History::All);
    const std::vector<PastRun> runs = store.history({}).runs;
    BOOST_REQUIRE(runs.size() == 2U);
    BOOST_TEST(runs[0].name == "n");
    BOOST_TEST(runs[0].id == "i");
    BOOST_TEST(runs[0].node == "one");
    BOOST_TEST(runs[0].attempt == 2);
    BOOST_TEST(runs[0].fencingToken == second->token);
    BOOST_TEST((runs[0].due == toDate(second->due)));
    BOOST_TEST((runs[0].started == toDate(second->claimedAt)));
    BOOST_TEST((runs[0].finished >= toDate(before)));
    BOOST_TEST((runs[0].outcome == Outcome::Succeeded));
    BOOST_TEST(runs[0].error == "");
    BOOST_TEST(runs[1].attempt == 1);
    BOOST_TEST(runs[1].fencingToken == first->token);
    BOOST_TEST((runs[1].due == toDate(first->due)));
    BOOST_TEST((runs[1].outcome == Outcome::Retrying));
    BOOST_TEST(runs[1].error == "broken");
    BOOST_TEST(ask("select count(*) from information_schema.columns where table_schema = '" +
                   options.schema + "' and table_name = 'run' and column_name = 'payload'") == "0");
}

BOOST_AUTO_TEST_CASE(o33_the_outcome_is_what_became_of_the_task) {
    const auto outcomeOf = [&](End::Kind kind, const Schedule& when) {
        schedule("n", "i", when);
        write(claimOne(), kind, History::All);
        store.cancel("n", "i");
        return store.history({}).runs.at(0).outcome;
    };
    const Schedule once = Schedule::once(0), rate = Schedule::fixedRate(0, hours(1));
    BOOST_TEST((outcomeOf(End::Kind::Success, once) == Outcome::Succeeded));
    BOOST_TEST((outcomeOf(End::Kind::Success, rate) == Outcome::Succeeded));
    BOOST_TEST((outcomeOf(End::Kind::Retry, rate) == Outcome::Retrying));
    BOOST_TEST((outcomeOf(End::Kind::GiveUp, rate) == Outcome::GaveUp));
    BOOST_TEST((outcomeOf(End::Kind::GiveUp, once) == Outcome::Dead));
    BOOST_TEST((outcomeOf(End::Kind::GoOn, rate) == Outcome::GaveUp));
    BOOST_TEST((outcomeOf(End::Kind::Dead, rate) == Outcome::Dead));
}

BOOST_AUTO_TEST_CASE(o33_an_abandoned_run_is_one_whatever_becomes_of_the_task) {
    schedule("n", "i", Schedule::once(0));
    std::vector<End> ends(1);
    ends[0].task = claimOne();
    ends[0].kind = End::Kind::Retry;
    ends[0].error = "late";
    ends[0].abandoned = true;
    store.writeEnds(ends, History::Failures);
    const std::vector<PastRun> runs = store.history({}).runs;
    BOOST_REQUIRE(runs.size() == 1U);
    BOOST_TEST((runs[0].outcome == Outcome::Abandoned));
    BOOST_TEST(runs[0].error == "late");
}

BOOST_AUTO_TEST_CASE(o33_a_fenced_end_leaves_no_row_and_an_end_that_comes_twice_one) {
    schedule("n", "i", Schedule::fixedRate(0, hours(1)));
    const auto cancelled = claimOne();
    store.cancel("n", "i");
    BOOST_TEST((write(cancelled, End::Kind::Success, History::All) == EndStatus::Fenced));
    BOOST_TEST(ids() == "");
    schedule("n", "i", Schedule::fixedRate(0, hours(1)));
    const auto task = claimOne();
    BOOST_TEST((write(task, End::Kind::Success, History::All) == EndStatus::Written));
    BOOST_TEST((write(task, End::Kind::Success, History::All) == EndStatus::Fenced));
    BOOST_TEST(ids() == "i ");
}

BOOST_AUTO_TEST_CASE(o33_a_take_over_adds_what_was_running_on_the_dead_node) {
    for (const bool isKept : {false, true}) {
        if (isKept) keep(History::Failures);
        const NodeNumber other = store.registerNode({"dead one", kLease}).node;
        schedule("n", "i", Schedule::fixedRate(0, hours(1)));
        schedule("n", "free", Schedule::once(hours(1)));
        const Claim claim = store.claim(other, {"n"}, 10);
        BOOST_REQUIRE(claim.tasks.size() == 1U);
        ask("update @.node set lease_until = now() - interval '1 s' where name = 'dead one'");
        BOOST_TEST(store.takeOver(node).tasks == 1U);
        const std::vector<PastRun> runs = store.history({}).runs;
        BOOST_REQUIRE(runs.size() == (isKept ? 1U : 0U));
        if (isKept) {
            BOOST_TEST(runs[0].id == "i");
            BOOST_TEST(runs[0].node == "dead one");
            BOOST_TEST(runs[0].fencingToken == claim.tasks[0].token);
            BOOST_TEST((runs[0].started == toDate(claim.tasks[0].claimedAt)));
            BOOST_TEST((runs[0].outcome == Outcome::Lost));
            BOOST_TEST(runs[0].error == "");
        }
        ask("delete from @.task");
    }
}

BOOST_AUTO_TEST_CASE(o34_history_is_read_backwards_page_by_page) {
    for (int i = 1; i <= 5; ++i) run(std::to_string(i), End::Kind::Success);
    HistoryFilter filter;
    filter.limit = 2;
    PastRuns page = store.history(filter);
    BOOST_TEST(ids(filter) == "5 4 ");
    BOOST_TEST(!page.complete);
    filter.before = page.runs.back().fencingToken;
    BOOST_TEST(ids(filter) == "3 2 ");
    page = store.history(filter);
    BOOST_TEST(!page.complete);
    filter.before = page.runs.back().fencingToken;
    BOOST_TEST(ids(filter) == "1 ");
    BOOST_TEST(store.history(filter).complete);
    filter = {};
    filter.limit = 5;
    BOOST_TEST(store.history(filter).complete);
    filter.limit = 0;
    BOOST_TEST(ids(filter) == "");
    BOOST_TEST(!store.history(filter).complete);
}

BOOST_AUTO_TEST_CASE(o34_each_field_of_the_filter_selects) {
    run("a", End::Kind::Success);
    run("b", End::Kind::Dead);
    run("a", End::Kind::Retry);
    HistoryFilter filter;
    filter.id = "a";
    BOOST_TEST(ids(filter) == "a a ");
    filter.outcome = Outcome::Succeeded;
    BOOST_TEST(ids(filter) == "a ");
    filter.id.reset();
    filter.outcome = Outcome::Dead;
    BOOST_TEST(ids(filter) == "b ");
    filter.name = "other";
    BOOST_TEST(ids(filter) == "");
    BOOST_TEST(store.history(filter).complete);
}

BOOST_AUTO_TEST_CASE(o34_at_most_200000_runs_are_looked_at_for_a_filter_and_the_answer_says_so) {
    insertRuns(1, 200'001, 0);
    HistoryFilter filter;
    filter.id = "2";
    BOOST_TEST(ids(filter) == "2 ");
    filter.id = "1";
    BOOST_TEST(ids(filter) == "");
    BOOST_TEST(!store.history(filter).complete);
    filter.before = 200'001;
    BOOST_TEST(ids(filter) == "1 ");
    BOOST_TEST(store.history(filter).complete);
}

BOOST_AUTO_TEST_CASE(o35_what_ended_longer_ago_than_the_age_is_deleted) {
    keep(History::All);
    insertRuns(1, 10'000, 7.01);
    // It began long ago, and has ended since. What was younger at its beginning is not.
    insertRuns(10'001, 10'001, 0);
    insertRuns(10'002, 12'000, 7.01);
    insertRuns(12'001, 12'003, 6.99);
    BOOST_TEST(prune() == "4");
    BOOST_TEST(ids() == "12003 12002 12001 10001 ");
}

BOOST_AUTO_TEST_CASE(o35_all_but_the_last_rows_are_deleted) {
    store.keepHistory(History::All, kWeek, 3);
    insertRuns(1, 25'000, 0);
    BOOST_TEST(prune() == "3");
    BOOST_TEST(ids() == "25000 24999 24998 ");
}

BOOST_AUTO_TEST_CASE(o35_a_transaction_deletes_at_most_10000) {
    keep(History::All);
    insertRuns(1, 10'001, 8);
    auto pruning = store.beginPruning();
    BOOST_REQUIRE(pruning.has_value());
    BOOST_TEST(store.prune(*pruning));
    BOOST_TEST(ask("select count(*) from @.run") == "1");
}

BOOST_AUTO_TEST_CASE(o35_one_node_prunes_once_a_minute) {
    const auto isDue = [&] { return store.renew(node).pruneIsDue; };
    BOOST_TEST(!isDue());  // no run was ever kept
    keep(History::All);
    BOOST_TEST(isDue());
    BOOST_TEST(prune() == "0");
    BOOST_TEST(!isDue());
    BOOST_TEST(prune() == "not now");
    ask("update @.cluster set pruned = pruned - interval '59 s'");
    BOOST_TEST(!isDue());
    ask("update @.cluster set pruned = pruned - interval '2 s'");
    BOOST_TEST(isDue());
    BOOST_TEST(prune() == "0");
    // Off: what was kept still gets old.
    insertRuns(1, 1, 8);
    keep(History::Off);
    ask("update @.cluster set pruned = '-infinity'");
    BOOST_TEST(isDue());
    BOOST_TEST(prune() == "0");
}

BOOST_AUTO_TEST_SUITE_END()

namespace {

struct NodeFixture : test::Schema {
    NodeFixture() {
        options.lease = 1000;
        options.pollInterval = 50;
    }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(history_of_a_node, NodeFixture)

BOOST_AUTO_TEST_CASE(o32_a_node_that_runs_learns_what_to_keep) {
    Scheduler scheduler(options);
    scheduler.registerTask("n", [](Run&) {});
    scheduler.start();
    scheduler.keepHistory(History::All);
    scheduler.scheduleAtFixedRate("n", "i", 0, 20);
    while (scheduler.history().runs.empty()) boost::this_thread::yield();
    BOOST_TEST(scheduler.history().runs.back().node == scheduler.name());
    scheduler.stop();
}

BOOST_AUTO_TEST_CASE(o33_complete_leaves_a_row_if_its_transaction_is_committed) {
    Scheduler scheduler(options);
    scheduler.keepHistory(History::All);
    TaskOptions once;
    once.maxAttempts = 1;
    scheduler.registerTask(
        "n",
        [&](Run& run) {
            const std::unique_ptr<PGconn, decltype(&PQfinish)> connection(
                PQconnectdb(options.conninfo.c_str()), PQfinish);
            PQclear(PQexec(connection.get(), "begin"));
            run.complete(connection.get());
            PQclear(PQexec(connection.get(), run.id() == "commits" ? "commit" : "rollback"));
        },
        once);
    scheduler.schedule("n", "commits", 0);
    scheduler.schedule("n", "rolls back", 0);
    scheduler.start();
    while (scheduler.history().runs.size() < 2) boost::this_thread::yield();
    scheduler.stop();
    HistoryFilter filter;
    filter.id = "commits";
    BOOST_REQUIRE(scheduler.history(filter).runs.size() == 1U);
    BOOST_TEST((scheduler.history(filter).runs[0].outcome == Outcome::Succeeded));
    filter.id = "rolls back";
    BOOST_REQUIRE(scheduler.history(filter).runs.size() == 1U);
    BOOST_TEST((scheduler.history(filter).runs[0].outcome == Outcome::Dead));
    BOOST_TEST(scheduler.history(filter).runs[0].error ==
               "The transaction of complete() was not committed.");
}

BOOST_AUTO_TEST_CASE(o35_a_node_deletes_what_is_old) {
    Scheduler scheduler(options);
    scheduler.keepHistory(History::All, std::chrono::minutes(5));
    ask("insert into @.run select i, 'n', 'i', 'one', 1, now(), now(), now() - i * interval '1 "
        "min',"
        " 'succeeded' from generate_series(4, 6) i");
    scheduler.start();
    while (scheduler.history().runs.size() == 3) boost::this_thread::yield();
    BOOST_REQUIRE(scheduler.history().runs.size() == 1U);
    BOOST_TEST(scheduler.history().runs[0].fencingToken == 4);
    scheduler.stop();
}

BOOST_AUTO_TEST_CASE(o35_a_node_that_stops_begins_no_other_transaction) {
    Scheduler scheduler(options);
    scheduler.keepHistory(History::All, 1000);
    ask("insert into @.run select 1, 'n', 'i', 'one', 1, now(), now(), now() - interval '1 h',"
        " 'succeeded'");
    ask("create sequence @.pruned");
    ask("create function @.count() returns trigger language plpgsql as $$ begin "
        "perform nextval('@.pruned'); return null; end $$");
    ask("create trigger count before delete on @.run for each statement execute function "
        "@.count()");
    const auto sessions = [&](const std::string& condition) {
        return ask("select count(*) from pg_stat_activity where pid <> pg_backend_pid() and "
                   "query like '%deleted as%' and " +
                   condition);
    };
    test::Session other;
    other("begin");
    other("select token from \"" + options.schema + "\".run for update");
    scheduler.start();
    while (sessions("wait_event_type = 'Lock'") == "0") boost::this_thread::yield();
    scheduler.stop();
    other("rollback");
    while (sessions("true") != "0") boost::this_thread::yield();
    BOOST_TEST(ask("select last_value from @.pruned") == "1");
    BOOST_TEST(scheduler.history().runs.empty());
}

BOOST_AUTO_TEST_CASE(o32_o34_what_is_wrong_is_refused) {
    Scheduler scheduler(options);
    BOOST_CHECK_EXCEPTION(
        scheduler.keepHistory(History::All, -1), jtimer::IllegalArgumentException,
        [](const std::exception& e) { return std::string(e.what()) == "Negative age."; });
    scheduler.keepHistory(History::All, hours(24 * 365 * 200), ~std::uint64_t{0});
    HistoryFilter filter;
    filter.name = "";
    BOOST_CHECK_THROW(scheduler.history(filter), jtimer::IllegalArgumentException);
    filter.name.reset();
    filter.id = std::string(201, 'x');
    BOOST_CHECK_THROW(scheduler.history(filter), jtimer::IllegalArgumentException);
}

BOOST_AUTO_TEST_SUITE_END()

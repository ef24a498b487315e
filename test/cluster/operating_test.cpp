// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.

// What people who operate a cluster see and do.

#include "cluster/plain_session.hpp"
#include "cluster/prefix.hpp"
#include "cluster/store_fixture.hpp"

#include <jtimer/cluster/scheduler.hpp>
#include <jtimer/exceptions.hpp>
#include <jtimer/version.hpp>

#include <boost/thread/thread.hpp>

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <unistd.h>
#include <vector>

using namespace jtimer::cluster;
using namespace jtimer::cluster::detail;
using std::chrono::hours;
using std::chrono::seconds;

namespace {

struct Fixture : test::StoreFixture {
    void pauseTask(const std::string& id, const std::string& name = "n") {
        BOOST_TEST(store.pause(Target::task(name, id), "me", "why"));
    }

    void kill(const std::string& id) {
        schedule("n", id, Schedule::once(0));
        end(claimOne(), End::Kind::Dead);
    }

    std::string keys(const Filter& filter) {
        std::string keys;
        for (const TaskInfo& task : store.list(filter)) keys += task.name + task.id + ' ';
        return keys;
    }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(operating, Fixture)

BOOST_AUTO_TEST_CASE(o20_run_now_makes_a_waiting_task_due_and_leaves_its_later_periods) {
    BOOST_TEST(!store.runNow("n", "i"));
    const Micros first = store.now() + 3600 * kSecond;
    schedule("n", "i", Schedule::fixedRate(toDate(first), hours(1)));
    BOOST_TEST(store.runNow("n", "i"));
    const auto task = claimOne();
    BOOST_TEST(task->due <= store.now());
    BOOST_TEST(!store.runNow("n", "i"));  // it is running
    end(task, End::Kind::Success);
    BOOST_TEST((find().scheduledExecutionTime == toDate(first)));
    BOOST_TEST((find().nextAttempt == toDate(first)));
}

BOOST_AUTO_TEST_CASE(o20_run_now_of_what_has_been_due_keeps_its_due) {
    const jtimer::Date due = toDate(store.now() - 10 * kSecond);
    schedule("n", "i", Schedule::fixedRate(due, 3000, jtimer::MissedRuns::Burst));
    BOOST_TEST(store.runNow("n", "i"));
    BOOST_TEST((find().scheduledExecutionTime == due));
    end(claimOne(), End::Kind::Success);
    BOOST_TEST((find().scheduledExecutionTime == due + seconds(3)));
}

BOOST_AUTO_TEST_CASE(o20_run_now_of_a_retrying_task_begins_the_next_attempt) {
    schedule("n", "i", Schedule::once(0));
    const auto first = claimOne();
    end(first, End::Kind::Retry, 3600 * kSecond);
    BOOST_TEST(store.runNow("n", "i"));
    const auto second = claimOne();
    BOOST_TEST(second->attempt == 2);
    BOOST_TEST(second->due == first->due);
}

BOOST_AUTO_TEST_CASE(o20_run_now_revives_a_dead_task) {
    kill("i");
    ask("update @.task set crashes = 3");
    store.advance(3600 * kSecond);
    BOOST_TEST(store.runNow("n", "i"));
    const auto task = claimOne();
    BOOST_TEST(task->attempt == 1);
    BOOST_TEST(task->crashes == 0);
    BOOST_TEST(store.now() - task->due < 3600 * kSecond);
}

BOOST_AUTO_TEST_CASE(o20_a_paused_task_runs_once_and_stays_paused) {
    const Micros first = store.now() + 3600 * kSecond;
    schedule("n", "i", Schedule::fixedRate(toDate(first), hours(1)));
    pauseTask("i");
    BOOST_TEST(claim().empty());
    BOOST_TEST(store.runNow("n", "i"));
    BOOST_TEST((find().state == State::Paused));
    // A claim whose answer is lost, and the death of a node, do not count as that run.
    claimOne();
    BOOST_TEST(store.release(node, {}) == 1U);
    claimOne();
    ask("update @.task set owner = 987654321");
    BOOST_TEST(store.takeOver(node).orphans == 1U);
    end(claimOne(), End::Kind::Success);
    BOOST_TEST((find().state == State::Paused));
    BOOST_TEST(find().paused.has_value());
    BOOST_TEST((find().nextAttempt == toDate(first)));
    store.advance(7200 * kSecond);
    BOOST_TEST(claim().empty());
}

BOOST_AUTO_TEST_CASE(k5_k23_o20_a_call_that_a_run_has_overtaken_makes_no_period_come_again) {
    const Micros first = store.now() + 100 * kSecond;
    for (const bool runsNow : {true, false}) {
        schedule("n", "i", Schedule::fixedRate(toDate(first), seconds(1000)), {},
                 IfExists::Replace);
        test::Session other(options.conninfo);
        other("begin");
        other("select id from \"" + options.schema + "\".task for update");
        bool changed = true;
        boost::thread call(
            [&] { changed = runsNow ? store.runNow("n", "i") : store.reschedule("n", "i", 0); });
        while (ask("select count(*) from pg_locks where not granted") == "0") ::usleep(1000);
        // What a claim at its due and the end of that run make of the row.
        other("update \"" + options.schema +
              "\".task set token = token + 1, "
              "due = due + interval '1000 s', wake = wake + interval '1000 s'");
        other("commit");
        call.join();
        BOOST_TEST(!changed);
        BOOST_TEST((find().scheduledExecutionTime == toDate(first + 1000 * kSecond)));
    }
}

BOOST_AUTO_TEST_CASE(o21_revive_makes_the_selected_dead_tasks_due) {
    for (const char* const id : {"a1", "a2", "b"}) kill(id);
    ask("update @.task set crashes = 3");
    schedule("n", "a3", Schedule::once(hours(1)));
    Filter filter;
    filter.idPrefix = "a";
    filter.limit = 1;  // is that of lists
    BOOST_TEST(store.revive(filter) == 2U);
    BOOST_TEST(store.revive(filter) == 0U);
    BOOST_TEST((find("b").state == State::Dead));
    BOOST_TEST((find("a3").state == State::Scheduled));
    const std::vector<ClaimedTask> tasks = claim();
    BOOST_REQUIRE(tasks.size() == 2U);
    for (const ClaimedTask& task : tasks) {
        BOOST_TEST(task.attempt == 1);
        BOOST_TEST(task.crashes == 0);
    }
    BOOST_TEST(store.revive({}) == 1U);
}

BOOST_AUTO_TEST_CASE(o22_cancel_all_deletes_the_selected_tasks_and_not_all) {
    schedule("n", "running", Schedule::once(0));
    const auto running = claimOne();
    schedule("n", "waits", Schedule::once(hours(1)));
    schedule("other", "waits", Schedule::once(hours(1)));
    Scheduler scheduler(options);
    Filter filter;
    BOOST_CHECK_EXCEPTION(
        scheduler.cancelAll(filter), jtimer::IllegalArgumentException, [](const auto& e) {
            return e.what() ==
                   std::string("filter: expected a field that selects some of the tasks");
        });
    filter.limit = 1;
    filter.order = Order::Due;
    BOOST_CHECK_THROW(scheduler.cancelAll(filter), jtimer::IllegalArgumentException);
    Filter ofTime, ofId, ofNode, ofState;
    ofTime.dueBefore = jtimer::Date();
    ofId.idPrefix = "x";
    ofNode.runningOn = "nowhere";
    ofState.state = State::Dead;
    for (const Filter& each : {ofTime, ofId, ofNode, ofState})
        BOOST_TEST(scheduler.cancelAll(each) == 0U);
    filter.name = "n";
    BOOST_TEST(scheduler.cancelAll(filter) == 2U);
    BOOST_TEST((end(running, End::Kind::Success) == EndStatus::Fenced));
    BOOST_TEST(ask("select string_agg(name, ' ') from @.task") == "other");
}

BOOST_AUTO_TEST_CASE(o22_many_tasks_are_cancelled_in_transactions_of_ten_thousand) {
    ask("insert into @.task (name, id, payload, kind, missed, origin, due, wake)"
        " select 'n', i::text, '', 'once', 'once', now(), now(), now()"
        " from generate_series(1, 20001) i");
    ask("create table @.deleted (tasks bigint)");
    ask("create function @.note() returns trigger language plpgsql as $$ begin insert into "
        "@.deleted select count(*) from gone; return null; end $$");
    ask("create trigger note after delete on @.task referencing old table as gone"
        " for each statement execute function @.note()");
    Filter filter;
    filter.name = "n";
    BOOST_TEST(store.cancelAll(filter) == 20001U);
    BOOST_TEST(ask("select string_agg(tasks::text, ' ' order by tasks desc) from @.deleted") ==
               "10000 10000 1");
    BOOST_TEST(ask("select count(*) from @.task") == "0");
}

BOOST_AUTO_TEST_CASE(o22_cancel_others_keeps_the_tasks_that_are_listed) {
    for (const char* const id : {"a", "b", "c"}) schedule("n", id, Schedule::once(hours(1)));
    schedule("other", "d", Schedule::once(hours(1)));
    Scheduler scheduler(options);
    BOOST_CHECK_THROW(scheduler.cancelOthers("", {}), jtimer::IllegalArgumentException);
    BOOST_CHECK_THROW(scheduler.cancelOthers("n", {"a", ""}), jtimer::IllegalArgumentException);
    BOOST_TEST(ask("select count(*) from @.task") == "4");
    BOOST_TEST(scheduler.cancelOthers("n", {"a", "c", "z"}) == 1U);
    BOOST_TEST(keys({}) == "na nc otherd ");
    BOOST_TEST(scheduler.cancelOthers("n", {}) == 2U);
    BOOST_TEST(keys({}) == "otherd ");
}

BOOST_AUTO_TEST_CASE(o23_the_fields_of_a_filter_select_together) {
    const Micros now = store.now();
    const NodeNumber other = store.registerNode({"two", kLease}).node;
    schedule("m", "a1", Schedule::once(0));
    BOOST_TEST(store.claim(other, {"m"}, 1).tasks.size() == 1U);
    schedule("n", "a1", Schedule::once(0));
    claimOne();
    schedule("n", "a2", Schedule::once(toDate(now + 30 * kSecond)));
    schedule("n", "b1", Schedule::once(toDate(now + 10 * kSecond)));
    schedule("m", "b2", Schedule::once(toDate(now + 20 * kSecond)));
    schedule("m", "b3", Schedule::once(toDate(now + 20 * kSecond)));
    pauseTask("b3", "m");

    Filter byPrefix;
    byPrefix.idPrefix = "a";
    BOOST_TEST(keys(byPrefix) == "ma1 na1 na2 ");
    byPrefix.name = "n";
    BOOST_TEST(keys(byPrefix) == "na1 na2 ");
    byPrefix.state = State::Running;
    BOOST_TEST(keys(byPrefix) == "na1 ");

    Filter byNode;
    byNode.runningOn = "two";
    BOOST_TEST(keys(byNode) == "ma1 ");
    byNode.name = "n";
    BOOST_TEST(keys(byNode).empty());

    Filter byDue;
    byDue.dueBefore = toDate(now + 30 * kSecond);
    BOOST_TEST(keys(byDue) == "mb2 nb1 ");
    byDue.dueBefore = toDate(now + 30 * kSecond + 1);
    byDue.order = Order::Due;
    BOOST_TEST(keys(byDue) == "nb1 mb2 na2 ");
    byDue.limit = 2;
    BOOST_TEST(keys(byDue) == "nb1 mb2 ");
    byDue.name = "n";
    BOOST_TEST(keys(byDue) == "nb1 na2 ");
    byDue.state = State::Paused;
    BOOST_TEST(keys(byDue).empty());

    Filter paused;
    paused.state = State::Paused;
    BOOST_TEST(keys(paused) == "mb3 ");
    Filter dead;
    dead.state = State::Dead;
    BOOST_TEST(keys(dead).empty());
}

BOOST_AUTO_TEST_CASE(o23_a_filter_that_breaks_a_rule_is_refused) {
    Scheduler scheduler(options);
    const auto refused = [&](const Filter& filter) {
        try {
            scheduler.list(filter);
        } catch (const jtimer::IllegalArgumentException& e) {
            return std::string(e.what());
        }
        return std::string();
    };
    Filter filter;
    filter.idPrefix = std::string(201, 'x');
    BOOST_TEST(refused(filter) == "idPrefix: expected at most 200 bytes of UTF-8");
    filter.idPrefix = "\xff";
    BOOST_TEST(refused(filter) == "idPrefix: expected at most 200 bytes of UTF-8");
    filter.idPrefix.clear();
    filter.runningOn = "\xff";
    BOOST_TEST(refused(filter) == "runningOn: expected at most 200 bytes of UTF-8");
    filter.runningOn.clear();
    filter.order = Order::Due;
    filter.after = {"n", ""};
    BOOST_TEST(refused(filter) == "after: expected Order::Key with it");
    filter.after = {"", "i"};
    BOOST_TEST(refused(filter) == "after: expected Order::Key with it");
    filter.order = Order::Key;
    BOOST_TEST(refused(filter).empty());
}

BOOST_AUTO_TEST_CASE(o23_a_prefix_ends_before_the_next_character) {
    BOOST_TEST(*endOfPrefix("ab") == "ac");
    BOOST_TEST(*endOfPrefix("\x7f") == "\xc2\x80");
    BOOST_TEST(*endOfPrefix("\xed\x9f\xbf") == "\xee\x80\x80");  // no surrogate
    BOOST_TEST(*endOfPrefix("a\xf4\x8f\xbf\xbf") == "b");
    BOOST_TEST(!endOfPrefix("\xf4\x8f\xbf\xbf").has_value());
    for (const char* const id : {"a", "a\xf4\x8f\xbf\xbfz", "b"})
        schedule("n", id, Schedule::once(hours(1)));
    Filter filter;
    filter.idPrefix = "a";
    BOOST_TEST(store.list(filter).size() == 2U);
    filter.idPrefix = "\xf4\x8f\xbf\xbf";
    BOOST_TEST(store.list(filter).empty());
}

BOOST_AUTO_TEST_CASE(o23_a_task_tells_its_schedule_size_and_pause) {
    schedule("n", "rate", Schedule::fixedRate(0, 1500, jtimer::MissedRuns::Skip), "four");
    schedule("n", "cron", Schedule::cron("0 2 * * *", "Europe/Berlin"));
    schedule("n", "once", Schedule::once(hours(1)));
    const Micros before = store.now();
    claimOne();
    BOOST_TEST(find("rate").kind == "fixed rate");
    BOOST_TEST((find("rate").period == jtimer::TimeSpan(1500)));
    BOOST_TEST((find("rate").missedRuns == jtimer::MissedRuns::Skip));
    BOOST_TEST(find("rate").payloadSize == 4U);
    BOOST_REQUIRE(find("rate").runningSince.has_value());
    BOOST_TEST((*find("rate").runningSince >= toDate(before)));
    BOOST_TEST(find("cron").kind == "cron");
    BOOST_TEST(find("cron").cron == "0 2 * * *");
    BOOST_TEST(find("cron").zone == "Europe/Berlin");
    BOOST_TEST((find("cron").period == jtimer::TimeSpan(0)));
    BOOST_TEST(!find("cron").runningSince.has_value());
    BOOST_TEST(find("once").kind == "once");
    BOOST_TEST(!find("once").paused.has_value());
    pauseTask("once");
    const std::optional<Pause> pause = find("once").paused;
    BOOST_REQUIRE(pause.has_value());
    BOOST_TEST((pause->scope == Scope::Task));
    BOOST_TEST(pause->name + pause->id + pause->by + pause->note == "noncemewhy");
    BOOST_TEST((pause->since >= toDate(before)));
    const std::vector<TaskInfo> tasks = store.list({});
    BOOST_REQUIRE(tasks.size() == 3U);
    BOOST_TEST(tasks[2].payload.empty());
    BOOST_TEST(tasks[2].payloadSize == 4U);
}

BOOST_AUTO_TEST_CASE(o24_names_tell_paused_from_not_registered_and_from_busy) {
    const NodeNumber worker = store.registerNode({"w", kLease, {"a", "idle"}, 1}).node;
    store.registerNode({"w", kLease, {"a"}, 1});
    ask("update @.node set lease_until = statement_timestamp() - interval '1 s'"
        " where id = (select max(id) from @.node)");
    ask("update @.cluster set resumed = '-infinity'");
    const Micros now = store.now();
    for (const char* const id : {"1", "2", "3"})
        schedule("a", id, Schedule::once(toDate(now - 5 * kSecond)));
    BOOST_TEST(store.claim(worker, {"a"}, 1).tasks.size() == 1U);
    schedule("a", "later", Schedule::once(toDate(now + 60 * kSecond)));
    schedule("a", "paused", Schedule::once(0));
    pauseTask("paused", "a");
    kill("dead");
    ask("insert into @.pause values ('name', 'z', now(), 'me', 'why')");

    const std::vector<NameInfo> names = store.names(10'000);
    BOOST_REQUIRE(names.size() == 4U);
    const NameInfo& a = names[0];
    BOOST_TEST(a.name == "a");
    BOOST_TEST(a.due == 2U);
    BOOST_TEST(a.scheduled == 1U);
    BOOST_TEST(a.paused == 1U);
    BOOST_TEST(a.dead == 0U);
    BOOST_TEST(a.running == 1U);
    BOOST_TEST(a.registeringNodes == 1U);
    BOOST_TEST((a.oldestDue == toDate(now - 5 * kSecond)));
    BOOST_TEST((a.nextDue == toDate(now + 60 * kSecond)));
    BOOST_TEST(!a.pause.has_value());
    BOOST_TEST(names[1].name == "idle");
    BOOST_TEST(names[1].registeringNodes == 1U);
    BOOST_TEST(!names[1].oldestDue.has_value());
    BOOST_TEST(names[2].name == "n");
    BOOST_TEST(names[2].dead == 1U);
    BOOST_TEST(names[2].registeringNodes == 0U);
    BOOST_TEST(names[3].name == "z");
    BOOST_REQUIRE(names[3].pause.has_value());
    BOOST_TEST((names[3].pause->scope == Scope::Name));
    BOOST_TEST(names[3].pause->note == "why");
    BOOST_TEST(store.names(1)[0].due == 1U);
}

BOOST_AUTO_TEST_CASE(o25_nodes_tell_what_they_are_and_what_is_left_of_their_lease) {
    store.deleteNode(node);
    options.name = "w";
    options.concurrency = 7;
    options.lease = 20'000;
    Scheduler scheduler(options);
    scheduler.registerTask("b", [](Run&) {});
    scheduler.registerTask("a'\"{,}", [](Run&) {});
    const Micros before = store.now();
    scheduler.start();
    // As an older library does.
    ask("insert into @.node (id, name, lease, lease_until)"
        " values (1000000, 'old', '30 s', statement_timestamp() + interval '25 s')");
    ask("insert into @.task (name, id, payload, kind, missed, origin, due, wake, owner)"
        " values ('n', 'i', '', 'once', 'once', now(), now(), now(), 1000000)");
    ask("insert into @.pause values ('node', 'w', now(), 'me', 'why')");
    const std::vector<NodeInfo> nodes = scheduler.nodes();
    BOOST_REQUIRE(nodes.size() == 2U);
    const NodeInfo& old = nodes[1];
    BOOST_TEST(old.number == 1000000);
    BOOST_TEST(old.name == "old");
    BOOST_TEST(old.library.empty());
    BOOST_TEST((old.leaseLeft <= jtimer::TimeSpan(25'000)));
    BOOST_TEST((old.leaseLeft > jtimer::TimeSpan(15'000)));
    BOOST_TEST(old.concurrency == 0);
    BOOST_TEST(old.running == 1);
    BOOST_TEST(old.names.empty());
    BOOST_TEST(!old.paused.has_value());
    const NodeInfo& mine = nodes[0];
    BOOST_TEST(mine.name == "w");
    BOOST_TEST(mine.library == JTIMER_VERSION);
    BOOST_TEST((mine.started >= toDate(before)));
    BOOST_TEST((mine.lease == jtimer::TimeSpan(20'000)));
    BOOST_TEST((mine.leaseLeft > jtimer::TimeSpan(10'000)));
    BOOST_TEST((mine.leaseLeft <= jtimer::TimeSpan(20'000)));
    BOOST_TEST(mine.concurrency == 7);
    BOOST_TEST(mine.running == 0);
    BOOST_TEST((mine.names == std::vector<std::string>{"a'\"{,}", "b"}));
    BOOST_REQUIRE(mine.paused.has_value());
    BOOST_TEST((mine.paused->scope == Scope::Node));
    BOOST_TEST(mine.paused->by == "me");
}

BOOST_AUTO_TEST_SUITE_END()

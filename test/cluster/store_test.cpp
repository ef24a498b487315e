// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.

// The operations of a Store, as nodes and callers use them, on one thread.

#include "cluster/store_fixture.hpp"

#include <chrono>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

using namespace jtimer::cluster;
using namespace jtimer::cluster::detail;
using std::chrono::hours;
using std::chrono::seconds;

BOOST_FIXTURE_TEST_SUITE(store, test::StoreFixture)

BOOST_AUTO_TEST_CASE(k2_a_task_is_not_claimed_before_its_time_and_the_claim_tells_its_wake) {
    BOOST_TEST(schedule("n", "i", Schedule::once(seconds(10)), "text") == 1U);
    const Claim early = store.claim(node, {"n"}, 10);
    BOOST_TEST(early.tasks.empty());
    BOOST_REQUIRE(early.nextWakeIn.has_value());
    BOOST_TEST(*early.nextWakeIn > 0);
    BOOST_TEST(*early.nextWakeIn <= 10 * kSecond);

    store.advance(*early.nextWakeIn);
    const auto task = claimOne();
    BOOST_TEST(task->name == "n");
    BOOST_TEST(task->id == "i");
    BOOST_TEST(task->payload == "text");
    BOOST_TEST(task->attempt == 1);
    BOOST_TEST(task->crashes == 0);
    BOOST_TEST(task->claimedAt >= task->due);
    BOOST_TEST((find().state == State::Running));
    BOOST_TEST(find().runningOn == "one");
    BOOST_TEST(find().fencingToken == task->token);
    BOOST_TEST((end(task, End::Kind::Success) == EndStatus::Written));
    BOOST_TEST(!store.find("n", "i").has_value());
}

// Before the next task of a node may lie a million others'.

BOOST_AUTO_TEST_CASE(k31_a_claim_looks_no_farther_ahead_than_it_is_asked_to) {
    schedule("n", "i", Schedule::once(seconds(10)), "");
    BOOST_TEST(!store.claim(node, {"n"}, 10, {}, 9 * kSecond).nextWakeIn.has_value());
    BOOST_TEST(store.claim(node, {"n"}, 10, {}, 10 * kSecond).nextWakeIn.has_value());
    const Micros most = std::numeric_limits<Micros>::max();
    BOOST_TEST(store.claim(node, {"n"}, 10, {}, most).nextWakeIn.has_value());
}

BOOST_AUTO_TEST_CASE(k13_tasks_of_other_names_stay) {
    schedule("other", "i", Schedule::once(0));
    const Claim claim = store.claim(node, {"n"}, 10);
    BOOST_TEST(claim.tasks.empty());
    BOOST_TEST(!claim.nextWakeIn.has_value());
    BOOST_TEST((store.find("other", "i")->state == State::Scheduled));
}

BOOST_AUTO_TEST_CASE(k17_what_a_second_schedule_does) {
    const jtimer::Date late = toDate(store.now() + 100 * kSecond);
    const auto once = Schedule::once(late);
    const auto rate = Schedule::fixedRate(late, 1000);

    // A one-shot is kept by Keep and Update.
    BOOST_TEST(schedule("n", "i", once, "a") == 1U);
    BOOST_TEST(schedule("n", "i", Schedule::once(0), "b", IfExists::Keep) == 0U);
    BOOST_TEST(schedule("n", "i", Schedule::once(0), "b") == 0U);
    BOOST_TEST((find().scheduledExecutionTime == late));
    BOOST_TEST(find().payload == "a");

    // A repeating task takes the place of a one-shot, and another definition that of a repeating
    // task. The payload stays.
    const std::vector<Schedule> definitions = {
        rate,
        Schedule::fixedRate(late, 2000),
        Schedule::fixedRate(late, 2000, jtimer::MissedRuns::Skip),
        Schedule::fixedDelay(late, 2000),
        Schedule::cron("0 2 * * *"),
        Schedule::cron("0 3 * * *"),
        Schedule::cron("0 3 * * *", "Europe/Berlin"),
        Schedule::cron("0 3 * * *", "Europe/Berlin", jtimer::MissedRuns::Burst)};
    for (const Schedule& definition : definitions) {
        BOOST_TEST(schedule("n", "i", definition, "b", IfExists::Keep) == 0U);
        BOOST_TEST(schedule("n", "i", definition, "b") == 1U);
        BOOST_TEST(schedule("n", "i", definition, "b") == 0U);
        BOOST_TEST(find().payload == "a");
    }
    BOOST_TEST(schedule("n", "i", once, "b") == 0U);

    // Replace makes a new task.
    BOOST_TEST(schedule("n", "i", once, "c", IfExists::Replace) == 1U);
    BOOST_TEST((find().scheduledExecutionTime == late));
    BOOST_TEST(find().payload == "c");
    BOOST_TEST(schedule("n", "i", once, "d", IfExists::Replace) == 1U);
    BOOST_TEST(find().payload == "d");
}

// A single task has a statement of its own.
BOOST_AUTO_TEST_CASE(k17_k18_a_task_is_written_alone_as_among_others) {
    const jtimer::Date late = toDate(store.now() + 100 * kSecond);
    const auto rows = [&] {
        return ask("select string_agg((to_jsonb(task) - 'id')::text, ' ' order by id)"
                   " from @.task where id <> 'other'");
    };
    const auto write = [&](const std::string& id, const Schedule& when, IfExists policy,
                           std::vector<jtimer::cluster::NewTask> others) {
        others.push_back({"n", id, when, std::string("\0p", 2), policy});
        return store.schedule(others);
    };
    for (const IfExists policy : {IfExists::Keep, IfExists::Update, IfExists::Replace}) {
        ask("delete from @.task");
        const jtimer::cluster::NewTask other{"n", "other", Schedule::once(late), {}, policy};
        store.schedule({{"n", "other", Schedule::once(late)}});
        for (const Schedule& when :
             {Schedule::once(late), Schedule::fixedRate(late, 1000, jtimer::MissedRuns::Burst),
              Schedule::fixedDelay(late, 2000), Schedule::cron("0 2 * * *", "Europe/Berlin")}) {
            const std::size_t alone = write("1", when, policy, {});
            BOOST_TEST(write("2", when, policy, {other}) ==
                       alone + (policy == IfExists::Replace ? 1U : 0U));
            const std::string both = rows();
            BOOST_TEST(both.size() % 2 == 1U);
            BOOST_TEST(both.substr(0, both.size() / 2) == both.substr(both.size() / 2 + 1));
        }
    }
}

BOOST_AUTO_TEST_CASE(k17_another_definition_during_a_run_applies_after_it) {
    schedule("n", "i", Schedule::fixedRate(0, 1000));
    const auto task = claimOne();
    const jtimer::Date later = toDate(store.now() + 500 * kSecond);
    BOOST_TEST(schedule("n", "i", Schedule::fixedRate(later, 7000)) == 1U);
    BOOST_TEST((find().state == State::Running));
    BOOST_TEST((end(task, End::Kind::Success) == EndStatus::Written));
    BOOST_TEST((find().scheduledExecutionTime == later));
    BOOST_TEST((find().nextAttempt == later));
}

BOOST_AUTO_TEST_CASE(k17_k47_a_run_that_dies_is_no_attempt_of_another_definition) {
    schedule("n", "i", Schedule::fixedRate(0, 1000));
    claimOne();
    BOOST_TEST(schedule("n", "i", Schedule::fixedRate(0, 7000)) == 1U);
    const NodeNumber other = store.registerNode({"other", kLease}).node;
    ask("update @.node set lease_until = statement_timestamp() where name = 'one'");
    BOOST_TEST(store.takeOver(other).tasks == 1U);
    BOOST_TEST(find().attempt == 0);
    node = other;
    const auto task = claimOne();
    BOOST_TEST(task->attempt == 1);
    BOOST_TEST(task->crashes == 1);

    BOOST_TEST(schedule("n", "i", Schedule::fixedRate(0, 8000)) == 1U);
    BOOST_TEST(store.release(node, {}) == 1U);
    BOOST_TEST(claimOne()->attempt == 1);
}

BOOST_AUTO_TEST_CASE(k17_replacing_a_running_task_fences_its_run) {
    schedule("n", "i", Schedule::once(0));
    const auto task = claimOne();
    BOOST_TEST(schedule("n", "i", Schedule::once(0), "new", IfExists::Replace) == 1U);
    BOOST_TEST((end(task, End::Kind::Success) == EndStatus::Fenced));
    const auto next = claimOne();
    BOOST_TEST(next->payload == "new");
    BOOST_TEST(next->attempt == 1);
    BOOST_TEST(next->token > task->token);
}

BOOST_AUTO_TEST_CASE(k22_cancelling_says_whether_it_prevents_a_run) {
    BOOST_TEST(!store.cancel("n", "i"));
    schedule("n", "i", Schedule::once(0));
    BOOST_TEST(store.cancel("n", "i"));

    schedule("n", "i", Schedule::once(0));
    const auto task = claimOne();
    BOOST_TEST(!store.cancel("n", "i"));
    BOOST_TEST((end(task, End::Kind::Success) == EndStatus::Fenced));

    schedule("n", "i", Schedule::fixedRate(0, 1000));
    claimOne();
    BOOST_TEST(store.cancel("n", "i"));

    schedule("n", "i", Schedule::once(0));
    BOOST_TEST((end(claimOne(), End::Kind::Dead) == EndStatus::Written));
    BOOST_TEST(!store.cancel("n", "i"));
    BOOST_TEST(!store.find("n", "i").has_value());
}

BOOST_AUTO_TEST_CASE(k23_rescheduling_moves_a_free_task_and_revives_a_dead_one) {
    BOOST_TEST(!store.reschedule("n", "i", 0));
    schedule("n", "i", Schedule::once(hours(1)));
    BOOST_TEST(store.reschedule("n", "i", 0));
    const auto task = claimOne();
    BOOST_TEST(!store.reschedule("n", "i", 0));
    BOOST_TEST((end(task, End::Kind::GiveUp) == EndStatus::Written));
    BOOST_TEST((find().state == State::Dead));
    BOOST_TEST(find().lastError == "broken");
    BOOST_TEST((find().nextAttempt == jtimer::Date::max()));
    const jtimer::Date later = toDate(store.now() + kSecond);
    BOOST_TEST(store.reschedule("n", "i", later));
    BOOST_TEST((find().state == State::Scheduled));
    BOOST_TEST((find().nextAttempt == later));
    BOOST_TEST(find().attempt == 0);
}

BOOST_AUTO_TEST_CASE(k24_list_goes_through_all_tasks_in_parts) {
    for (const char* name : {"b", "a"}) {
        for (const char* id : {"3", "1", "2"}) schedule(name, id, Schedule::once(hours(1)));
    }
    Filter filter;
    filter.limit = 4;
    std::string keys;
    for (int part = 0; part < 2; ++part) {
        for (const TaskInfo& task : store.list(filter)) {
            keys += task.name + task.id + ' ';
            filter.after = {task.name, task.id};
        }
    }
    BOOST_TEST(keys == "a1 a2 a3 b1 b2 b3 ");
    BOOST_TEST(store.list(filter).empty());

    Filter ofName;
    ofName.name = "b";
    BOOST_TEST(store.list(ofName).size() == 3U);
    ofName.after = {"b", "2"};
    BOOST_TEST(store.list(ofName).size() == 1U);
    for (const State state : {State::Retrying, State::Running, State::Dead}) {
        Filter ofState;
        ofState.state = state;
        BOOST_TEST(store.list(ofState).empty());
        ofState.name = "b";
        BOOST_TEST(store.list(ofState).empty());
    }
    Filter scheduled;
    scheduled.state = State::Scheduled;
    BOOST_TEST(store.list(scheduled).size() == 6U);
}

BOOST_AUTO_TEST_CASE(k32_a_claim_takes_no_more_than_its_limit_in_order_of_wake) {
    const Micros now = store.now();
    for (int i = 0; i < 5; ++i) {
        schedule("n", std::to_string(i), Schedule::once(toDate(now - i * kSecond)));
    }
    const Claim first = store.claim(node, {"n", "other"}, 3);
    BOOST_REQUIRE(first.tasks.size() == 3U);
    BOOST_TEST(first.tasks[0].id == "4");
    BOOST_TEST(first.tasks[2].id == "2");
    BOOST_TEST(first.lastWake == now - 2 * kSecond);
    BOOST_TEST(!first.nextWakeIn.has_value());
    const Claim second = store.claim(node, {"n"}, 3, first.lastWake);
    BOOST_REQUIRE(second.tasks.size() == 2U);
    BOOST_TEST(second.tasks[1].id == "0");
    BOOST_TEST(second.tasks[0].token != second.tasks[1].token);
}

BOOST_AUTO_TEST_CASE(k34_a_node_without_a_row_claims_nothing) {
    schedule("n", "i", Schedule::once(0));
    store.deleteNode(node);
    const Claim claim = store.claim(node, {"n"}, 10);
    BOOST_TEST(claim.tasks.empty());
    BOOST_TEST(claim.nodeGone);
    BOOST_TEST((find().state == State::Scheduled));
    BOOST_TEST(find().attempt == 0);
}

BOOST_AUTO_TEST_CASE(k34_a_claim_that_finds_nothing_draws_no_transaction_number) {
    store.claim(node, {"n"}, 10);
    const std::string before = ask("select pg_snapshot_xmax(pg_current_snapshot())");
    store.claim(node, {"n"}, 10);
    BOOST_TEST(ask("select pg_snapshot_xmax(pg_current_snapshot())") == before);
}

BOOST_AUTO_TEST_CASE(k53_k57_o1_o8_the_tasks_of_a_node_whose_lease_ended_are_freed_once) {
    const NodeNumber dead = store.registerNode({"dead", kLease}).node;
    schedule("n", "i", Schedule::once(0));
    BOOST_TEST(store.claim(dead, {"n"}, 1).tasks.size() == 1U);
    BOOST_TEST(store.takeOver(node).tasks == 0U);
    BOOST_TEST((find().state == State::Running));

    ask("update @.node set lease_until = statement_timestamp() where name = 'dead'");
    const Renewal renewal = store.renew(node);
    BOOST_TEST(renewal.alive);
    BOOST_REQUIRE(renewal.nextLeaseEndIn.has_value());
    BOOST_TEST(*renewal.nextLeaseEndIn <= 0);
    const TakeOver done = store.takeOver(node);
    BOOST_TEST(done.tasks == 1U);
    BOOST_TEST(done.orphans == 0U);
    BOOST_TEST(ask("select name from @.node") == "one");
    BOOST_TEST(store.takeOver(node).tasks == 0U);

    BOOST_TEST((find().state == State::Retrying));
    BOOST_TEST(find().crashes == 1);
    BOOST_TEST(!store.renew(dead).alive);
    const auto task = claimOne();
    BOOST_TEST(task->attempt == 2);
    BOOST_TEST(task->crashes == 1);
    BOOST_TEST((end(task, End::Kind::Success) == EndStatus::Written));
}

BOOST_AUTO_TEST_CASE(k53_o2_o3_after_a_gap_of_renewals_all_leases_begin_anew) {
    const NodeNumber other = store.registerNode({"other", kLease}).node;
    const auto lastRenewalWas = [&](const std::string& seconds) {
        ask("update @.node set lease_until = statement_timestamp() + lease - interval '" + seconds +
            " s'");
    };
    lastRenewalWas("11.9");
    BOOST_TEST(*store.renew(node).nextLeaseEndIn <= kLease - 11'900'000);
    BOOST_TEST(ask("select resumed from @.cluster") == "-infinity");

    lastRenewalWas("31");
    BOOST_TEST(store.takeOver(node).tasks == 0U);  // a gap that nobody has noted
    BOOST_TEST(ask("select count(*) from @.node") == "2");
    const Micros before = store.now();
    const Renewal renewal = store.renew(node);
    const Micros after = store.now();
    BOOST_TEST(renewal.alive);
    BOOST_TEST(renewal.shortestLease == kLease);
    // From when the gap was noted, which is a little later than the answer's own time.
    BOOST_TEST(*renewal.nextLeaseEndIn >= kLease);
    BOOST_TEST(*renewal.nextLeaseEndIn <= kLease + after - before);
    const std::string resumed = ask("select resumed from @.cluster");
    store.takeOver(node);
    BOOST_TEST(store.renew(other).alive);
    BOOST_TEST(ask("select resumed from @.cluster") == resumed);  // once for each gap
}

BOOST_AUTO_TEST_CASE(o2_o9_a_registration_notes_a_gap_too_but_the_first_ever_does_not) {
    ask("update @.node set lease_until = statement_timestamp() + lease - interval '12.1 s'");
    store.registerNode({"other", kLease});
    BOOST_TEST(ask("select resumed > statement_timestamp() - interval '1 minute' from @.cluster") ==
               "t");
    ask("delete from @.node; update @.cluster set resumed = '-infinity'");
    store.registerNode({"first", kLease});
    BOOST_TEST(ask("select resumed from @.cluster") == "-infinity");
}

BOOST_AUTO_TEST_CASE(o4_a_registration_tells_whether_its_lease_is_the_shortest) {
    BOOST_TEST(!store.registerNode({"equal", kLease}).shortensLeases);
    BOOST_TEST(store.registerNode({"shorter", kLease / 2}).shortensLeases);
    BOOST_TEST(!store.registerNode({"longer", kLease}).shortensLeases);
    BOOST_TEST(store.renew(node).shortestLease == kLease / 2);
    ask("delete from @.node");
    BOOST_TEST(!store.registerNode({"alone", kLease}).shortensLeases);
}

BOOST_AUTO_TEST_CASE(k56_tokens_rise_and_survive_the_task) {
    schedule("n", "i", Schedule::once(0));
    const auto first = claimOne();
    end(first, End::Kind::Success);
    schedule("n", "i", Schedule::once(0));
    BOOST_TEST(find().fencingToken == 0);
    BOOST_TEST(claimOne()->token > first->token);
}

BOOST_AUTO_TEST_CASE(k57_tasks_whose_owner_has_no_row_are_freed_without_a_crash) {
    schedule("n", "i", Schedule::once(0));
    claimOne();
    ask("update @.task set owner = 987654321");
    const TakeOver done = store.takeOver(node);
    BOOST_TEST(done.tasks == 0U);
    BOOST_TEST(done.orphans == 1U);
    BOOST_TEST(find().crashes == 0);
    BOOST_TEST((find().state == State::Retrying));
}

BOOST_AUTO_TEST_CASE(a_claim_whose_answer_was_lost_is_released_and_does_not_count) {
    schedule("n", "known", Schedule::once(0));
    const auto known = claimOne();
    schedule("n", "lost", Schedule::once(0));
    claimOne();
    BOOST_TEST(store.release(node, {known->token}) == 1U);
    BOOST_TEST((find("known").state == State::Running));
    BOOST_TEST((find("lost").state == State::Scheduled));
    BOOST_TEST(claimOne()->attempt == 1);
}

BOOST_AUTO_TEST_CASE(a_claim_whose_answer_was_lost_does_not_count_when_the_node_ends_either) {
    schedule("n", "i", Schedule::once(0));
    claimOne();
    store.deleteNode(node);
    BOOST_TEST((find().state == State::Scheduled));
    BOOST_TEST(find().attempt == 0);
    BOOST_TEST(find().crashes == 0);
}

BOOST_AUTO_TEST_CASE(k77_the_backlog_counts_each_task_once) {
    schedule("n", "running", Schedule::once(0));
    claimOne();
    schedule("n", "dead", Schedule::once(0));
    end(claimOne(), End::Kind::Dead);
    schedule("n", "scheduled", Schedule::once(hours(1)));
    schedule("n", "due", Schedule::once(toDate(store.now() - 5 * kSecond)));
    const Backlog backlog = store.backlog();
    BOOST_TEST(backlog.due == 1U);
    BOOST_TEST(backlog.scheduled == 1U);
    BOOST_TEST(backlog.running == 1U);
    BOOST_TEST(backlog.dead == 1U);
    BOOST_TEST(backlog.nodes == 1U);
    BOOST_TEST((backlog.oldestDue >= seconds(5)));
    BOOST_TEST((backlog.oldestDue < hours(1)));
}

BOOST_AUTO_TEST_CASE(times_beyond_the_range_of_a_date_are_never_due) {
    const std::int64_t max = std::numeric_limits<std::int64_t>::max();
    schedule("n", "delay", Schedule::once(max));
    schedule("n", "date", Schedule::once(jtimer::Date::max()));
    schedule("n", "rate", Schedule::fixedRate(0, max));
    BOOST_TEST((end(claimOne(), End::Kind::Success) == EndStatus::Written));
    const Claim claim = store.claim(node, {"n"}, 10);
    BOOST_TEST(claim.tasks.empty());
    for (const TaskInfo& task : store.list({})) {
        BOOST_TEST((task.state == State::Scheduled));
        BOOST_TEST((task.scheduledExecutionTime > toDate(store.now()) + hours(24 * 365 * 200)));
    }
}

BOOST_AUTO_TEST_SUITE_END()

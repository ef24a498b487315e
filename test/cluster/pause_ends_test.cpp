// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.

// What becomes of runs that came due during a pause.

#include "cluster/fixture.hpp"
#include "cluster/store_fixture.hpp"

#include <jtimer/cluster/scheduler.hpp>

#include <boost/test/unit_test.hpp>

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

using namespace jtimer::cluster;
using namespace jtimer::cluster::detail;
using jtimer::MissedRuns;
using std::chrono::hours;

namespace {

struct Fixture : test::StoreFixture {
    static constexpr Micros kHour = 3600 * kSecond;

    /// A point in time by the clock of the test's beginning.
    jtimer::Date at(double hour) const {
        return toDate(start + static_cast<Micros>(hour * static_cast<double>(kHour)));
    }

    /// A pause from now on, which lasts so many hours.
    void pauseFor(const Target& target, double hoursLong, MissedInPause missed) {
        BOOST_TEST(store.pause(target, "me", ""));
        store.advance(static_cast<Micros>(hoursLong * static_cast<double>(kHour)));
        BOOST_TEST(store.resume(target, missed));
    }

    // These know the pauses.
    std::vector<ClaimedTask> claim(int limit = 10) {
        const Claimer claimer(node, store.pausesOf(node, {}).value().number);
        return store.claim(claimer, {"n"}, limit).tasks;
    }
    std::shared_ptr<const ClaimedTask> claimOne() {
        const std::vector<ClaimedTask> tasks = claim(1);
        BOOST_REQUIRE(tasks.size() == 1);
        return std::make_shared<const ClaimedTask>(tasks[0]);
    }

    Micros start = store.now();
};

const Target kTask = Target::task("n", "i");
const Target kName = Target::name("n");

}  // namespace

BOOST_FIXTURE_TEST_SUITE(ends_of_pauses, Fixture)

BOOST_AUTO_TEST_CASE(o17_a_one_shot_and_a_fixed_delay_whose_due_has_passed_run_at_once) {
    for (const Target& target : {kTask, kName}) {
        start = store.now();
        for (const Schedule& when :
             {Schedule::once(at(1)), Schedule::fixedDelay(at(1), hours(5))}) {
            schedule("n", "i", when, {}, IfExists::Replace);
            pauseFor(target, 2, MissedInPause::Run);
            const auto task = claimOne();
            BOOST_TEST((toDate(task->due) == at(1)));
            BOOST_TEST(task->missedRuns == 0U);
            store.cancel("n", "i");
        }
    }
}

BOOST_AUTO_TEST_CASE(o17_a_fixed_rate_goes_on_as_its_missed_runs_say) {
    struct Case {
        MissedRuns missedRuns;
        int nextHour;
        std::uint64_t missed;
    };
    for (const Case& each : {Case{MissedRuns::Burst, 2, 0}, Case{MissedRuns::Once, 4, 2},
                             Case{MissedRuns::Skip, 5, 3}}) {
        start = store.now();
        schedule("n", "i", Schedule::fixedRate(at(1), hours(1), each.missedRuns), {},
                 IfExists::Replace);
        pauseFor(kTask, 4.5, MissedInPause::Run);
        BOOST_TEST((find().scheduledExecutionTime == at(1)));
        end(claimOne(), End::Kind::Success);
        BOOST_TEST((find().scheduledExecutionTime == at(each.nextHour)));
        store.advance(kHour);
        BOOST_TEST(claimOne()->missedRuns == each.missed);
    }
}

BOOST_AUTO_TEST_CASE(o17_a_retry_keeps_its_backoff_and_a_paused_task_its_due) {
    schedule("n", "i", Schedule::once(0));
    const auto task = claimOne();
    end(task, End::Kind::Retry, 3 * kHour);
    const jtimer::Date retry = find().nextAttempt;
    for (const Target& target : {kTask, kName}) {
        BOOST_TEST(store.pause(target, "me", ""));
        BOOST_TEST((find().nextAttempt == retry));
        BOOST_TEST((find().scheduledExecutionTime == toDate(task->due)));
        store.advance(kHour);
        BOOST_TEST(store.resume(target, MissedInPause::Run));
        BOOST_TEST((find().state == State::Retrying));
        BOOST_TEST((find().nextAttempt == retry));
    }
    store.advance(kHour);
    const auto second = claimOne();
    BOOST_TEST(second->attempt == 2);
    BOOST_TEST(second->due == task->due);
}

BOOST_AUTO_TEST_CASE(o18_a_fixed_rate_goes_on_with_its_first_due_that_is_not_past) {
    for (const Target& target : {kTask, kName, Target::everything()}) {
        for (const MissedRuns missedRuns :
             {MissedRuns::Burst, MissedRuns::Skip, MissedRuns::Once}) {
            start = store.now();
            schedule("n", "i", Schedule::fixedRate(at(1), hours(1), missedRuns), {},
                     IfExists::Replace);
            pauseFor(target, 4.5, MissedInPause::Skip);
            BOOST_TEST((find().state == State::Scheduled));
            BOOST_TEST((find().scheduledExecutionTime == at(5)));
            BOOST_TEST((find().nextAttempt == at(5)));
            BOOST_TEST(claim().empty());
            store.advance(kHour);
            const auto task = claimOne();
            BOOST_TEST(task->missedRuns == 4U);  // at 1, 2, 3 and 4
            BOOST_TEST((toDate(task->due) == at(5)));
            end(task, End::Kind::Success);
            BOOST_TEST((find().scheduledExecutionTime == at(6)));
        }
    }
}

BOOST_AUTO_TEST_CASE(o18_a_pause_in_which_nothing_came_due_drops_nothing) {
    schedule("n", "rate", Schedule::fixedRate(at(1), hours(1)));
    schedule("n", "delay", Schedule::fixedDelay(at(1), hours(1)));
    schedule("n", "cron", Schedule::cron("0 0 1 1 *"));
    const jtimer::Date cron = find("cron").scheduledExecutionTime;
    pauseFor(kName, 0.5, MissedInPause::Skip);
    pauseFor(Target::task("n", "rate"), 0.25, MissedInPause::Skip);
    BOOST_TEST((find("rate").scheduledExecutionTime == at(1)));
    BOOST_TEST((find("delay").scheduledExecutionTime == at(1)));
    BOOST_TEST((find("cron").scheduledExecutionTime == cron));
    BOOST_TEST(ask("select sum(missed_runs) from @.task") == "0");
}

BOOST_AUTO_TEST_CASE(o18_a_fixed_delay_goes_on_a_delay_from_the_resume) {
    for (const Target& target : {kTask, kName}) {
        start = store.now();
        schedule("n", "i", Schedule::fixedDelay(at(1), hours(1)), {}, IfExists::Replace);
        BOOST_TEST(store.pause(target, "me", ""));
        store.advance(5 * kHour);
        const Micros before = store.now();
        BOOST_TEST(store.resume(target, MissedInPause::Skip));
        const jtimer::Date due = find().scheduledExecutionTime;
        BOOST_TEST((due >= toDate(before + kHour) && due <= toDate(store.now() + kHour)));
        store.advance(kHour);
        BOOST_TEST(claimOne()->missedRuns == 1U);
    }
}

BOOST_AUTO_TEST_CASE(o18_a_cron_task_goes_on_with_its_first_due_that_is_not_past) {
    for (const Target& target : {kTask, kName}) {
        for (const char* const zone : {"UTC", "Europe/Berlin"}) {
            schedule("n", "i", Schedule::cron("30 * * * *", zone), {}, IfExists::Replace);
            schedule("m", "same", Schedule::cron("30 * * * *", zone), {}, IfExists::Replace);
            const jtimer::Date first = find().scheduledExecutionTime;
            const Micros toFirst = toMicros(jtimer::When(first)) - store.now();
            const double hoursLong = static_cast<double>(toFirst) / kHour + 3.5;
            pauseFor(target, hoursLong, MissedInPause::Skip);
            BOOST_TEST((find().scheduledExecutionTime == first + hours(4)));
            BOOST_TEST((store.find("m", "same")->scheduledExecutionTime == first));
            BOOST_TEST(claim().empty());
            store.advance(kHour);
            const auto task = claimOne();
            BOOST_TEST(task->missedRuns == 4U);
            end(task, End::Kind::Success);
            BOOST_TEST((find().scheduledExecutionTime == first + hours(5)));
        }
    }
}

BOOST_AUTO_TEST_CASE(o18_cron_tasks_with_the_same_times_go_on_at_the_same_time) {
    for (const char* const id : {"i", "j"}) schedule("n", id, Schedule::cron("30 * * * *"));
    schedule("n", "other", Schedule::cron("45 * * * *"));
    const jtimer::Date first = find().scheduledExecutionTime;
    const jtimer::Date other = find("other").scheduledExecutionTime;
    pauseFor(kName, 4, MissedInPause::Skip);
    BOOST_TEST((find("i").scheduledExecutionTime == first + hours(4)));
    BOOST_TEST((find("j").scheduledExecutionTime == first + hours(4)));
    BOOST_TEST((find("other").scheduledExecutionTime == other + hours(4)));
    BOOST_TEST(ask("select string_agg(missed_runs::text, ' ') from @.task") == "4 4 4");
}

BOOST_AUTO_TEST_CASE(o18_one_shots_run_and_so_do_retries_whose_time_has_not_come) {
    schedule("n", "once", Schedule::once(at(1)));
    schedule("n", "late", Schedule::fixedRate(0, hours(1)));
    end(claimOne(), End::Kind::Retry, 5 * kHour);
    schedule("n", "past", Schedule::fixedRate(0, hours(1)));
    end(claimOne(), End::Kind::Retry, kHour);
    const jtimer::Date late = find("late").nextAttempt;
    const jtimer::Date past = find("past").scheduledExecutionTime;
    pauseFor(kName, 2.5, MissedInPause::Skip);
    BOOST_TEST((find("late").nextAttempt == late));
    BOOST_TEST((find("late").state == State::Retrying));
    BOOST_TEST((find("past").state == State::Scheduled));
    BOOST_TEST((find("past").scheduledExecutionTime == past + hours(3)));
    const auto task = claimOne();
    BOOST_TEST(task->id == "once");
    BOOST_TEST((toDate(task->due) == at(1)));
}

BOOST_AUTO_TEST_CASE(o18_what_a_smaller_pause_holds_is_left_to_that) {
    for (const char* const name : {"n", "m", "l"}) {
        for (const char* const id : {"i", "j"})
            schedule(name, id, Schedule::fixedRate(at(1), hours(1)));
    }
    store.pause(Target::task("n", "j"), "me", "");
    store.pause(Target::name("l"), "me", "");
    const auto moved = [&] {
        return ask("select string_agg(name || id, ' ' order by name, id) from @.task"
                   " where missed_runs > 0");
    };
    pauseFor(Target::name("m"), 2.5, MissedInPause::Skip);
    BOOST_TEST(moved() == "mi mj");
    pauseFor(Target::everything(), 1, MissedInPause::Skip);
    BOOST_TEST(moved() == "mi mj ni");
    BOOST_TEST(ask("select string_agg(missed_runs::text, ' ' order by name, id) from @.task") ==
               "0 0 3 3 3 0");
    BOOST_TEST(store.resume(Target::name("l"), MissedInPause::Skip));
    BOOST_TEST(moved() == "li lj mi mj ni");
    BOOST_TEST(store.resume(Target::task("n", "j"), MissedInPause::Skip));
    BOOST_TEST(moved() == "li lj mi mj ni nj");
}

BOOST_AUTO_TEST_CASE(o18_a_nodes_pause_drops_runs_of_names_that_only_that_node_registers) {
    ask("delete from @.node");
    store.registerNode({"w", kLease, {"own", "shared", "paused"}, 1});
    store.registerNode({"w", kLease, {"own", "more"}, 1});
    store.registerNode({"other", kLease, {"shared", "others"}, 1});
    for (const char* const name : {"own", "shared", "paused", "more", "others", "nobodys"})
        schedule(name, "i", Schedule::fixedRate(at(1), hours(1)));
    store.pause(Target::name("paused"), "me", "");
    const auto moved = [&] {
        return ask("select string_agg(name, ' ' order by name) from @.task where missed_runs > 0");
    };
    ask("insert into @.node (id, name, lease, lease_until) values"
        " (1, 'of an old library', '1 h', now() + interval '1 h')");
    pauseFor(Target::node("w"), 1.5, MissedInPause::Skip);
    BOOST_TEST(moved().empty());  // that node may run any
    ask("delete from @.node where id = 1");
    pauseFor(Target::node("w"), 0.1, MissedInPause::Skip);
    BOOST_TEST(moved() == "more own");
}

BOOST_AUTO_TEST_CASE(o18_what_is_not_paused_drops_nothing) {
    schedule("n", "i", Schedule::fixedRate(at(0), hours(1)));
    store.advance(3 * kHour);
    for (const Target& target : {kTask, kName, Target::node("one"), Target::everything()})
        BOOST_TEST(!store.resume(target, MissedInPause::Skip));
    BOOST_TEST((find().scheduledExecutionTime == at(0)));
    BOOST_TEST(find().attempt == 0);
}

BOOST_AUTO_TEST_CASE(o18_runs_are_dropped_in_transactions_of_a_thousand_tasks) {
    ask("insert into @.task (name, id, payload, kind, period, missed, origin, due, wake)"
        " select 'n', i::text, '', 'fixed rate', 3600000000, 'once', now(), now(), now()"
        " from generate_series(1, 2001) i");
    ask("create table @.updated (tasks bigint)");
    ask("create function @.note() returns trigger language plpgsql as $$ begin insert into "
        "@.updated select count(*) from changed; return null; end $$");
    ask("create trigger note after update on @.task referencing old table as changed"
        " for each statement execute function @.note()");
    pauseFor(kName, 1.5, MissedInPause::Skip);
    BOOST_TEST(ask("select string_agg(tasks::text, ' ' order by tasks desc) from @.updated") ==
               "1000 1000 1");
    BOOST_TEST(ask("select count(*) from @.task where missed_runs = 2 and"
                   " due = origin + interval '2 hours' and wake = due") == "2001");
}

// Each batch locks the row of the pause.
BOOST_AUTO_TEST_CASE(o18_a_pause_does_not_end_while_its_runs_are_dropped) {
    schedule("n", "i", Schedule::fixedRate(at(0), hours(1)));
    store.pause(kName, "me", "");
    store.advance(3 * kHour);
    test::Session drops;
    drops("begin");
    const std::string schema = '"' + options.schema + '"';
    drops("select scope from " + schema + ".pause where scope = 'name' for key share");
    options.operationTimeout = 1000;
    Store hurried(options);
    hurried.connect();
    BOOST_CHECK_THROW(hurried.resume(kName, MissedInPause::Run), DatabaseException);
    drops("commit");
    BOOST_TEST(store.resume(kName, MissedInPause::Run));
}

BOOST_AUTO_TEST_SUITE_END()

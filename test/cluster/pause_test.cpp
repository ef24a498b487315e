// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.

// What pauses hold, and how nodes learn of them.

#include "cluster/fixture.hpp"
#include "cluster/open_names.hpp"
#include "cluster/recorder.hpp"
#include "cluster/store_fixture.hpp"

#include <jtimer/cluster/scheduler.hpp>
#include <jtimer/exceptions.hpp>

#include <boost/test/unit_test.hpp>
#include <boost/thread/thread.hpp>

#include <chrono>
#include <optional>
#include <string>
#include <vector>

using namespace jtimer::cluster;
using namespace jtimer::cluster::detail;
using std::chrono::hours;

namespace {

struct Fixture : test::StoreFixture {
    bool pause(const Target& target) { return store.pause(target, "alice", "why"); }
    bool resume(const Target& target) { return store.resume(target, MissedInPause::Run); }

    void schedule(const std::string& name, const std::string& id) {
        StoreFixture::schedule(name, id, Schedule::once(0));
    }

    /// The ids that a node claims which knows of the pauses.
    std::string claims(NodeNumber number, const std::vector<std::string>& names = {"n", "m"}) {
        const NodePauses pauses = store.pausesOf(number, names).value();
        OpenNames open(0);
        for (const std::string& name : names) open.add(name);
        open.read(number, pauses, 0);
        std::string ids;
        for (const ClaimedTask& task : store.claim(open.claimer(), open.get(), 10).tasks)
            ids += task.id;
        return ids;
    }
    std::string claims() { return claims(node); }

    std::string pauses() {
        std::string text;
        for (const Pause& each : store.pauses())
            text += std::to_string(static_cast<int>(each.scope)) + each.name + each.id + ' ';
        return text;
    }

    /// A node that counts what it runs of each name.
    struct Worker {
        Worker(Options options, const std::string& name)
            : scheduler([&] {
                  options.name = name;
                  return options;
              }()) {
            scheduler.registerTask("n", [this](Run&) { n.add(); });
            scheduler.registerTask("m", [this](Run&) { m.add(); });
            scheduler.start();
        }
        test::Counted n;
        test::Counted m;
        Scheduler scheduler;
    };
};

constexpr const char* kLockedStatements =
    "select count(*) from pg_stat_activity where wait_event_type = 'Lock' and query like '%";

/// Until a statement that contains this waits for a lock.
void awaitLocked(const std::string& statement) {
    while (test::ask(test::server().conninfo(), kLockedStatements + statement + "%'") != "1")
        boost::this_thread::sleep_for(boost::chrono::milliseconds(2));
}

}  // namespace

BOOST_FIXTURE_TEST_SUITE(pauses_of_all_kinds, Fixture)

BOOST_AUTO_TEST_CASE(o12_a_paused_task_is_not_claimed_until_it_is_resumed) {
    schedule("n", "i");
    schedule("n", "j");
    const auto before = toDate(store.now());
    BOOST_TEST(store.pause(Target::task("n", "i"), "alice", "why"));
    BOOST_TEST((find("i").state == State::Paused));
    BOOST_TEST(claims() == "j");
    BOOST_TEST(!store.pause(Target::task("n", "i"), "bob", "also"));
    BOOST_TEST(!store.pause(Target::task("n", "absent"), "bob", ""));
    const std::optional<Pause> pause = find("i").paused;
    BOOST_REQUIRE(pause.has_value());
    BOOST_TEST((pause->scope == Scope::Task));
    BOOST_TEST(pause->name + pause->id + ' ' + pause->by + ' ' + pause->note == "ni alice why");
    BOOST_TEST((pause->since >= before && pause->since <= toDate(store.now())));
    BOOST_TEST(resume(Target::task("n", "i")));
    BOOST_TEST(!resume(Target::task("n", "i")));
    BOOST_TEST(!find("i").paused.has_value());
    BOOST_TEST(claims() == "i");
    BOOST_TEST(find("i").attempt == 1);
}

BOOST_AUTO_TEST_CASE(o12_a_dead_task_that_was_paused_is_dead_again) {
    schedule("n", "i");
    end(claimOne(), End::Kind::Dead);
    BOOST_TEST(pause(Target::task("n", "i")));
    BOOST_TEST((find().state == State::Paused));
    BOOST_TEST(store.revive({}) == 0U);
    BOOST_TEST(resume(Target::task("n", "i")));
    BOOST_TEST((find().state == State::Dead));
    BOOST_TEST(store.revive({}) == 1U);
}

BOOST_AUTO_TEST_CASE(o12_the_pause_of_a_running_task_can_be_taken_back) {
    schedule("n", "i");
    const auto task = claimOne();
    BOOST_TEST(pause(Target::task("n", "i")));
    BOOST_TEST(resume(Target::task("n", "i")));
    end(task, End::Kind::Retry);
    BOOST_TEST((find().state == State::Retrying));
    BOOST_TEST(claims() == "i");
}

BOOST_AUTO_TEST_CASE(o12_a_scheduler_gives_its_name_and_refuses_a_long_note) {
    schedule("n", "i");
    options.name = "me";
    Scheduler scheduler(options);
    const auto refused = [&](const std::string& note) {
        try {
            scheduler.pause(Target::everything(), note);
        } catch (const jtimer::IllegalArgumentException& e) {
            return std::string(e.what());
        }
        return std::string();
    };
    BOOST_TEST(refused(std::string(201, 'x')) == "note: expected at most 200 bytes of UTF-8");
    BOOST_TEST(refused("\xff") == "note: expected at most 200 bytes of UTF-8");
    BOOST_TEST(scheduler.pauses().empty());
    BOOST_TEST(scheduler.pause(Target::task("n", "i"), std::string(200, 'x')));
    BOOST_TEST(scheduler.find("n", "i")->paused->by == "me");
    BOOST_TEST(scheduler.find("n", "i")->paused->note == std::string(200, 'x'));
    BOOST_TEST(scheduler.pause(Target::name("n")));
    BOOST_TEST(scheduler.pauses().at(0).by == "me");
    BOOST_TEST(scheduler.pauses().at(0).note.empty());
    BOOST_TEST(scheduler.resume(Target::name("n")));
    BOOST_TEST(scheduler.resume(Target::task("n", "i")));
    BOOST_TEST(!scheduler.resume(Target::name("n"), MissedInPause::Skip));
}

BOOST_AUTO_TEST_CASE(o13_a_paused_name_holds_all_its_tasks_later_ones_included) {
    schedule("n", "1");
    schedule("m", "2");
    BOOST_TEST(pause(Target::name("n")));
    BOOST_TEST(!pause(Target::name("n")));
    schedule("n", "3");
    BOOST_TEST(store.runNow("n", "1"));
    BOOST_TEST(claims() == "2");
    BOOST_TEST((find("1").state == State::Scheduled));
    BOOST_TEST(resume(Target::name("n")));
    BOOST_TEST(!resume(Target::name("n")));
    BOOST_TEST(claims() == "13");
}

BOOST_AUTO_TEST_CASE(o13_a_paused_node_claims_nothing_under_any_number) {
    const NodeNumber other = store.registerNode({"two", kLease}).node;
    schedule("n", "1");
    BOOST_TEST(pause(Target::node("one")));
    BOOST_TEST(claims(node).empty());
    BOOST_TEST(claims(store.registerNode({"one", kLease}).node).empty());
    BOOST_TEST(claims(other) == "1");
    schedule("n", "2");
    BOOST_TEST(resume(Target::node("one")));
    BOOST_TEST(claims(node) == "2");
}

BOOST_AUTO_TEST_CASE(o13_pauses_are_independent) {
    schedule("n", "i");
    const std::vector<Target> targets = {Target::task("n", "i"), Target::name("n"),
                                         Target::node("one"), Target::everything()};
    for (const Target& target : targets) BOOST_TEST(pause(target));
    BOOST_TEST(pauses() == "1n 2one 3 ");
    const Pause name = store.pauses()[0];
    BOOST_TEST(name.by + ' ' + name.note == "alice why");
    BOOST_TEST((name.since <= toDate(store.now())));
    for (const Target& target : targets) {
        BOOST_TEST(claims().empty());
        BOOST_TEST(resume(target));
    }
    BOOST_TEST(pauses().empty());
    BOOST_TEST(claims() == "i");
}

BOOST_AUTO_TEST_CASE(o13_a_target_has_names_of_1_to_200_bytes) {
    const auto refused = [](const auto& make) {
        try {
            make();
        } catch (const jtimer::IllegalArgumentException& e) {
            return std::string(e.what());
        }
        return std::string();
    };
    const std::string expected = ": expected 1 to 200 bytes of UTF-8";
    BOOST_TEST(refused([] { Target::task("", "i"); }) == "name" + expected);
    BOOST_TEST(refused([] { Target::task("n", ""); }) == "id" + expected);
    BOOST_TEST(refused([] { Target::name("\xff"); }) == "name" + expected);
    BOOST_TEST(refused([] { Target::node(std::string(201, 'x')); }) == "node" + expected);
    BOOST_TEST(refused([] { Target::node(std::string(200, 'x')); }).empty());
}

BOOST_AUTO_TEST_CASE(o14_a_claim_that_does_not_know_of_a_pause_takes_nothing) {
    BOOST_TEST(pause(Target::name("other")));
    BOOST_TEST(!store.claim(node, {"n"}, 1).nodeGone);  // nothing is due
    schedule("n", "i");
    for (const bool byName : {false, true}) {
        const auto claim = [&](Claimer claimer) {
            return byName ? store.claimByName(claimer, {"n"}, 1) : store.claim(claimer, {"n"}, 1);
        };
        BOOST_TEST(claim({node, 0}).nodeGone);
        BOOST_TEST(claim({node, 2}).nodeGone);
        BOOST_TEST(claim({node, 0}).tasks.empty());
        BOOST_TEST(claim({node, 1}).tasks.size() == 1U);
        BOOST_TEST(store.release(node, {}) == 1U);
    }
}

BOOST_AUTO_TEST_CASE(o14_the_pause_of_a_running_task_begins_when_the_run_is_over) {
    schedule("n", "retries");
    const auto retries = claimOne();
    schedule("n", "dies with its node");
    claimOne();
    schedule("n", "lost");
    const auto lost = claimOne();
    for (const char* const id : {"retries", "dies with its node", "lost"}) {
        BOOST_TEST(pause(Target::task("n", id)));
        BOOST_TEST(!pause(Target::task("n", id)));
        BOOST_TEST((find(id).state == State::Running));
        BOOST_TEST(find(id).paused.has_value());
    }
    const Micros now = store.now();
    BOOST_TEST((end(retries, End::Kind::Retry, 10 * kSecond) == EndStatus::Written));
    ask("update @.task set owner = 987654321 where id = 'dies with its node'");
    store.takeOver(node);
    BOOST_TEST(store.release(node, {}) == 1U);
    for (const char* const id : {"retries", "dies with its node", "lost"})
        BOOST_TEST((find(id).state == State::Paused), id);
    BOOST_TEST((find("retries").nextAttempt >= toDate(now + 10 * kSecond)));
    BOOST_TEST(find("retries").attempt == 1);
    BOOST_TEST((find("lost").nextAttempt == toDate(lost->due)));
    store.advance(3600 * kSecond);
    BOOST_TEST(claims().empty());
    schedule("n", "ends");
    const auto ends = claimOne();
    BOOST_TEST(pause(Target::task("n", "ends")));
    BOOST_TEST((end(ends, End::Kind::Success) == EndStatus::Written));
    BOOST_TEST(!store.find("n", "ends").has_value());
}

BOOST_AUTO_TEST_CASE(o14_renewals_take_overs_and_polls_go_on_and_pauses_survive_a_restart) {
    ask("delete from @.node");
    BOOST_TEST(pause(Target::everything()));
    schedule("n", "i");
    const test::Recorder recorder;
    options.lease = 1000;
    options.pollInterval = 10;
    std::optional<Worker> worker(std::in_place, options, "w");
    recorder.await("claim_by_name", 3);
    recorder.await("renew", 3);
    ask("insert into @.node (id, name, lease, lease_until) values"
        " (1, 'dead', '1 s', statement_timestamp() - interval '1 s')");
    ask("update @.task set owner = 1");
    while (worker->scheduler.stats().takenOver == 0)
        boost::this_thread::sleep_for(boost::chrono::milliseconds(2));
    test::server().restart(test::Server::Stop::Fast);
    worker.reset();
    worker.emplace(options, "w");
    recorder.await("claim_by_name", recorder.count("claim_by_name") + 3);
    BOOST_TEST(worker->n.get() == 0);
    BOOST_TEST(ask("select count(*) from @.task where owner is null") == "1");
    BOOST_TEST(worker->scheduler.resume(Target::everything()));
    worker->n.await(1);
}

BOOST_AUTO_TEST_CASE(o15_a_pause_writes_its_number_into_every_node_once_it_has_changed_something) {
    store.registerNode({"two", kLease});
    const auto numbers = [&] {
        return ask("select (select pauses from @.cluster) || ': ' || string_agg(pauses::text, ' ' "
                   "order by id) from @.node");
    };
    BOOST_TEST(numbers() == "0: 0 0");
    BOOST_TEST(pause(Target::name("n")));
    BOOST_TEST(numbers() == "1: 1 1");
    BOOST_TEST(!pause(Target::name("n")));
    BOOST_TEST(!resume(Target::name("m")));
    BOOST_TEST(numbers() == "3: 1 1");
    store.registerNode({"three", kLease});
    BOOST_TEST(numbers() == "3: 1 1 3");
    BOOST_TEST(resume(Target::name("n")));
    BOOST_TEST(numbers() == "4: 4 4 4");
    schedule("n", "i");
    BOOST_TEST(pause(Target::task("n", "i")));  // is in its row
    BOOST_TEST(numbers() == "4: 4 4 4");
    ask("update @.node set lease_until = statement_timestamp() - interval '1 hour'");
    const NodeNumber first = store.registerNode({"after a gap", kLease}).node;
    BOOST_TEST(ask("select pauses from @.node where id = " + std::to_string(first)) == "4");
}

BOOST_AUTO_TEST_CASE(o15_a_node_that_registers_during_a_pause_waits_and_knows_it) {
    test::Recorder recorder;
    Store other(options);
    other.connect();
    NodeNumber late = 0;
    boost::thread registers;
    recorder.onAnswer("raise_pauses", [&] {
        registers = boost::thread([&] { late = other.registerNode({"late", kLease}).node; });
        awaitLocked("locked as materialized");
    });
    BOOST_TEST(pause(Target::name("n")));
    registers.join();
    BOOST_TEST(ask("select pauses from @.node where id = " + std::to_string(late)) == "1");
}

BOOST_AUTO_TEST_CASE(o15_a_pause_waits_for_a_node_that_is_being_registered) {
    const std::string schema = '"' + options.schema + '"';
    test::Session registers;
    registers("begin");
    registers("select pauses from " + schema + ".cluster for share");
    registers("insert into " + schema +
              ".node (id, name, lease, lease_until) values"
              " (1000, 'late', '30 s', now() + interval '30 s')");
    boost::thread pauses([&] { pause(Target::name("n")); });
    awaitLocked("set pauses = pauses + 1");
    registers("commit");
    pauses.join();
    BOOST_TEST(ask("select pauses from @.node where id = 1000") == "1");
}

BOOST_AUTO_TEST_CASE(o16_a_node_learns_of_a_pause_when_it_claims_and_goes_on_with_other_names) {
    const test::Recorder recorder;
    options.pollInterval = hours(1);
    options.lease = hours(1);
    options.notifications = false;
    Worker worker(options, "w");
    recorder.await("claim", 1);
    BOOST_TEST(pause(Target::name("n")));  // and nobody tells the node
    schedule("n", "1");
    schedule("m", "2");
    const std::size_t renewals = recorder.count("renew");
    worker.scheduler.wakeUp();
    worker.m.await(1);
    recorder.await("renew", renewals + 1);
    BOOST_TEST(worker.n.get() == 0);
    BOOST_TEST(recorder.count("pauses_of") >= 2U);
    BOOST_TEST(
        ask("select count(*) from @.task where name = 'n' and owner is null and attempt = 0") ==
        "1");
}

BOOST_AUTO_TEST_CASE(o16_the_end_of_a_pause_is_notified_and_otherwise_seen_in_a_poll) {
    for (const bool notifications : {true, false}) {
        Options given = options;
        given.lease = hours(1);
        given.notifications = notifications;
        given.pollInterval = notifications ? jtimer::TimeSpan(hours(1)) : jtimer::TimeSpan(100);
        Worker worker(given, "w");
        Scheduler operates(options);
        for (const Target& target : {Target::name("n"), Target::node("w"), Target::everything()}) {
            const int before = worker.n.get();
            BOOST_TEST(operates.pause(target));
            schedule("n", std::to_string(before) + (notifications ? "" : "polled"));
            worker.scheduler.wakeUp();
            BOOST_TEST(operates.resume(target));
            worker.n.await(before + 1);
        }
    }
}

BOOST_AUTO_TEST_CASE(o16_without_a_pause_the_pauses_are_read_once) {
    const test::Recorder recorder;
    options.pollInterval = 10;
    Worker worker(options, "w");
    for (int i = 1; i <= 3; ++i) {
        worker.scheduler.schedule("n", std::to_string(i), 0);
        worker.n.await(i);
    }
    recorder.await("claim", 10);
    recorder.await("renew", 1);
    BOOST_TEST(recorder.count("pauses_of") == 1U);
}

BOOST_AUTO_TEST_CASE(o19_update_and_reschedule_keep_a_pause_replace_and_cancel_end_it) {
    const Micros now = store.now();
    const auto at = [&](int hour) { return toDate(now + hour * 3600 * kSecond); };
    const Target task = Target::task("n", "i");
    StoreFixture::schedule("n", "i", Schedule::fixedRate(at(1), 1000));
    BOOST_TEST(pause(task));
    StoreFixture::schedule("n", "i", Schedule::fixedRate(at(2), 2000));
    BOOST_TEST((find().state == State::Paused));
    BOOST_TEST((find().nextAttempt == at(2)));
    BOOST_TEST(store.reschedule("n", "i", at(3)));
    BOOST_TEST((find().state == State::Paused));
    BOOST_TEST((find().nextAttempt == at(3)));
    BOOST_TEST(find().paused->by == "alice");
    StoreFixture::schedule("n", "i", Schedule::once(at(4)), {}, IfExists::Replace);
    BOOST_TEST((find().state == State::Scheduled));
    BOOST_TEST(!find().paused.has_value());
    BOOST_TEST(!resume(task));
    BOOST_TEST(pause(task));
    BOOST_TEST(store.cancel("n", "i"));  // a run that would have been
    StoreFixture::schedule("n", "i", Schedule::once(at(4)));
    BOOST_TEST((find().state == State::Scheduled));
    BOOST_TEST(!resume(task));
}

BOOST_AUTO_TEST_CASE(o19_the_backlog_counts_paused_tasks_apart_and_they_raise_no_alarm) {
    const Micros now = store.now();
    const auto add = [&](const std::string& name, const std::string& id, int seconds) {
        StoreFixture::schedule(name, id, Schedule::once(toDate(now + seconds * kSecond)));
    };
    const auto counts = [&] {
        const Backlog backlog = store.backlog();
        return std::to_string(backlog.due) + ' ' + std::to_string(backlog.scheduled) + ' ' +
               std::to_string(backlog.paused) + ' ' + std::to_string(backlog.running) + ' ' +
               std::to_string(backlog.dead);
    };
    const auto oldest = [&] {
        return std::chrono::duration_cast<hours>(store.backlog().oldestDue).count();
    };
    schedule("n", "runs");
    claimOne();
    schedule("n", "dead");
    end(claimOne(), End::Kind::Dead);
    schedule("n", "dead and paused");
    end(claimOne(), End::Kind::Dead);
    BOOST_TEST(pause(Target::task("n", "dead and paused")));
    add("n", "1", -3 * 3600);
    add("m", "2", -2 * 3600);
    add("l", "3", -3600);
    add("n", "4", 3600);
    add("m", "5", 3600);
    BOOST_TEST(counts() == "3 2 1 1 1");
    BOOST_TEST(oldest() == 3);
    BOOST_TEST(pause(Target::task("n", "1")));
    BOOST_TEST(counts() == "2 2 2 1 1");
    BOOST_TEST(oldest() == 2);
    BOOST_TEST(pause(Target::name("m")));
    BOOST_TEST(counts() == "1 1 4 1 1");
    BOOST_TEST(oldest() == 1);
    BOOST_TEST(pause(Target::node("one")));  // others may run them
    BOOST_TEST(counts() == "1 1 4 1 1");
    BOOST_TEST(pause(Target::everything()));
    BOOST_TEST(counts() == "0 0 6 1 1");
    BOOST_TEST((store.backlog().oldestDue.count() == 0));
}

BOOST_AUTO_TEST_CASE(o19_a_test_clock_does_not_wait_for_paused_tasks) {
    TestClock clock(options);
    for (const Target& target : {Target::task("n", "i"), Target::name("n"), Target::everything()}) {
        schedule("n", "i");
        BOOST_TEST(pause(target));
        clock.advance(hours(1));
        BOOST_TEST(resume(target));
    }
}

// As its statement does.
BOOST_AUTO_TEST_CASE(o44_after_an_end_by_an_old_library_a_task_runs_once_more_before_its_pause) {
    StoreFixture::schedule("n", "i", Schedule::fixedRate(0, 1000));
    claimOne();
    BOOST_TEST(pause(Target::task("n", "i")));
    ask("update @.task set owner = null, started = null, due = due + interval '1 s',"
        " wake = due + interval '1 s', attempt = 0");
    store.advance(2 * kSecond);
    end(claimOne(), End::Kind::Success);
    BOOST_TEST((find().state == State::Paused));
    store.advance(3600 * kSecond);
    BOOST_TEST(claims().empty());
    BOOST_TEST(ask("select wake from @.task") == "infinity");  // for it, the task is dead
    BOOST_TEST(resume(Target::task("n", "i")));
    BOOST_TEST(claims() == "i");
}

BOOST_AUTO_TEST_CASE(o44_a_resume_goes_on_where_old_libraries_have_brought_a_paused_task) {
    const Micros first = store.now() + 10 * kSecond;
    StoreFixture::schedule("n", "i", Schedule::fixedRate(toDate(first), 10'000));
    BOOST_TEST(pause(Target::task("n", "i")));
    BOOST_TEST(store.runNow("n", "i"));
    // The end of this run, and another run.
    claimOne();
    ask("update @.task set owner = null, started = null, attempt = 0,"
        " due = origin + interval '10 s', wake = origin + interval '10 s'");
    store.advance(12 * kSecond);
    BOOST_TEST(resume(Target::task("n", "i")));
    BOOST_TEST(claims().empty());
    BOOST_TEST((find().nextAttempt == toDate(first + 10 * kSecond)));
    store.advance(8 * kSecond);
    BOOST_TEST(claimOne()->due == first + 10 * kSecond);
}

BOOST_AUTO_TEST_SUITE_END()

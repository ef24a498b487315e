// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.

// Leases of started nodes: how they are renewed, end, come back, and are taken over.

#include "cluster/lease.hpp"

#include "cluster/fixture.hpp"
#include "cluster/recorder.hpp"
#include "cluster/schema.hpp"
#include "cluster/store.hpp"
#include "cluster/worker.hpp"
#include "support/captured_cerr.hpp"
#include "support/child_process.hpp"

#include <jtimer/cluster/scheduler.hpp>

#include <boost/test/unit_test.hpp>
#include <boost/thread/thread.hpp>

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstddef>
#include <cstdlib>
#include <exception>
#include <optional>
#include <string>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

namespace {

using namespace jtimer::cluster;
using Clock = std::chrono::steady_clock;
using std::chrono::hours;
using std::chrono::milliseconds;

constexpr int kExpected = 42;

/// Polls the database, or anything else that does not signal.
template <class Condition>
void waitUntil(const Condition& condition) {
    while (!condition()) boost::this_thread::sleep_for(boost::chrono::milliseconds(5));
}

/// Leases of a second, and no polls: what is claimed was looked for.
struct Fixture : test::Schema {
    Fixture() {
        options.lease = 1000;
        options.pollInterval = hours(1);
    }

    /// Makes the server wait with renewals, but not with claims, until it is destroyed.
    struct BlockedRenewals {
        explicit BlockedRenewals(const std::string& schema) {
            session("begin");
            session("select id from \"" + schema + "\".node for no key update");
        }
        ~BlockedRenewals() { session("rollback"); }
        test::Session session;
    };

    /// As another node does that finds the lease expired.
    void takeOverFrom(const std::string& node) const {
        ask("with gone as (delete from @.node where name = '" + node +
            "' returning id) update @.task set owner = null, started = null, crashes = crashes + 1 "
            "from gone where owner = gone.id");
    }

    test::Recorder recorder;  // before every Scheduler
};

/// Its handler stops the process. When that goes on, the lease is lost at once.
CHILD_PROCESS(stops_itself) {
    Options options;
    options.conninfo = test::setting("LEASE_CONNINFO");
    options.schema = test::setting("LEASE_SCHEMA");
    options.lease = 1000;
    std::atomic<bool> ownBefore{false}, lostAfter{false}, throws{false};
    test::Counted runs;
    Scheduler scheduler(options);
    scheduler.registerTask("n", [&](Run& run) {
        if (run.attempt() > 1) return;  // under the new number
        ownBefore = !run.leaseLost();
        ::raise(SIGSTOP);
        lostAfter = run.leaseLost();
        try {
            run.checkLease();
        } catch (const LeaseLostException&) {
            throws = true;
        }
        runs.add();
    });
    scheduler.start();
    runs.await(1);
    scheduler.stop();
    const Stats stats = scheduler.stats();
    if (ownBefore && lostAfter && throws && stats.fenced == 1) std::_Exit(kExpected);
}

}  // namespace

BOOST_FIXTURE_TEST_SUITE(lease, Fixture)

BOOST_AUTO_TEST_CASE(k45_a_process_that_was_stopped_sees_at_once_that_its_lease_is_lost) {
    Scheduler scheduler(options);
    scheduler.schedule("n", "i", 0);
    test::Worker worker("stops_itself",
                        {"LEASE_CONNINFO=" + options.conninfo, "LEASE_SCHEMA=" + options.schema});
    siginfo_t info{};
    BOOST_REQUIRE(::waitid(P_PID, static_cast<id_t>(worker.pid()), &info, WSTOPPED) == 0);
    BOOST_REQUIRE(info.si_code == CLD_STOPPED);
    detail::Store store(options);
    const detail::NodeNumber node = store.registerNode({"other", 3'600'000'000}).node;
    // Only where nodes renew does a lease end.
    waitUntil([&] { return store.renew(node).alive && store.takeOver(node).tasks == 1; });
    worker.signal(SIGCONT);
    BOOST_TEST(worker.end() == kExpected);
}

BOOST_AUTO_TEST_CASE(
    k34_k45_k52_nothing_is_claimed_while_the_lease_may_be_lost_until_it_is_renewed) {
    test::Counted begun, lost, again, others;
    Scheduler scheduler(options);
    scheduler.registerTask("watch", [&](Run& run) {
        begun.add();
        waitUntil([&] { return run.leaseLost(); });
        BOOST_CHECK_THROW(run.checkLease(), LeaseLostException);
        lost.add();
        waitUntil([&] { return !run.leaseLost(); });
        again.add();
    });
    scheduler.registerTask("other", [&](Run&) { others.add(); });
    scheduler.start();
    scheduler.schedule("watch", "i", 0);
    begun.await(1);
    {
        const BlockedRenewals blocked(options.schema);
        lost.await(1);
        const auto claims = recorder.count("claim");
        scheduler.schedule("other", "i", 0);
        recorder.await("renew", recorder.count("renew") + 1);
        BOOST_TEST(recorder.count("claim") == claims);
        BOOST_TEST((scheduler.find("other", "i")->state == State::Scheduled));
    }
    again.await(1);
    others.await(1);
    scheduler.stop();
    BOOST_TEST(scheduler.stats().succeeded == 2U);
    BOOST_TEST(scheduler.stats().leasesLost == 0U);
    BOOST_TEST(scheduler.stats().fenced == 0U);
}

BOOST_AUTO_TEST_CASE(k43_k52_a_node_without_a_row_takes_a_new_number_and_its_runs_are_fenced) {
    options.name = "one";
    test::CapturedCerr cerr;
    test::Counted begun, lost;
    Scheduler scheduler(options);
    scheduler.registerTask("n", [&](Run& run) {
        begun.add();
        if (run.attempt() > 1) return;
        waitUntil([&] { return run.leaseLost(); });
        lost.add();
    });
    scheduler.start();
    scheduler.schedule("n", "i", 0);
    begun.await(1);
    takeOverFrom("one");
    lost.await(1);
    begun.await(2);
    scheduler.stop();
    const Stats stats = scheduler.stats();
    BOOST_TEST(stats.leasesLost == 1U);
    BOOST_TEST(stats.fenced == 1U);
    BOOST_TEST(stats.succeeded == 1U);
    BOOST_TEST(stats.failed == 0U);
    BOOST_TEST(cerr.text() == "Node \"one\" lost its lease\n");
}

BOOST_AUTO_TEST_CASE(k52_o16_a_node_that_reads_its_pauses_sees_that_its_row_is_gone) {
    options.lease = hours(1);  // so that it is not seen by a renewal
    options.pollInterval = 20;
    Scheduler scheduler(options);
    scheduler.registerTask("n", [](Run&) {});
    BOOST_TEST(scheduler.pause(Target::name("n")));
    scheduler.start();
    ask("delete from @.node");
    waitUntil([&] { return ask("select count(*) from @.node") == "1"; });
    scheduler.stop();
    BOOST_TEST(scheduler.stats().leasesLost == 1U);
}

BOOST_AUTO_TEST_CASE(k43_the_end_of_a_cancelled_run_is_only_counted) {
    std::atomic<int> caught{0};
    options.uncaughtExceptionHandler = [&](const std::string&, std::exception_ptr) { ++caught; };
    test::Counted runs;
    Scheduler scheduler(options);
    scheduler.registerTask("n", [&](Run& run) {
        BOOST_TEST(!scheduler.cancel("n", run.id()));
        scheduler.schedule("n", run.id(), hours(1), "new");
        run.setPayload("old");
        runs.add();
    });
    scheduler.start();
    scheduler.schedule("n", "i", 0);
    runs.await(1);
    scheduler.stop();
    BOOST_TEST(scheduler.stats().fenced == 1U);
    BOOST_TEST(scheduler.stats().succeeded == 0U);
    BOOST_TEST(caught == 0);
    BOOST_TEST(scheduler.find("n", "i")->payload == "new");
    BOOST_TEST((scheduler.find("n", "i")->state == State::Scheduled));
}

BOOST_AUTO_TEST_CASE(k43_k44_complete_throws_when_the_task_is_no_longer_the_runs) {
    test::Counted refused;
    Scheduler scheduler(options);
    scheduler.registerTask("n", [&](Run& run) {
        scheduler.cancel("n", "i");
        test::Session session;
        session("begin");
        try {
            run.complete(session.get());
        } catch (const LeaseLostException&) {
            refused.add();
        }
    });
    scheduler.start();
    scheduler.schedule("n", "i", 0);
    refused.await(1);
    scheduler.stop();
    BOOST_TEST(scheduler.stats().fenced == 1U);
}

BOOST_AUTO_TEST_CASE(k43_k44_a_complete_that_was_not_committed_is_fenced_if_the_task_is_anothers) {
    std::atomic<int> caught{0};
    options.uncaughtExceptionHandler = [&](const std::string&, std::exception_ptr) { ++caught; };
    test::Counted completed;
    Scheduler scheduler(options);
    scheduler.registerTask("n", [&](Run& run) {
        test::Session session;
        session("begin");
        run.complete(session.get());
        session(run.id() == "commits" ? "commit" : "rollback");
        // Also the row of a run that was committed may be another's by now.
        scheduler.cancel("n", run.id());
        scheduler.schedule("n", run.id(), hours(1));
        completed.add();
    });
    scheduler.start();
    scheduler.schedule("n", "commits", 0);
    scheduler.schedule("n", "rolls back", 0);
    completed.await(2);
    scheduler.stop();
    BOOST_TEST(scheduler.stats().succeeded == 1U);
    BOOST_TEST(scheduler.stats().fenced == 1U);
    BOOST_TEST(scheduler.stats().failed == 0U);
    BOOST_TEST(caught == 0);
}

BOOST_AUTO_TEST_CASE(k51_one_renewal_each_third_of_a_lease_serves_all_runs) {
    test::Counted begun;
    std::atomic<bool> over{false};
    Scheduler scheduler(options);
    scheduler.registerTask("n", [&](Run&) {
        begun.add();
        waitUntil([&] { return over.load(); });
    });
    for (int i = 0; i < 10; ++i) scheduler.schedule("n", std::to_string(i), 0);
    const auto begin = Clock::now();
    scheduler.start();
    begun.await(10);
    recorder.await("renew", 4);
    BOOST_TEST((Clock::now() - begin >= milliseconds(990)));
    over = true;
    scheduler.stop();
}

BOOST_AUTO_TEST_CASE(k51_a_renewal_without_an_answer_is_repeated_on_a_new_connection) {
    Scheduler scheduler(options);
    scheduler.start();
    recorder.await("renew", 1);
    {
        const BlockedRenewals blocked(options.schema);
        const auto renewals = recorder.count("renew");
        recorder.await("renew", renewals + 2);
    }
    scheduler.stop();
    BOOST_TEST(scheduler.stats().leasesLost == 0U);
    const std::vector<test::Sent> sent = recorder.sent();
    boost::thread::id node;
    int renewals = 0;
    int connections = 0;
    for (const test::Sent& each : sent) {
        if (each.name == "renew") {
            node = each.thread;
            ++renewals;
        }
        if (each.name == "connect" && each.thread == node) ++connections;
    }
    BOOST_TEST(renewals >= 3);
    BOOST_TEST(connections >= 1);
}

BOOST_AUTO_TEST_CASE(k54_a_node_takes_over_when_a_lease_ends_and_not_at_its_next_renewal) {
    options.lease = hours(1);  // the next renewal would come in 20 minutes
    ask("create table @.gone (late interval)");
    ask("create function @.note() returns trigger language plpgsql as $$ begin insert into "
        "@.gone values (clock_timestamp() - old.lease_until); return old; end $$");
    ask("create trigger note after delete on @.node for each row when (old.name = 'dead') "
        "execute function @.note()");
    test::Counted runs;
    Scheduler scheduler(options);
    scheduler.registerTask("n", [&](Run& run) {
        BOOST_TEST(run.attempt() == 2);
        runs.add();
    });
    detail::Store store(options);
    store.schedule({{"n", "i", Schedule::once(0), {}}});
    const detail::NodeNumber dead = store.registerNode({"dead", 300'000}).node;
    BOOST_REQUIRE(store.claim(dead, {"n"}, 1).tasks.size() == 1U);
    scheduler.start();
    runs.await(1);
    scheduler.stop();
    BOOST_TEST(ask("select late > '0' from @.gone") == "t");
    BOOST_TEST(recorder.count("renew") >= 2U);
    BOOST_TEST(scheduler.stats().takenOver == 1U);
}

BOOST_AUTO_TEST_CASE(k45_a_run_does_not_begin_if_its_task_was_taken_over_since_the_claim) {
    options.name = "one";
    test::CapturedCerr cerr;
    test::Counted runs;
    Scheduler scheduler(options);
    scheduler.registerTask("n", [&](Run& run) {
        BOOST_TEST(run.attempt() == 2);
        runs.add();
    });
    // The answer to the claim comes late: another node has taken over, and this one knows it.
    recorder.onAnswer("claim", [&] {
        if (ask("select count(*) from @.task where owner is not null") == "0" ||
            scheduler.stats().leasesLost != 0)
            return;
        takeOverFrom("one");
        waitUntil([&] { return scheduler.stats().leasesLost == 1; });
    });
    scheduler.start();
    scheduler.schedule("n", "i", 0);
    runs.await(1);
    scheduler.stop();
    BOOST_TEST(runs.get() == 1);
    BOOST_TEST(scheduler.stats().claimed == 2U);
    BOOST_TEST(scheduler.stats().notBegun == 1U);
    BOOST_TEST(scheduler.stats().succeeded == 1U);
    BOOST_TEST(scheduler.stats().fenced == 0U);
}

BOOST_AUTO_TEST_CASE(k45_a_task_that_did_not_begin_is_claimed_again_as_if_it_never_had_been) {
    test::Counted runs;
    Scheduler scheduler(options);
    TaskOptions once;
    once.delivery = Delivery::AtMostOnce;
    scheduler.registerTask(
        "n",
        [&](Run& run) {
            BOOST_TEST(run.attempt() == 1);
            BOOST_TEST(scheduler.find("n", "i")->crashes == 0);
            runs.add();
        },
        once);
    std::optional<BlockedRenewals> blocked;
    std::atomic<bool> late{false};
    // The lease ends before the answer to the claim arrives, and is renewed afterwards.
    recorder.onAnswer("claim", [&] {
        if (late || ask("select count(*) from @.task where owner is not null") == "0") return;
        late = true;
        blocked.emplace(options.schema);
        ::usleep(1'010'000);
    });
    scheduler.start();
    scheduler.schedule("n", "i", 0);
    waitUntil([&] { return scheduler.stats().notBegun == 1; });
    BOOST_TEST(runs.get() == 0);
    blocked.reset();
    runs.await(1);
    scheduler.stop();
    BOOST_TEST(scheduler.stats().claimed == 2U);
    BOOST_TEST(scheduler.stats().notBegun == 1U);
    BOOST_TEST(scheduler.stats().succeeded == 1U);
    BOOST_TEST(scheduler.stats().leasesLost == 0U);
}

BOOST_AUTO_TEST_CASE(k36_ends_are_written_while_lost_claims_are_released) {
    test::Counted begun, released;
    Scheduler scheduler(options);
    scheduler.registerTask("n", [&](Run& run) {
        begun.add();
        if (run.id() == "first") released.await(1);
    });
    scheduler.start();
    scheduler.schedule("n", "first", 0);
    begun.await(1);
    // After a renewal, the next claim first releases what the node does not know of: a statement
    // that is not prepared.
    recorder.await("renew", recorder.count("renew") + 2);
    recorder.hold("");
    const std::size_t before = recorder.count("");
    scheduler.schedule("n", "second", 0);
    recorder.await("", before + 1);
    released.add();
    waitUntil([&] { return scheduler.stats().succeeded == 1; });
    BOOST_TEST(begun.get() == 1);
    recorder.release();
    begun.await(2);
    scheduler.stop();
    BOOST_TEST(scheduler.stats().succeeded == 2U);
    BOOST_TEST(scheduler.stats().fenced == 0U);
}

BOOST_AUTO_TEST_CASE(o4_a_node_with_a_shorter_lease_has_the_others_renew_as_often) {
    options.lease = hours(1);
    Scheduler longer(options);
    longer.start();
    recorder.await("renew", 1);
    boost::thread::id thread;
    for (const test::Sent& each : recorder.sent())
        if (each.name == "renew") thread = each.thread;
    options.lease = 1000;
    Scheduler shorter(options);
    const auto begin = Clock::now();
    shorter.start();
    const auto renewals = [&] {
        int count = 0;
        for (const test::Sent& each : recorder.sent())
            count += each.name == "renew" && each.thread == thread ? 1 : 0;
        return count;
    };
    // The notification brings the second, and what that tells the third and fourth.
    waitUntil([&] { return renewals() >= 4; });
    BOOST_TEST((Clock::now() - begin >= milliseconds(660)));
    shorter.stop();
    longer.stop();
}

BOOST_AUTO_TEST_CASE(k55_a_handler_that_hangs_keeps_its_lease_and_is_the_oldest_run) {
    options.lease = 2000;
    test::Counted begun;
    std::atomic<bool> over{false};
    std::atomic<bool> wasLost{false};
    Scheduler scheduler(options);
    scheduler.registerTask("n", [&](Run& run) {
        begun.add();
        waitUntil([&] { return over.load(); });
        wasLost = run.leaseLost();
    });
    Scheduler other(options);
    other.registerTask("n", [&](Run&) { begun.add(); });
    scheduler.start();
    scheduler.schedule("n", "i", 0);
    begun.await(1);
    other.start();
    waitUntil([&] { return scheduler.stats().oldestRun > milliseconds(2100); });
    BOOST_TEST(scheduler.stats().running == 1U);
    over = true;
    scheduler.stop();
    other.stop();
    BOOST_TEST(!wasLost);
    BOOST_TEST(begun.get() == 1);
    BOOST_TEST(scheduler.stats().succeeded == 1U);
    BOOST_TEST(scheduler.stats().oldestRun.count() == 0);
    BOOST_TEST(other.stats().takenOver == 0U);
}

BOOST_AUTO_TEST_CASE(k49_a_task_whose_process_died_too_often_is_dead_without_a_run) {
    options.name = "one";
    test::CapturedCerr cerr;
    test::Counted runs;
    Scheduler scheduler(options);
    scheduler.registerTask("n", [&](Run&) { runs.add(); });
    scheduler.schedule("n", "poison", 0);
    scheduler.scheduleAtFixedRate("n", "repeats", 0, hours(1));
    scheduler.scheduleAtFixedRate("n", "recovers", 0, hours(1));
    ask("update @.task set attempt = 3, crashes = 3 where id <> 'recovers'");
    ask("update @.task set attempt = 2, crashes = 2 where id = 'recovers'");
    TaskOptions never;
    never.maxCrashes = 1;
    scheduler.registerTask(
        "never", [&](Run&) { runs.add(); }, never);
    scheduler.schedule("never", "i", 0);
    ask("update @.task set attempt = 1, crashes = 1 where name = 'never'");
    scheduler.start();
    runs.await(1);
    waitUntil([&] { return scheduler.stats().died == 3; });
    scheduler.stop();
    BOOST_TEST(runs.get() == 1);
    BOOST_TEST(scheduler.find("never", "i")->lastError == "its process died once");
    BOOST_TEST((scheduler.find("n", "poison")->state == State::Dead));
    BOOST_TEST((scheduler.find("n", "repeats")->state == State::Dead));
    BOOST_TEST(scheduler.find("n", "poison")->lastError == "its process died 3 times");
    BOOST_TEST((scheduler.find("n", "recovers")->state == State::Scheduled));
    BOOST_TEST(scheduler.find("n", "recovers")->crashes == 0);
    BOOST_TEST(cerr.text().find("Task \"n\" \"poison\" is dead after 3 attempts: its process died "
                                "3 times\n") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(k49_a_repeating_task_that_goes_on_after_crashes_has_failed_and_is_due_again) {
    test::CapturedCerr cerr;
    test::Counted runs;
    jtimer::cluster::TaskOptions goesOn;
    goesOn.goesOnAfterCrashes = true;
    Scheduler scheduler(options);
    scheduler.registerTask(
        "n", [&](Run&) { runs.add(); }, goesOn);
    scheduler.registerTask(
        "fails", [&](Run&) { throw std::runtime_error("no"); }, goesOn);
    scheduler.schedule("n", "once", 0);
    scheduler.scheduleAtFixedRate("n", "rate", 0, hours(1));
    scheduler.scheduleWithFixedDelay("n", "delay", 0, hours(1));
    scheduler.scheduleCron("n", "cron", "0 0 1 1 *");
    scheduler.scheduleWithFixedDelay("fails", "f", 0, hours(1));
    ask("update @.task set attempt = 3, crashes = 3");
    ask("update @.task set due = @.now(), wake = @.now() where id = 'cron'");
    ask("update @.task set crashes = 2, attempt = 2 where name = 'fails'");
    const auto before = scheduler.find("n", "rate")->scheduledExecutionTime;
    scheduler.start();
    waitUntil([&] {
        return scheduler.stats().died == 1 && scheduler.find("n", "rate")->lastError != "" &&
               scheduler.find("n", "delay")->lastError != "" &&
               scheduler.find("n", "cron")->lastError != "" &&
               scheduler.find("fails", "f")->lastError != "";
    });
    scheduler.stop();
    BOOST_TEST((scheduler.find("n", "once")->state == State::Dead));
    for (const char* id : {"rate", "delay", "cron"}) {
        const auto task = scheduler.find("n", id);
        BOOST_TEST((task->state == State::Scheduled), id);
        BOOST_TEST(task->crashes == 0, id);
        BOOST_TEST(task->attempt == 0, id);
        BOOST_TEST(task->lastError == "its process died 3 times", id);
    }
    BOOST_TEST((scheduler.find("n", "rate")->scheduledExecutionTime - before == hours(1)));
    // Crashes of a run that then failed otherwise do not count for the next one.
    BOOST_TEST(scheduler.find("fails", "f")->crashes == 0);
    BOOST_TEST(runs.get() == 0);
    const char* const line = "Task \"n\" \"rate\" has failed after 3 attempts: its process died 3 "
                             "times\n";
    BOOST_TEST(cerr.text().find(line) != std::string::npos);
}

BOOST_AUTO_TEST_CASE(k4_a_task_for_one_attempt_whose_node_was_deleted_is_dead_without_a_run) {
    test::CapturedCerr cerr;
    Scheduler scheduler(options);
    TaskOptions once;
    once.delivery = Delivery::AtMostOnce;
    scheduler.registerTask(
        "n", [](Run&) { BOOST_ERROR("It runs again."); }, once);
    scheduler.schedule("n", "i", 0);
    ask("update @.task set attempt = 1");
    scheduler.start();
    waitUntil([&] { return scheduler.stats().died == 1; });
    scheduler.stop();
    BOOST_TEST((scheduler.find("n", "i")->state == State::Dead));
    BOOST_TEST(scheduler.find("n", "i")->lastError == "how its last run ended is not known");
    BOOST_TEST(cerr.text().find("Task \"n\" \"i\" is dead after 1 attempt: how its last run ended "
                                "is not known\n") != std::string::npos);
}

BOOST_AUTO_TEST_SUITE_END()

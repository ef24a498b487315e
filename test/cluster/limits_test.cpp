// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.

// How many runs of a name there may be at once, in a node and in the cluster.

#include "cluster/due_tasks.hpp"
#include "cluster/fixture.hpp"
#include "cluster/recorder.hpp"
#include "cluster/scheduler_state.hpp"
#include "cluster/worker.hpp"
#include "support/captured_cerr.hpp"
#include "support/child_process.hpp"

#include <jtimer/cluster/scheduler.hpp>
#include <jtimer/exceptions.hpp>
#include <jtimer/manual_clock.hpp>

#include <boost/test/unit_test.hpp>
#include <boost/thread/condition_variable.hpp>
#include <boost/thread/lock_guard.hpp>
#include <boost/thread/lock_types.hpp>
#include <boost/thread/mutex.hpp>
#include <boost/thread/thread.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

using namespace jtimer::cluster;

namespace {

using std::chrono::hours;

TaskOptions inNode(int concurrency) {
    TaskOptions options;
    options.concurrency = concurrency;
    options.firstBackoff = 0;
    return options;
}

TaskOptions inCluster(int concurrency) {
    TaskOptions options;
    options.clusterConcurrency = concurrency;
    options.firstBackoff = 0;
    return options;
}

/// Of what does not signal.
template <class Condition>
void waitUntil(const Condition& condition) {
    while (!condition()) boost::this_thread::sleep_for(boost::chrono::milliseconds(5));
}

/// Runs that a test lets end, and how many of them there are.
class HeldRuns {
  public:
    void run(const Run&) {
        boost::unique_lock<boost::mutex> lock(mutex_);
        ++begun_;
        most_ = std::max(most_, begun_ - ended_);
        condition_.notify_all();
        while (ended_ >= mayEnd_) condition_.wait(lock);
        ++ended_;
        condition_.notify_all();
    }

    Handler handler() {
        return [this](Run& run) { this->run(run); };
    }

    void awaitBegun(int count) const {
        boost::unique_lock<boost::mutex> lock(mutex_);
        while (begun_ < count) condition_.wait(lock);
    }
    void awaitEnded(int count) const {
        boost::unique_lock<boost::mutex> lock(mutex_);
        while (ended_ < count) condition_.wait(lock);
    }

    void letEnd(int count) {
        const boost::lock_guard<boost::mutex> lock(mutex_);
        mayEnd_ += count;
        condition_.notify_all();
    }

    int begun() const {
        const boost::lock_guard<boost::mutex> lock(mutex_);
        return begun_;
    }
    int most() const {  ///< at once
        const boost::lock_guard<boost::mutex> lock(mutex_);
        return most_;
    }

  private:
    mutable boost::mutex mutex_;  ///< guards the following
    mutable boost::condition_variable condition_;
    int begun_ = 0, ended_ = 0, mayEnd_ = 0, most_ = 0;
};

/// Nodes neither poll nor hear of each other: what they claim is due when they start, or follows
/// upon the end of a run.
struct Fixture : test::DueTasks {
    Fixture() {
        options.pollInterval = hours(1);
        options.notifications = false;
    }

    /// All that is wanted by then has been looked for: for that, a task of another name.
    void lookAt(Scheduler& scheduler, test::Counted& others) const {
        for (int i = 0; i < 2; ++i) {
            const int before = others.get();
            scheduler.schedule("other", "i", 0);
            scheduler.wakeUp();
            others.await(before + 1);
            waitUntil([&] { return !scheduler.find("other", "i").has_value(); });
        }
    }
};

/// A Store with two nodes.
/// A node on a clock that only the test moves. A run is abandoned after a second.
struct ImpatientNode {
    explicit ImpatientNode(Options options)
        : state([&] {
              options.name = "one";
              options.lease = hours(24);
              return options;
          }()) {}

    void add(const std::string& name, const Handler& handler, TaskOptions taskOptions) {
        taskOptions.timeout = 1000;
        taskOptions.grace = 0;
        taskOptions.maxAttempts = 1;
        state.registry.emplace(name, detail::Registered{handler, taskOptions});
    }

    void start() {
        engine.emplace(state.options, state.registry, state.counters, state.stores, clock);
        engine->start();
    }

    const std::shared_ptr<jtimer::ManualClock> clock = std::make_shared<jtimer::ManualClock>();
    test::CapturedCerr printed;
    detail::SchedulerState state;
    std::optional<detail::Engine> engine;
};

std::string refused(const TaskOptions& options) {
    Scheduler scheduler;
    try {
        scheduler.registerTask(
            "n", [](Run&) {}, options);
    } catch (const jtimer::IllegalArgumentException& e) {
        return e.what();
    }
    return "";
}

}  // namespace

BOOST_AUTO_TEST_CASE(o30_a_limit_is_at_least_one) {
    BOOST_TEST(refused(inNode(0)) == "TaskOptions::concurrency: expected at least 1, not 0");
    BOOST_TEST(refused(inNode(-3)) == "TaskOptions::concurrency: expected at least 1, not -3");
    BOOST_TEST(refused(inCluster(0)) ==
               "TaskOptions::clusterConcurrency: expected at least 1, not 0");
    BOOST_TEST(refused(inCluster(std::numeric_limits<int>::min())) ==
               "TaskOptions::clusterConcurrency: expected at least 1, not -2147483648");
    BOOST_TEST(refused(inNode(1)).empty());
    BOOST_TEST(refused(inCluster(std::numeric_limits<int>::max())).empty());
    BOOST_TEST(!TaskOptions().concurrency.has_value());
    BOOST_TEST(!TaskOptions().clusterConcurrency.has_value());
}

BOOST_FIXTURE_TEST_SUITE(limits, Fixture)

BOOST_AUTO_TEST_CASE(o30_a_node_runs_as_many_of_a_name_as_its_limit_and_the_next_at_once) {
    add("n", 5);
    add("other", 3);
    HeldRuns runs;
    test::Counted others;
    Scheduler scheduler(options);
    scheduler.registerTask("n", runs.handler(), inNode(2));
    scheduler.registerTask("other", [&](Run&) { others.add(); });
    scheduler.start();
    runs.awaitBegun(2);
    others.await(3);
    lookAt(scheduler, others);
    BOOST_TEST(runs.begun() == 2);
    BOOST_TEST(running("n") == "2");
    for (int begun = 3; begun <= 5; ++begun) {
        runs.letEnd(1);
        runs.awaitBegun(begun);
    }
    runs.letEnd(2);
    scheduler.stop();
    BOOST_TEST(runs.most() == 2);
    BOOST_TEST(scheduler.stats().succeeded == 5U + 3U + 2U);
}

BOOST_AUTO_TEST_CASE(o30_each_name_has_its_own_limit) {
    add("a", 4);
    add("b", 4);
    add("c", 4);
    HeldRuns a;
    HeldRuns b;
    HeldRuns c;
    Scheduler scheduler(options);
    scheduler.registerTask("a", a.handler(), inNode(1));
    scheduler.registerTask("b", b.handler(), inNode(3));
    scheduler.registerTask("c", c.handler(), inCluster(2));
    scheduler.start();
    a.awaitBegun(1);
    b.awaitBegun(3);
    c.awaitBegun(2);
    for (HeldRuns* const each : {&a, &b, &c}) each->letEnd(4);
    for (HeldRuns* const each : {&a, &b, &c}) each->awaitEnded(4);
    scheduler.stop();
    BOOST_TEST(a.most() == 1);
    BOOST_TEST(b.most() == 3);
    BOOST_TEST(c.most() == 2);
}

BOOST_AUTO_TEST_CASE(o30_all_nodes_together_run_as_many_of_a_name_as_its_limit) {
    add("n", 9);
    HeldRuns runs;
    test::Counted others;
    std::vector<std::unique_ptr<Scheduler>> nodes;
    for (int i = 0; i < 3; ++i) {
        Scheduler& node = *nodes.emplace_back(std::make_unique<Scheduler>(options));
        node.registerTask("n", runs.handler(), inCluster(4));
        node.registerTask("other", [&](Run&) { others.add(); });
        node.start();
        lookAt(node, others);
    }
    BOOST_TEST(runs.begun() == 4);
    BOOST_TEST(running("n") == "4");
    runs.letEnd(9);
    runs.awaitEnded(9);
    nodes.clear();
    BOOST_TEST(runs.most() == 4);
}

// The cluster's limit is 3, and that of each node 2.
BOOST_AUTO_TEST_CASE(o30_a_name_may_have_both_limits) {
    add("n", 6);
    HeldRuns one;
    HeldRuns two;
    TaskOptions both = inCluster(3);
    both.concurrency = 2;
    Scheduler first(options);
    Scheduler second(options);
    first.registerTask("n", one.handler(), both);
    second.registerTask("n", two.handler(), both);
    first.start();
    one.awaitBegun(2);
    second.start();
    two.awaitBegun(1);
    one.letEnd(6);
    one.awaitEnded(5);
    two.letEnd(6);
    first.stop();
    second.stop();
    BOOST_TEST(one.most() == 2);
    BOOST_TEST(two.most() == 1);
    BOOST_TEST(ask("select count(*) from @.task") == "0");
}

BOOST_AUTO_TEST_CASE(o31_in_its_own_node_the_next_run_begins_at_once) {
    add("n", 20);
    HeldRuns runs;
    runs.letEnd(20);
    Scheduler scheduler(options);
    scheduler.registerTask("n", runs.handler(), inCluster(1));
    scheduler.start();
    runs.awaitEnded(20);
    scheduler.stop();
    BOOST_TEST(runs.most() == 1);
}

BOOST_AUTO_TEST_CASE(o31_in_another_node_the_next_run_begins_with_its_next_poll) {
    add("n", 2);
    HeldRuns runs;
    Scheduler first(options);
    first.registerTask("n", runs.handler(), inCluster(1));
    first.start();
    runs.awaitBegun(1);
    options.pollInterval = 100;
    test::Counted others;
    Scheduler second(options);
    second.registerTask("n", runs.handler(), inCluster(1));
    second.registerTask("other", [&](Run&) { others.add(); });
    second.start();
    lookAt(second, others);
    BOOST_TEST(runs.begun() == 1);
    BOOST_TEST(!first.stop(0));  // which claims nothing more
    runs.letEnd(1);
    runs.awaitBegun(2);
    runs.letEnd(1);
    second.stop();
    BOOST_TEST(runs.most() == 1);
}

BOOST_AUTO_TEST_CASE(o31_a_name_that_was_left_out_is_claimed_before_the_next_poll) {
    add("n", 1);
    test::Session claims;
    claims("begin");
    claims("select pg_advisory_xact_lock(hashtextextended('n', hashtextextended($1, 0)))",
           {options.schema});
    const test::Recorder recorder;
    test::Counted runs;
    Scheduler scheduler(options);
    scheduler.registerTask(
        "n", [&](Run&) { runs.add(); }, inCluster(1));
    scheduler.start();
    recorder.await("lock_names", 3);
    BOOST_TEST(runs.get() == 0);
    claims("commit");
    runs.await(1);
    scheduler.stop();
}

BOOST_AUTO_TEST_CASE(o31_a_node_without_limits_sends_what_it_did) {
    add("n", 2);
    const test::Recorder recorder;
    test::Counted runs;
    Scheduler scheduler(options);
    scheduler.registerTask("n", [&](Run&) { runs.add(); });
    scheduler.start();
    runs.await(2);
    scheduler.stop();
    const std::vector<test::Sent> sent = recorder.sent();
    const auto isClaim = [](const test::Sent& each) { return each.name == "claim"; };
    const auto claim = std::find_if(sent.begin(), sent.end(), isClaim);
    BOOST_REQUIRE((claim != sent.end()));
    for (const test::Sent& each : sent) {
        BOOST_TEST(each.name.find("limited") == std::string::npos, each.name);
        BOOST_TEST(each.name.find("lock_names") == std::string::npos, each.name);
        const bool first = &each < &*claim;
        if (each.thread == claim->thread && !first)
            BOOST_TEST((each.name == "claim" || each.name == "claim_by_name"), each.name);
    }
}

// With a single slot, which the handlers hold only while they run on the thread that claims.
BOOST_AUTO_TEST_CASE(o30_names_take_turns_at_the_slots_by_how_they_are_limited) {
    add("u", 4);
    add("n", 4);
    add("c", 4);
    options.concurrency = 1;
    options.executor = [](const std::function<void()>& run) { run(); };
    std::string ran;
    test::Counted runs;
    const Handler handler = [&](Run& run) {
        ran += run.name() + run.id() + ' ';
        runs.add();
    };
    Scheduler scheduler(options);
    scheduler.registerTask("u", handler);
    scheduler.registerTask("n", handler, inNode(5));
    scheduler.registerTask("c", handler, inCluster(5));
    scheduler.start();
    runs.await(12);
    scheduler.stop();
    BOOST_TEST(ran == "u1 n1 c1 u2 n2 c2 u3 n3 c3 u4 n4 c4 ");
}

BOOST_AUTO_TEST_CASE(o30_an_abandoned_handler_counts_in_its_node_until_it_returns) {
    add("n", 2);
    HeldRuns runs;
    test::Counted others;
    ImpatientNode node(options);
    node.add("n", runs.handler(), inNode(1));
    node.add("first", [&](Run&) { others.add(); }, {});
    node.add("second", [&](Run&) { others.add(); }, {});
    node.start();
    runs.awaitBegun(1);
    node.clock->advance(1000);
    waitUntil([&] { return ask("select count(*) from @.task where wake = 'infinity'") == "1"; });
    add("first", 1);
    node.engine->dispatcher.lookForTasks();
    others.await(1);
    add("second", 1);
    node.engine->dispatcher.lookForTasks();
    others.await(2);
    BOOST_TEST(runs.begun() == 1);
    runs.letEnd(1);
    runs.awaitBegun(2);
    runs.letEnd(1);
    node.engine->stop({});
    BOOST_TEST(node.state.counters.read().abandoned == 1U);
    BOOST_TEST(runs.most() == 1);
}

// Its lease is lost: another run may be going on.
BOOST_AUTO_TEST_CASE(o30_an_abandoned_handler_does_not_count_in_the_cluster) {
    add("n", 2);
    HeldRuns runs;
    ImpatientNode node(options);
    node.add("n", runs.handler(), inCluster(1));
    node.start();
    runs.awaitBegun(1);
    node.clock->advance(1000);
    runs.awaitBegun(2);
    runs.letEnd(2);
    node.engine->stop({});
    BOOST_TEST(node.state.counters.read().abandoned == 1U);
    BOOST_TEST(runs.most() == 2);
}

BOOST_AUTO_TEST_CASE(o30_a_task_that_is_cancelled_while_it_runs_does_not_count_in_the_cluster) {
    add("n", 2);
    HeldRuns runs;
    Scheduler scheduler(options);
    scheduler.registerTask("n", runs.handler(), inCluster(1));
    scheduler.start();
    runs.awaitBegun(1);
    BOOST_TEST(!scheduler.cancel("n", "1"));  // no run is prevented
    scheduler.wakeUp();
    runs.awaitBegun(2);
    runs.letEnd(2);
    scheduler.stop();
    BOOST_TEST(scheduler.stats().fenced == 1U);
}

BOOST_AUTO_TEST_CASE(o30_a_paused_name_does_not_run_and_its_limit_holds_when_it_is_resumed) {
    add("n", 3);
    HeldRuns n;
    test::Counted others;
    Scheduler scheduler(options);
    scheduler.registerTask("n", n.handler(), inCluster(2));
    scheduler.registerTask(
        "other", [&](Run&) { others.add(); }, inNode(1));
    BOOST_TEST(scheduler.pause(Target::name("n")));
    scheduler.start();
    lookAt(scheduler, others);
    BOOST_TEST(n.begun() == 0);
    BOOST_TEST(scheduler.resume(Target::name("n")));
    n.awaitBegun(2);
    n.letEnd(3);
    n.awaitEnded(3);
    scheduler.stop();
    BOOST_TEST(n.most() == 2);
}

BOOST_AUTO_TEST_CASE(o30_a_task_that_is_to_run_now_waits_for_the_limit) {
    add("n", 1);
    HeldRuns runs;
    test::Counted others;
    Scheduler scheduler(options);
    scheduler.registerTask("n", runs.handler(), inCluster(1));
    scheduler.registerTask("other", [&](Run&) { others.add(); });
    scheduler.start();
    runs.awaitBegun(1);
    scheduler.schedule("n", "later", hours(1));
    BOOST_TEST(scheduler.runNow("n", "later"));
    lookAt(scheduler, others);
    BOOST_TEST(runs.begun() == 1);
    runs.letEnd(2);
    runs.awaitEnded(2);
    scheduler.stop();
    BOOST_TEST(runs.most() == 1);
}

BOOST_AUTO_TEST_CASE(o30_a_test_clock_waits_for_tasks_that_wait_for_a_limit) {
    HeldRuns runs;
    runs.letEnd(10);
    options.notifications = true;
    options.pollInterval = 20;
    std::vector<std::unique_ptr<Scheduler>> nodes;
    for (int i = 0; i < 2; ++i) {
        Scheduler& node = *nodes.emplace_back(std::make_unique<Scheduler>(options));
        node.registerTask("n", runs.handler(), inCluster(1));
        node.start();
    }
    for (int i = 0; i < 10; ++i) nodes[0]->schedule("n", std::to_string(i), hours(1));
    TestClock clock(options);
    clock.advance(hours(1));
    BOOST_TEST(runs.begun() == 10);
    BOOST_TEST(runs.most() == 1);
}

BOOST_AUTO_TEST_CASE(o41_a_claim_within_limits_that_times_out_halves_the_next) {
    const test::CapturedCerr cerr;
    add("n", 8);
    options.concurrency = 4;
    options.operationTimeout = 1'500;
    options.executor = [](const std::function<void()>& run) { run(); };
    ask("create sequence @.calls");
    for (int i = 1; i <= 9; ++i) ask("create sequence @.size" + std::to_string(i));
    // The first two claims take too long, after they have locked their tasks.
    ask("create function @.stall() returns trigger language plpgsql as $$ declare n bigint; "
        "begin select count(*) into n from changed where owner is not null; "
        "if n = 0 then return null; end if; "
        "perform setval('@.size' || nextval('@.calls'), n); "
        "if currval('@.calls') <= 2 then perform pg_sleep(3); end if; return null; end $$");
    ask("create trigger stall after update on @.task referencing new table as changed "
        "for each statement execute function @.stall()");
    test::Counted runs;
    Scheduler scheduler(options);
    scheduler.registerTask(
        "n",
        [&](Run& run) {
            BOOST_TEST(run.attempt() == 1);
            runs.add();
        },
        inCluster(8));
    scheduler.start();
    runs.await(8);
    scheduler.stop();
    std::string sizes;
    for (int i = 1; i <= 5; ++i) sizes += ask("select last_value from @.size" + std::to_string(i));
    BOOST_TEST(sizes == "42124");
}

// Each of four nodes has more slots than the limits. Judged by what is committed: a run is in the
// table for less than its task is claimed.
BOOST_AUTO_TEST_CASE(o30_the_limit_is_exact_however_many_nodes_claim) {
    constexpr int kTasks = 150;
    add("a", kTasks);
    add("b", kTasks);
    ask("create table @.inside (name text, token bigint)");
    options.pollInterval = 10;
    options.notifications = true;
    std::atomic<int> mostA{0};
    std::atomic<int> mostB{0};
    test::Counted runs;
    const auto handler = [&](std::atomic<int>& most) {
        return [&](Run& run) {
            const std::string inside = '"' + options.schema + "\".inside";
            test::Session sql;
            const std::string token = std::to_string(run.fencingToken());
            sql("insert into " + inside + " values ($1, $2)", {run.name(), token});
            const int now =
                std::stoi(sql("select count(*) from " + inside + " where name = $1", {run.name()}));
            for (int before = most; before < now && !most.compare_exchange_weak(before, now);)
                continue;
            sql("delete from " + inside + " where token = $1", {token});
            runs.add();
        };
    };
    std::vector<std::unique_ptr<Scheduler>> nodes;
    for (int i = 0; i < 4; ++i) {
        Scheduler& node = *nodes.emplace_back(std::make_unique<Scheduler>(options));
        node.registerTask("a", handler(mostA), inCluster(3));
        node.registerTask("b", handler(mostB), inCluster(5));
        node.start();
    }
    runs.await(2 * kTasks);
    nodes.clear();
    BOOST_TEST(mostA <= 3);
    BOOST_TEST(mostB <= 5);
    BOOST_TEST(mostA > 1);
    BOOST_TEST(ask("select count(*) from @.task") == "0");
}

namespace {

CHILD_PROCESS(fills_the_limit) {
    Options options;
    options.conninfo = test::setting("LIMITS_CONNINFO");
    options.schema = test::setting("LIMITS_SCHEMA");
    options.lease = 1000;
    Scheduler scheduler(options);
    scheduler.registerTask(
        "n", [](Run&) { boost::this_thread::sleep_for(boost::chrono::hours(1)); }, inCluster(2));
    scheduler.start();
    test::awaitEnd();
    std::_Exit(1);
}

}  // namespace

BOOST_AUTO_TEST_CASE(o30_a_limit_that_a_dead_node_has_filled_is_free_after_its_lease) {
    add("n", 4);
    test::Worker worker("fills_the_limit",
                        {"LIMITS_CONNINFO=" + options.conninfo, "LIMITS_SCHEMA=" + options.schema});
    waitUntil([&] { return running("n") == "2"; });
    options.lease = 1000;
    HeldRuns runs;
    test::Counted others;
    Scheduler scheduler(options);
    scheduler.registerTask("n", runs.handler(), inCluster(2));
    scheduler.registerTask("other", [&](Run&) { others.add(); });
    scheduler.start();
    lookAt(scheduler, others);
    BOOST_TEST(runs.begun() == 0);
    worker.signal(SIGKILL);
    runs.awaitBegun(2);
    BOOST_TEST(scheduler.stats().takenOver == 2U);
    runs.letEnd(4);
    runs.awaitEnded(4);
    scheduler.stop();
    BOOST_TEST(runs.most() == 2);
    BOOST_TEST(worker.end() == -SIGKILL);
}

BOOST_AUTO_TEST_SUITE_END()

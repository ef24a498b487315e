// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
//
// Worker processes run one-shots and repeating tasks, and two operators pause, resume, run, revive,
// cancel and prune them, at random. In the first case this process also kills the workers, stops
// them beyond their lease, ends their connections and restarts the server. Each effect is a row,
// written in complete()'s transaction, and each run is kept. STRESS_DURATION in seconds,
// STRESS_SEED.
#include "cluster/stress_operated.hpp"
#include "support/child_process.hpp"

#include <jtimer/cluster/migrate.hpp>
#include <jtimer/cluster/scheduler.hpp>

#include <boost/test/unit_test.hpp>

#include <chrono>
#include <string>

using namespace jtimer::cluster;
using namespace test::stress;

namespace {

CHILD_PROCESS(stress_worker) { runNode(); }

test::Worker startWorker(const std::string& name) {
    return {"stress_worker",
            {"STRESS_CONNINFO=" + test::server().conninfo(), "STRESS_NAME=" + name,
             "TSAN_OPTIONS=halt_on_error=1"}};
}

/// A schema that keeps all runs, and who schedules there.
class Cluster {
  public:
    Cluster(unsigned seed, int nodes)
        : stress(seed, nodes, startWorker),
          feeder_(optionsOf(stress.conninfo(), "feeder", "feeder")) {
        migrate(optionsOf(stress.conninfo(), "migration"));
        feeder_.keepHistory(History::All, std::chrono::hours(1), 100'000'000);
        stress.watch();
        stress.watchGaps();
        stress.startNodes();
    }

    Feed feed() {
        return [this](int from, int to) { return scheduleTasks(feeder_, from, to); };
    }

    Stress stress;

  private:
    Scheduler feeder_;
};

}  // namespace

BOOST_AUTO_TEST_CASE(k1_to_k6_o14_o17_nothing_is_lost_and_nothing_effective_twice) {
    const unsigned seed = drawSeed();
    BOOST_TEST_CONTEXT("STRESS_SEED=" << seed) {
        Cluster cluster(seed, 5);
        Operated operated(cluster.stress, seed, cluster.feed());
        operated.operate();
        operated.run(durationOf("20"), [&](double) { cluster.stress.trouble(); });
        operated.finish();
        operated.judge();
        judgeTakeOvers(cluster.stress);
    }
}

BOOST_AUTO_TEST_CASE(o14_eight_nodes_claim_nothing_that_is_paused) {
    const unsigned seed = drawSeed();
    BOOST_TEST_CONTEXT("STRESS_SEED=" << seed) {
        Cluster cluster(seed, 8);
        Operated operated(cluster.stress, seed, cluster.feed());
        operated.operate();
        operated.run(durationOf("20", 0.5), [](double) {});
        operated.finish();
        operated.judge();
    }
}

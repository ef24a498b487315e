// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
//
// Worker processes run one-shots and repeating tasks, and two operators pause, resume, run, revive,
// cancel and prune them, at random. In the first case this process also kills the workers, stops
// them beyond their lease, ends their connections and restarts the server; in the second one, some
// names have limits. Each effect is a row,
// written in complete()'s transaction, and each run is kept. STRESS_DURATION in seconds,
// STRESS_SEED.
#include "cluster/stress_operated.hpp"
#include "support/child_process.hpp"

#include <jtimer/cluster/migrate.hpp>
#include <jtimer/cluster/scheduler.hpp>

#include <boost/test/unit_test.hpp>

#include <chrono>
#include <cstddef>
#include <random>
#include <string>
#include <vector>

using namespace jtimer::cluster;
using namespace test::stress;

namespace {

std::string limitedName(std::size_t number) { return "limited " + std::to_string(number); }

/// With names that only so many runs may have at once, as STRESS_LIMITS tells, a digit for each.
CHILD_PROCESS(stress_worker) {
    runNode([](Scheduler& scheduler) {
        const std::string limits = test::setting("STRESS_LIMITS");
        for (std::size_t i = 0; i < limits.size(); ++i) {
            TaskOptions limited;
            limited.maxAttempts = 1'000'000;
            limited.maxCrashes = 1'000'000;
            limited.clusterConcurrency = limits[i] - '0';
            const auto handler = [](Run& run) {
                sleepFor(std::chrono::milliseconds(100 + run.fencingToken() % 100));
                takeEffect(run);
            };
            scheduler.registerTask(limitedName(i), handler, limited);
        }
    });
}

StartNode startWorkers(const std::string& limits) {
    return [limits](const std::string& name) {
        return test::Worker("stress_worker",
                            {"STRESS_CONNINFO=" + test::server().conninfo(), "STRESS_NAME=" + name,
                             "STRESS_LIMITS=" + limits, "TSAN_OPTIONS=halt_on_error=1"});
    };
}

/// A schema that keeps all runs, and who schedules there.
class Cluster {
  public:
    Cluster(unsigned seed, int nodes, const std::string& limits = {})
        : stress(seed, nodes, startWorkers(limits)),
          feeder_(optionsOf(stress.conninfo(), "feeder", "feeder")) {
        migrate(optionsOf(stress.conninfo(), "migration"));
        feeder_.keepHistory(History::All, std::chrono::hours(1), 100'000'000);
        stress.watch();
        stress.watchGaps();
        std::vector<NewTask> tasks;
        for (std::size_t i = 0; i < limits.size(); ++i)
            for (int task = 0; task < 8; ++task)
                tasks.push_back(
                    {limitedName(i), std::to_string(task), Schedule::fixedDelay(0, 10), {}});
        feeder_.scheduleAll(tasks);
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

BOOST_AUTO_TEST_CASE(o14_o30_eight_nodes_claim_nothing_paused_and_no_more_than_the_limits) {
    const unsigned seed = drawSeed();
    std::string limits;
    std::vector<std::string> names;
    std::mt19937 random(seed);
    for (std::size_t i = 0; i < 3; ++i) {
        limits += std::to_string(std::uniform_int_distribution<>(1, 6)(random));
        names.push_back(limitedName(i));
    }
    BOOST_TEST_CONTEXT("STRESS_SEED=" << seed) {
        Cluster cluster(seed, 8, limits);
        Operated operated(cluster.stress, seed, cluster.feed(), names);
        operated.operate();
        operated.run(durationOf("20", 0.5), [](double) {});
        operated.finish();
        operated.judge();
        for (std::size_t i = 0; i < names.size(); ++i)
            judgeLimit(cluster.stress, names[i], limits[i] - '0');
    }
}

// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
//
// Worker processes run one-shots and repeating tasks, and two operators pause, resume, run, revive,
// cancel and prune them, at random. In the first case this process also kills the workers, stops
// them beyond their lease, ends their connections and restarts the server. Each effect is a row,
// written in complete()'s transaction, and each run is kept. STRESS_DURATION in seconds,
// STRESS_SEED.
#include "cluster/stress.hpp"
#include "cluster/stress_judge.hpp"
#include "support/child_process.hpp"

#include <jtimer/cluster/migrate.hpp>
#include <jtimer/cluster/scheduler.hpp>

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <functional>
#include <random>
#include <string>
#include <vector>

using namespace jtimer::cluster;
using namespace test::stress;

namespace {

constexpr int kOneShotsPerSecond = 60;

CHILD_PROCESS(stress_worker) { runNode(); }

test::Worker startWorker(const std::string& name) {
    return {"stress_worker",
            {"STRESS_CONNINFO=" + test::server().conninfo(), "STRESS_NAME=" + name,
             "TSAN_OPTIONS=halt_on_error=1"}};
}

/// Fed and operated; `meanwhile` is called again and again for as long as that takes.
class Operated {
  public:
    Operated(Stress& stress, unsigned seed)
        : stress_(stress), feeder_(optionsOf(stress.conninfo(), "feeder", "feeder")),
          scopes_(stress.conninfo(), seed + 1, {"once", "mortal", "doomed", "repeat", "cron"},
                  stress.names()),
          tasks_(stress.conninfo(), seed + 2, scheduled_) {
        migrate(optionsOf(stress.conninfo(), "migration"));
        feeder_.keepHistory(History::All, std::chrono::hours(1), 100'000'000);
        stress.watch();
        stress.startNodes();
    }

    void run(std::chrono::seconds duration, const std::function<void()>& meanwhile) {
        using Clock = std::chrono::steady_clock;
        const auto begin = Clock::now();
        OnThread scopes(scopes_);
        OnThread tasks(tasks_);
        while (Clock::now() < begin + duration) {
            // In step with the time, so that there is always something to do.
            const auto elapsed = std::chrono::duration<double>(Clock::now() - begin).count();
            feed(static_cast<int>((elapsed + 1) * kOneShotsPerSecond));
            sleepFor(std::chrono::milliseconds(stress_.below(600)));
            meanwhile();
        }
    }

    /// Everything is resumed, and each task that is left must run.
    void finish() {
        scopes_.resumeAll();
        tasks_.resumeAll();
        const std::string resumed = std::to_string(nowMicros());
        stress_.await("select count(*) from jtimer.task where name in ('once', 'mortal', 'doomed')",
                      "0", [&] { tasks_.revive(); });
        tasks_.runCronNow();
        stress_.await("select count(distinct (name, id)) from effect where name in ('repeat', "
                      "'cron') and extract(epoch from at) > " +
                          resumed + "::float8 / 1000000",
                      std::to_string(kRepeating + kCron));
        // And until the last that was killed has been declared dead.
        stress_.await("select count(*) from jtimer.node", std::to_string(stress_.names().size()));
        stress_.endNodes();
    }

    void judge() {
        judgeEffects(stress_);
        judgeRuns(stress_);
        std::vector<Paused> paused = scopes_.paused();
        paused.insert(paused.end(), tasks_.paused().begin(), tasks_.paused().end());
        judgePauses(stress_, paused);
        stress_.expectNone("left", "select scope, name from jtimer.pause");
        stress_.expectNone("left", "select name, id from jtimer.task where held is not null");
        report("scopes", scopes_.counts());
        report("tasks", tasks_.counts());
        BOOST_TEST_MESSAGE(stress_.kills.size()
                           << " kills, " << stress_.stops << " stops, " << stress_.terminations
                           << " times connections ended, " << stress_.outages.size()
                           << " restarts; " << scheduled_ << " one-shots, effects: "
                           << stress_.count("effect") << ", of one-shots "
                           << stress_.count("effect where name not in ('repeat', 'cron')")
                           << ", cancelled "
                           << stress_.count("deleted where by = 'operator' and "
                                            "name not in ('repeat', 'cron')"));
        BOOST_TEST_MESSAGE("runs: " << stress_.sql()(
                               "select string_agg(outcome || ' ' || count, ', ' order by outcome) "
                               "from (select outcome, count(*) from jtimer.run group by 1) each"));
    }

  private:
    static void report(const char* what, const Counts& counts) {
        BOOST_TEST_MESSAGE("operator of " << what << ": " << counts.pauses << " pauses, "
                                          << counts.resumes << " resumes with Run and "
                                          << counts.skips << " with Skip, " << counts.runNows
                                          << " times run now, " << counts.revived << " revived, "
                                          << counts.cancelled << " calls that cancel");
    }

    void feed(int to) {
        const int from = scheduled_;
        const bool known = scheduleTasks(feeder_, from, to);
        scheduled_ = to;
        if (!known) return;
        for (int i = from; i < to; ++i)
            stress_.sql()("insert into given values ($1, $2)", {nameOf(i), std::to_string(i)});
    }

    Stress& stress_;
    Scheduler feeder_;
    std::atomic<int> scheduled_{0};
    OperatorOfScopes scopes_;
    OperatorOfTasks tasks_;
};

unsigned drawSeed() {
    return static_cast<unsigned>(
        std::stoul(test::setting("STRESS_SEED", std::to_string(std::random_device{}()).c_str())));
}

std::chrono::seconds duration(const char* otherwise) {
    return std::chrono::seconds(std::stoi(test::setting("STRESS_DURATION", otherwise)));
}

}  // namespace

BOOST_AUTO_TEST_CASE(k1_to_k6_o14_o17_nothing_is_lost_and_nothing_effective_twice) {
    const unsigned seed = drawSeed();
    BOOST_TEST_MESSAGE("STRESS_SEED=" << seed);
    BOOST_TEST_CONTEXT("STRESS_SEED=" << seed) {
        Stress stress(seed, 5, startWorker);
        Operated operated(stress, seed);
        operated.run(duration("20"), [&] { stress.trouble(); });
        operated.finish();
        operated.judge();
        judgeTakeOvers(stress);
    }
}

// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "cluster/stress.hpp"
#include "cluster/stress_judge.hpp"
#include "cluster/stress_operators.hpp"

#include <jtimer/cluster/scheduler.hpp>

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <iterator>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace test::stress {

constexpr int kOneShotsPerSecond = 60;

/// Schedules the tasks of these numbers. \see scheduleTasks
using Feed = std::function<bool(int from, int to)>;

/// Nodes that have something to do, and operators.
class Operated {
  public:
    Operated(Stress& stress, unsigned seed, Feed feed,
             const std::vector<std::string>& otherNames = {})
        : stress_(stress), feed_(std::move(feed)),
          scopes_(stress.conninfo(), seed + 1, withUsualNames(otherNames), stress.names()),
          tasks_(stress.conninfo(), seed + 2, scheduled_) {}

    /// From now on until finish().
    void operate() {
        onThreads_.emplace_back(std::make_unique<OnThread>([this] { scopes_.step(); }));
        onThreads_.emplace_back(std::make_unique<OnThread>([this] { tasks_.step(); }));
    }

    /// Schedules tasks, and between them calls `meanwhile` with the part of the time that is over.
    void run(std::chrono::milliseconds duration, const std::function<void(double)>& meanwhile) {
        using Clock = std::chrono::steady_clock;
        const auto begin = Clock::now();
        const int first = scheduled_;
        for (Clock::duration elapsed{}; elapsed < duration; elapsed = Clock::now() - begin) {
            // In step with the time, so that there is always something to do.
            const double seconds = std::chrono::duration<double>(elapsed).count();
            feed(first + static_cast<int>((seconds + 1) * kOneShotsPerSecond));
            sleepFor(std::chrono::milliseconds(stress_.below(600)));
            meanwhile(std::min(1.0, std::chrono::duration<double>(elapsed) /
                                        std::chrono::duration<double>(duration)));
        }
    }

    /// Everything is resumed, and each task that is left must run.
    void finish() {
        onThreads_.clear();
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

    /// \param since microseconds: before that, some nodes neither heeded pauses nor kept runs
    void judge(std::int64_t since = 0) {
        judgeEffects(stress_);
        judgeRuns(stress_, since);
        std::vector<Paused> paused;
        for (const auto* each : {&scopes_.paused(), &tasks_.paused()})
            std::copy_if(each->begin(), each->end(), std::back_inserter(paused),
                         [since](const Paused& pause) { return pause.begin > since; });
        judgePauses(stress_, paused);
        stress_.expectNone("left", "select scope, name from jtimer.pause");
        stress_.expectNone("left", "select name, id from jtimer.task where held is not null");
        BOOST_TEST_MESSAGE(paused.size() << " pauses were judged");
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
    static std::vector<std::string> withUsualNames(std::vector<std::string> names) {
        names.insert(names.end(), {"once", "mortal", "doomed", "repeat", "cron"});
        return names;
    }

    static void report(const char* what, const Counts& counts) {
        BOOST_TEST_MESSAGE("operator of " << what << ": " << counts.pauses << " pauses, "
                                          << counts.resumes << " resumes with Run and "
                                          << counts.skips << " with Skip, " << counts.runNows
                                          << " times run now, " << counts.revived << " revived, "
                                          << counts.cancelled << " calls that cancel");
    }

    void feed(int to) {
        const int from = scheduled_;
        const bool known = feed_(from, to);
        scheduled_ = to;
        if (!known) return;
        for (int i = from; i < to; ++i)
            stress_.sql()("insert into given values ($1, $2)", {nameOf(i), std::to_string(i)});
    }

    Stress& stress_;
    const Feed feed_;
    std::atomic<int> scheduled_{0};
    OperatorOfScopes scopes_;
    OperatorOfTasks tasks_;
    std::vector<std::unique_ptr<OnThread>> onThreads_;  ///< they use what is above
};

inline unsigned drawSeed() {
    const auto seed = static_cast<unsigned>(
        std::stoul(setting("STRESS_SEED", std::to_string(std::random_device{}()).c_str())));
    BOOST_TEST_MESSAGE("STRESS_SEED=" << seed);
    return seed;
}

/// STRESS_DURATION or as given, in seconds, times the part.
inline std::chrono::milliseconds durationOf(const char* otherwise, double part = 1) {
    return std::chrono::milliseconds(
        static_cast<int>(1000 * part * std::stoi(setting("STRESS_DURATION", otherwise))));
}

}  // namespace test::stress

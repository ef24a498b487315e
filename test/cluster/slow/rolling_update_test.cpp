// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
//
// A rolling update under the stress: nodes with the library of schema version 1, which
// STRESS_OLD_NODE names (`make rolling-update` builds it from the history), and with that of today.
// The schema is migrated while old nodes run; then new ones follow them one by one, are rolled back
// to old ones, and follow again, while operators and faults go on. STRESS_DURATION in seconds,
// STRESS_SEED.
#include "cluster/stress_operated.hpp"
#include "support/child_process.hpp"

#include <jtimer/cluster/migrate.hpp>
#include <jtimer/cluster/scheduler.hpp>

#include <boost/test/unit_test.hpp>
#include <boost/thread/thread.hpp>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <iostream>
#include <string>
#include <vector>

using namespace jtimer::cluster;
using namespace test::stress;

namespace {

CHILD_PROCESS(stress_worker) { runNode(); }

/// The part of new nodes, of those that start, in a part of the time.
double shareOfNew(double part) {
    if (part < 0.5) return part * 2;
    return part < 0.75 ? 0.25 : part;
}

class RollingUpdate {
  public:
    explicit RollingUpdate(unsigned seed)
        : random_(seed), stress(seed, 5, [this](const std::string& name) { return start(name); }) {
        BOOST_TEST(old({"STRESS_MIGRATE=yes"}).end() == 0);
        BOOST_TEST(stress.sql()("select version from jtimer.meta") == "1");
        stress.watch();
        stress.startNodes();
    }

    Feed feed() {
        return [this](int from, int to) {
            if (feeder_.has_value()) return scheduleTasks(*feeder_, from, to);
            const int status =
                old({"STRESS_FROM=" + std::to_string(from), "STRESS_TO=" + std::to_string(to)})
                    .end();
            BOOST_TEST((status == 0 || status == 3), "the old scheduler ended with " << status);
            return status == 0;
        };
    }

    /// On any thread.
    void migrateSchema() {
        const Options options = optionsOf(test::server().conninfo(), "migration");
        insist([&] {
            migrate(options);
            return 0;
        });
        insist([&] {
            Scheduler(options).keepHistory(History::All, std::chrono::hours(1), 100'000'000);
            return 0;
        });
    }

    /// New nodes may follow. Whoever has scheduled tasks with the old library goes on with the new.
    void begin() { feeder_.emplace(optionsOf(stress.conninfo(), "feeder", "feeder")); }

    void setShareOfNew(double share) { share_ = share; }

    int oldStarted = 0, newStarted = 0;

  private:
    test::Worker old(std::vector<std::string> settings) {
        settings.push_back("STRESS_CONNINFO=" + test::server().conninfo());
        return {"old_node", settings, test::setting("STRESS_OLD_NODE")};
    }

    test::Worker start(const std::string& name) {
        if (std::uniform_real_distribution<>(0, 1)(random_) >= share_) {
            ++oldStarted;
            return old({"STRESS_NAME=" + name});
        }
        ++newStarted;
        return {"stress_worker",
                {"STRESS_CONNINFO=" + test::server().conninfo(), "STRESS_NAME=" + name,
                 "TSAN_OPTIONS=halt_on_error=1"}};
    }

    std::mt19937 random_;
    double share_ = 0;
    std::optional<Scheduler> feeder_;

  public:
    Stress stress;
};

}  // namespace

BOOST_AUTO_TEST_CASE(o43_o44_o45_a_rolling_update_loses_nothing_and_does_nothing_twice) {
    if (test::setting("STRESS_OLD_NODE").empty()) {
        std::cout << "rolling update: not run, as the history has no library of schema version 1\n";
        return;
    }
    const unsigned seed = drawSeed();
    BOOST_TEST_CONTEXT("STRESS_SEED=" << seed) {
        RollingUpdate update(seed);
        Stress& stress = update.stress;
        Operated operated(stress, seed, update.feed());
        operated.run(durationOf("32", 0.2), [&](double) { stress.trouble(); });

        std::atomic<bool> migrated{false};
        boost::thread migration([&] {
            update.migrateSchema();
            migrated = true;
        });
        while (!migrated)
            operated.run(std::chrono::milliseconds(500), [&](double) { stress.trouble(); });
        migration.join();
        BOOST_TEST(stress.sql()("select version from jtimer.meta") == "2");

        update.begin();
        operated.operate();
        operated.run(durationOf("32", 0.5), [&](double part) {
            update.setShareOfNew(shareOfNew(part));
            if (stress.below(2) == 0)
                stress.replace(stress.below(stress.names().size()));
            else
                stress.trouble();
        });
        const int oldNodes = update.oldStarted;
        update.setShareOfNew(1);
        for (std::size_t i = 0; i < stress.names().size(); ++i) stress.replace(i);
        const std::int64_t since = nowMicros();
        operated.run(durationOf("32", 0.3), [&](double) { stress.trouble(); });
        operated.finish();
        operated.judge(since);
        BOOST_TEST(update.oldStarted == oldNodes);
        BOOST_TEST_MESSAGE(oldNodes << " old nodes and " << update.newStarted << " new ones");
    }
}

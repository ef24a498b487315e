// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "ledger.hpp"
#include "player.hpp"
#include "report.hpp"
#include "session.hpp"
#include "trace.hpp"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <memory>
#include <utility>
#include <vector>

using jtimer::Date;

namespace {

/// The end of a dry run that begins at `start`.
Date endOfDryRun(const std::vector<Entry>& entries, const Options& options, Date start) {
    if (options.runFor) return start + *options.runFor;
    Date lastRun = start;
    for (const Entry& entry : entries) {
        if (entry.repeats()) return start + std::chrono::hours(24);
        lastRun = std::max(lastRun, entry.followsWallClock() ? entry.firstDate(start)
                                                             : start + entry.firstDelay());
    }
    return lastRun;
}

}  // namespace

// clang-tidy does not see that they are moved.
// NOLINTNEXTLINE(performance-unnecessary-value-param)
Result playDry(std::vector<Entry> entries, const Options& options, Report& report) {
    std::signal(SIGXFSZ, SIG_IGN);  // it would cut a trace in the middle of an event
    report.expect(entries);
    const auto clock = std::make_shared<jtimer::ManualClock>(jtimer::WallClock().now());
    const Date end = endOfDryRun(entries, options, clock->now());
    const std::unique_ptr<Trace> trace =
        makeTrace(options.trace, clock->now(),
                  [&report](const std::string& text) { report.notice(Level::Error, text); });
    Ledger ledger;
    Player* running = nullptr;
    Player::Actions actions;
    actions.launch = [&](const Job& job, const Player::Done& done) {
        report.wouldRun(job, clock->now());
        if (trace) trace->command(job, clock->now(), clock->now(), "");
        if (report.failing()) running->cancel();  // a dry run is useless without its output
        done(true);
    };
    actions.notify = [&report](Level level, const std::string& text) {
        report.notice(level, text);
    };
    Player player({clock, clock}, ledger, actions, {options.jobs, options.catchUp, options.grace});
    running = &player;
    player.start(std::move(entries));
    clock->advanceTo(end);
    player.finish();
    report.summary(clock->now(), ledger.records());
    if (trace) trace->finish();
    return {false, trace && trace->lostEvents() > 0};
}

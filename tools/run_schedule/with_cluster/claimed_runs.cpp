// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "claimed_runs.hpp"

#include "line_tasks.hpp"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <optional>
#include <stdexcept>
#include <utility>

using jtimer::Date;
using jtimer::cluster::Run;

namespace {

/// How often a run looks whether it still has its lease.
constexpr std::chrono::milliseconds kLease(100);

/// When the next run of the line is due.
Date nextAfter(const Job& job, Date begin) {
    const Entry& entry = *job.entry;
    if (!entry.repeats()) return Date::max();
    if (entry.kind == Entry::Kind::Cron) return entry.nextDate(job.date);
    return (entry.kind == Entry::Kind::Rate ? job.date : begin) + entry.period;
}

/// Another run begins in its place, here or elsewhere, which is due at the same time.
void giveBack(Run& run) { run.again(run.scheduledExecutionTime()); }

}  // namespace

/// The handler is called by threads of the node's Scheduler.
jtimer::cluster::Handler ClaimedRuns::handlerOf(std::shared_ptr<const Entry> entry,
                                                std::shared_future<bool> isPlayed) {
    std::mutex& command = commands_[entry->name];
    return [this, &command, entry = std::move(entry), isPlayed = std::move(isPlayed)](Run& run) {
        if (!isPlayed.get()) return giveBack(run);
        // A run that has lost its lease may still be ending, while this one is the same task's.
        const std::lock_guard lock(command);
        const Slot slot(slots_);
        if (!slot) return giveBack(run);  // the end has come
        run.checkLease();
        this->run(entry, run);
    };
}

void ClaimedRuns::run(const std::shared_ptr<const Entry>& entry, Run& run) {
    const auto late = clock_.now() - run.scheduledExecutionTime();
    const Job job{entry, std::max(std::chrono::nanoseconds(late), std::chrono::nanoseconds(0)),
                  run.attempt(), run.scheduledExecutionTime()};
    if (entry->startWithin && late > *entry->startWithin && run.attempt() == 1) {
        ledger_.runSkipped(entry->name);
        actions_.tell(skippedAsLate({entry, {}, job.date}, clock_.now()));
        if (!entry->repeats()) run.again(kDone);
        return;
    }
    ledger_.runBegun(job);
    const bool succeeded = runCommand(job, run);
    const bool failed = !succeeded && job.attempt > entry->retry.times;
    ledger_.runEnded(entry->name, !failed);  // this copy has no more to do with it
    if (failed) actions_.failed(job);
    if (!succeeded) throw std::runtime_error("the command failed");
    if (!entry->repeats()) run.again(kDone);
}

bool ClaimedRuns::runCommand(const Job& job, const Run& run) {
    std::promise<bool> ended;
    std::future<bool> succeeded = ended.get_future();
    actions_.launch(job, [&ended](bool result) { ended.set_value(result); });
    bool isSignalled = false, isOverrun = false;
    const Date begin = clock_.now(), next = nextAfter(job, begin);
    while (succeeded.wait_for(kLease) != std::future_status::ready) {
        if (clock_.now() >= next && !std::exchange(isOverrun, true)) {
            ledger_.runOverran(job.entry->name);
            Event event = eventOf(Event::Kind::Overrun, job, clock_.now());
            event.duration = event.time - begin;
            actions_.tell(event);
        }
        // Another node may begin the task now.
        if (run.leaseLost() && !std::exchange(isSignalled, true)) {
            actions_.notify(Level::Warning,
                            "the lease is lost: " + job.entry->name + " receives SIGTERM");
            actions_.signal(job.entry->name, SIGTERM);
        }
    }
    return succeeded.get();
}

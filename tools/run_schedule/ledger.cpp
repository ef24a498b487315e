// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "ledger.hpp"

#include <algorithm>
#include <cstddef>

template <class Change>
void Ledger::change(const std::string& name, Change change) {
    const std::lock_guard lock(mutex_);
    ++version_;
    change(records_[indexes_.at(name)]);
}

void Ledger::add(const std::string& name) {
    const std::lock_guard lock(mutex_);
    if (!indexes_.emplace(name, records_.size()).second) return;
    ++version_;
    records_.emplace_back().name = name;
}

void Ledger::isDue(const std::string& name, std::optional<jtimer::Date> next) {
    change(name, [&](Record& record) { record.next = next; });
}

void Ledger::isDead(const std::string& name, bool dead) {
    change(name, [&](Record& record) { record.isDead = dead; });
}

void Ledger::runBegun(const Job& job) {
    change(job.entry->name, [&](Record& record) {
        record.inProgress = true;
        if (job.attempt > 1) {
            ++record.retries;
            return;
        }
        record.lateness.add(job.lateness);
        record.latenessSum += job.lateness;
    });
}

void Ledger::runEnded(const std::string& name, bool succeeded) {
    change(name, [&](Record& record) {
        record.inProgress = false;
        if (!succeeded) ++record.failures;
    });
}

void Ledger::runSkipped(const std::string& name) {
    change(name, [](Record& record) { ++record.skipped; });
}

void Ledger::runOverran(const std::string& name) {
    change(name, [](Record& record) { ++record.overruns; });
}

void Ledger::commandTimedOut(const std::string& name) {
    change(name, [](Record& record) { ++record.timeouts; });
}

void Ledger::commandBegun(const std::string& name, jtimer::Date now) {
    change(name, [&](Record& record) { record.runningSince = now; });
}

void Ledger::commandEnded(const std::string& name, jtimer::Date now, std::chrono::nanoseconds took,
                          bool succeeded) {
    change(name, [&](Record& record) {
        record.runningSince.reset();
        ++record.commands;
        record.commandTime += took;
        record.hasFailed = !succeeded;
        (succeeded ? record.lastSuccess : record.lastFailure) = now;
    });
}

std::vector<Record> Ledger::records() const {
    const std::lock_guard lock(mutex_);
    return records_;
}

bool Ledger::hasFailures() const {
    const std::lock_guard lock(mutex_);
    return std::any_of(records_.begin(), records_.end(),
                       [](const Record& record) { return record.failures > 0 || record.isDead; });
}

std::uint64_t Ledger::version() const {
    const std::lock_guard lock(mutex_);
    return version_;
}

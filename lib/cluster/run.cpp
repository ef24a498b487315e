// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include <jtimer/cluster/run.hpp>

#include "cluster/checks.hpp"
#include "cluster/micros.hpp"
#include "cluster/pending_end.hpp"
#include "cluster/run_state.hpp"
#include "cluster/store.hpp"

#include <jtimer/cluster/exceptions.hpp>
#include <jtimer/exceptions.hpp>

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

namespace jtimer::cluster {

namespace {

[[noreturn]] void throwLeaseLost(const detail::ClaimedTask& task) {
    throw LeaseLostException("The lease of task \"" + task.name + "\" \"" + task.id +
                             "\" is lost.");
}

}  // namespace

const std::string& Run::name() const noexcept { return state_.task().name; }
const std::string& Run::id() const noexcept { return state_.task().id; }
const std::string& Run::payload() const noexcept { return state_.task().payload; }
Date Run::scheduledExecutionTime() const noexcept { return detail::toDate(state_.task().due); }
int Run::attempt() const noexcept { return state_.task().attempt; }
std::int64_t Run::fencingToken() const noexcept { return state_.task().token; }
std::uint64_t Run::missedRuns() const noexcept { return state_.task().missedRuns; }
bool Run::leaseLost() const noexcept { return state_.lost(); }

void Run::checkLease() const {
    if (leaseLost()) throwLeaseLost(state_.task());
}

bool Run::stopRequested() const noexcept {
    return state_.stopping_.load(std::memory_order_relaxed) || timedOut();
}

bool Run::timedOut() const noexcept { return state_.limit_.exceeded(); }
std::optional<TimeSpan> Run::timeLeft() const noexcept { return state_.limit_.left(); }

void Run::setPayload(std::string payload) {
    detail::checkPayload(payload);
    state_.requireNotCompleted();
    state_.payload_ = std::move(payload);
}

void Run::again(When when) {
    detail::checkWhen(when);
    state_.requireNotCompleted();
    state_.again_ = when;
}

void Run::complete(pg_conn* transaction) {
    if (transaction == nullptr) throw NullPointerException("transaction cannot be null");
    state_.requireNotCompleted();
    detail::Store store(state_.environment_.options, transaction);
    detail::PendingEnd end = state_.success();
    state_.completedIn_ =
        store.writeEndIn(end, state_.environment_.history.load(std::memory_order_relaxed));
    if (!state_.completedIn_.has_value()) throwLeaseLost(state_.task());
    state_.nextDue_ = end.nextDue;
}

}  // namespace jtimer::cluster

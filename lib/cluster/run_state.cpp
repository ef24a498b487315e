// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "cluster/run_state.hpp"

#include "cluster/backoff.hpp"
#include "cluster/checks.hpp"
#include "cluster/micros.hpp"
#include "cluster/reports.hpp"
#include "cluster/scheduler_state.hpp"

#include <jtimer/cluster/exceptions.hpp>
#include <jtimer/exceptions.hpp>

#include <cstdint>
#include <exception>
#include <utility>

namespace jtimer::cluster::detail {

namespace {

int maxAttemptsOf(const TaskOptions& options, const ClaimedTask& task) {
    if (options.delivery == Delivery::AtMostOnce) return 1;
    return options.maxAttempts.value_or(task.recurrence.repeats() ? 1 : 20);
}

/// Why a task is refused. No process is known to have died with one whose node's row was deleted.
std::string causeOf(int crashes) {
    if (crashes == 0) return "how its last run ended is not known";
    return "its process died " + (crashes == 1 ? "once" : std::to_string(crashes) + " times");
}

}  // namespace

RunState::RunState(Engine& engine, ClaimedTask task, std::shared_ptr<const Lease> lease)
    : engine_(engine), task_(std::make_shared<const ClaimedTask>(std::move(task))),
      registered_(engine.registry.at(task_->name)), lease_(std::move(lease)) {}

std::optional<End> RunState::refusal() const {
    const TaskOptions& options = registered_.options;
    const int crashes = task_->crashes;
    const bool tooMany = crashes >= options.maxCrashes;
    if (!tooMany && (options.delivery == Delivery::AtLeastOnce || task_->attempt == 1)) return {};
    End refusal = makeEnd(tooMany && !goesOn() ? End::Kind::Dead : givingUp(), causeOf(crashes));
    refusal.ran = false;
    return refusal;
}

bool RunState::goesOn() const {
    return registered_.options.goesOnAfterCrashes && task_->recurrence.repeats();
}

/// Crashes are counted for one period only if the task goes on after them.
End::Kind RunState::givingUp() const { return goesOn() ? End::Kind::GoOn : End::Kind::GiveUp; }

End RunState::makeEnd(End::Kind kind, const std::string& error) const {
    End end;
    end.task = task_;
    end.kind = kind;
    end.payload = payload_;
    end.error = error;
    return end;
}

End RunState::success() const {
    End success = makeEnd(End::Kind::Success, {});
    success.again = again_;
    return success;
}

End RunState::failure(const std::string& error) const {
    const TaskOptions& options = registered_.options;
    if (task_->attempt >= maxAttemptsOf(options, *task_)) return makeEnd(givingUp(), error);
    End failure = makeEnd(End::Kind::Retry, error);
    failure.delay = retryDelay(toMicros(options.firstBackoff), toMicros(options.maxBackoff),
                               task_->attempt, randomFraction());
    return failure;
}

End RunState::execute() {
    std::exception_ptr thrown;
    try {
        Run run(*this);
        registered_.handler(run);
    } catch (...) {
        thrown = std::current_exception();
        // The unwinding by pthread_exit is no exception, and must go on.
        if (thrown == nullptr) throw;
    }
    if (thrown == nullptr && !completedIn_.has_value()) return success();
    End end = failure(thrown == nullptr ? "The transaction of complete() was not committed."
                                        : messageOf(thrown));
    end.completedIn = completedIn_;
    if (thrown != nullptr) {
        report(engine_.options, thrown);
        end.reported = true;
    }
    return end;
}

void RunState::requireNotCompleted() const {
    if (completedIn_.has_value()) throw IllegalStateException("The run is completed.");
}

}  // namespace jtimer::cluster::detail

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
bool Run::leaseLost() const noexcept { return state_.lease_->lost(); }

void Run::checkLease() const {
    if (leaseLost()) throwLeaseLost(state_.task());
}

bool Run::stopRequested() const noexcept { return state_.engine_.dispatcher.isStopping(); }

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
    detail::Store store(state_.engine_.options, transaction);
    state_.completedIn_ = store.writeEndIn(state_.success());
    if (!state_.completedIn_.has_value()) throwLeaseLost(state_.task());
}

}  // namespace jtimer::cluster

// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "cluster/run_state.hpp"

#include "cluster/backoff.hpp"
#include "cluster/checks.hpp"
#include "cluster/micros.hpp"
#include "cluster/reports.hpp"

#include <jtimer/cluster/exceptions.hpp>
#include <jtimer/exceptions.hpp>

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

RunState::RunState(ClaimedTask task, const Registered& registered,
                   std::shared_ptr<const Lease> lease, const Options& options,
                   const std::atomic<bool>& stopping)
    : task_(std::make_shared<const ClaimedTask>(std::move(task))), registered_(registered),
      lease_(std::move(lease)), options_(options), stopping_(stopping) {}

std::optional<Ending> RunState::refusal() const {
    const TaskOptions& options = registered_.options;
    const int crashes = task_->crashes;
    const bool tooMany = crashes >= options.maxCrashes;
    if (!tooMany && (options.delivery == Delivery::AtLeastOnce || task_->attempt == 1)) return {};
    End end;
    end.kind = tooMany ? End::Kind::Dead : End::Kind::GiveUp;
    end.error = causeOf(crashes);
    Ending result = ending(std::move(end));
    result.ran = false;
    return result;
}

Ending RunState::ending(End end) const {
    end.task = task_;
    end.payload = payload_;
    Ending result;
    result.end = std::move(end);
    return result;
}

Ending RunState::failure(const std::string& error) const {
    const TaskOptions& options = registered_.options;
    End end;
    end.error = error;
    if (task_->attempt >= maxAttemptsOf(options, *task_)) {
        end.kind = End::Kind::GiveUp;
    } else {
        end.kind = End::Kind::Retry;
        end.delay = retryDelay(toMicros(options.firstBackoff), toMicros(options.maxBackoff),
                               task_->attempt, randomFraction());
    }
    return ending(std::move(end));
}

Ending RunState::execute() {
    std::exception_ptr thrown;
    try {
        Run run(*this);
        registered_.handler(run);
    } catch (...) {
        thrown = std::current_exception();
        // The unwinding by pthread_exit is no exception, and must go on.
        if (thrown == nullptr) throw;
    }
    if (thrown == nullptr && !completedIn_.has_value()) {
        End end;
        end.again = again_;
        return ending(std::move(end));
    }
    Ending result = failure(thrown == nullptr ? "The transaction of complete() was not committed."
                                              : messageOf(thrown));
    result.completedIn = completedIn_;
    if (thrown != nullptr) {
        report(options_, thrown);
        result.reported = true;
    }
    return result;
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

bool Run::stopRequested() const noexcept {
    return state_.stopping_.load(std::memory_order_relaxed);
}

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
    detail::End end;
    end.task = state_.task_;
    end.again = state_.again_;
    end.payload = state_.payload_;
    state_.completedIn_ = detail::Store(state_.options_, transaction).writeEndIn(end);
    if (!state_.completedIn_.has_value()) throwLeaseLost(state_.task());
}

}  // namespace jtimer::cluster

// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "cluster/run_state.hpp"

#include "cluster/backoff.hpp"
#include "cluster/micros.hpp"
#include "cluster/reports.hpp"

#include <jtimer/cluster/exceptions.hpp>
#include <jtimer/exceptions.hpp>

#include <chrono>
#include <exception>
#include <stdexcept>
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

RunState::RunState(const Environment& environment, const std::atomic<bool>& stopping,
                   ClaimedTask task, std::shared_ptr<const Lease> lease)
    : environment_(environment), stopping_(stopping),
      task_(std::make_shared<const ClaimedTask>(std::move(task))),
      registered_(environment.registry.at(task_->name)), lease_(std::move(lease)),
      limit_(registered_.options, environment.clock) {}

std::optional<PendingEnd> RunState::refusal() const {
    const TaskOptions& options = registered_.options;
    const int crashes = task_->crashes;
    const bool tooMany = crashes >= options.maxCrashes;
    if (!tooMany && (options.delivery == Delivery::AtLeastOnce || task_->attempt == 1)) return {};
    PendingEnd refusal =
        makeEnd(tooMany && !goesOn() ? End::Kind::Dead : givingUp(), causeOf(crashes));
    refusal.ran = false;
    refusal.duration = {};
    return refusal;
}

bool RunState::goesOn() const {
    return registered_.options.goesOnAfterCrashes && task_->recurrence.repeats();
}

/// Crashes are counted for one period only if the task goes on after them.
End::Kind RunState::givingUp() const { return goesOn() ? End::Kind::GoOn : End::Kind::GiveUp; }

PendingEnd RunState::makeEnd(End::Kind kind, const std::string& error) const {
    PendingEnd end;
    end.task = task_;
    end.kind = kind;
    end.error = error;
    end.duration = std::chrono::nanoseconds(environment_.clock->nanos() - limit_.begunAt());
    return end;
}

PendingEnd RunState::success() const {
    PendingEnd success = makeEnd(End::Kind::Success, {});
    success.again = again_;
    success.payload = payload_;
    return success;
}

PendingEnd RunState::failure(const std::string& error) const {
    const TaskOptions& options = registered_.options;
    if (task_->attempt >= maxAttemptsOf(options, *task_)) return makeEnd(givingUp(), error);
    PendingEnd failure = makeEnd(End::Kind::Retry, error);
    failure.delay = retryDelay(toMicros(options.firstBackoff), toMicros(options.maxBackoff),
                               task_->attempt, randomFraction());
    return failure;
}

/// A second call must not run the handler: it may have called complete().
void RunState::callHandler() {
    Run run(*this);
    const auto& around = environment_.options.around;
    if (!around) return registered_.handler(run);
    int calls = 0;
    around(run, [&] {
        if (++calls > 1) throw IllegalStateException("The handler has been called already.");
        registered_.handler(run);
    });
    if (calls == 0) throw std::runtime_error("Options::around did not call the handler.");
    if (calls > 1) throw std::runtime_error("Options::around called the handler more than once.");
}

PendingEnd RunState::execute() {
    std::exception_ptr thrown;
    try {
        callHandler();
    } catch (...) {
        thrown = std::current_exception();
        // The unwinding by pthread_exit is no exception, and must go on.
        if (thrown == nullptr) throw;
    }
    const Return how = returned();
    const bool completed = completedIn_.has_value();
    if (thrown == nullptr && !completed && !how.late) return success();
    std::string cause = completed ? "The transaction of complete() was not committed." : "";
    if (thrown != nullptr) cause = messageOf(thrown);
    PendingEnd end = failure(errorOf(cause, how));
    end.payload = payload_;
    end.completedIn = completedIn_;
    end.nextDue = nextDue_;
    // A failure that has been abandoned was reported then.
    if (thrown == nullptr && !completed && !how.abandoned)
        thrown = std::make_exception_ptr(std::runtime_error(end.error));
    if (thrown != nullptr) {
        report(environment_.options, thrown);
        end.reported = true;
    }
    return end;
}

PendingEnd RunState::fail(const std::string& error) {
    PendingEnd end = failure(errorOf(error, returned()));
    end.payload = payload_;
    return end;
}

RunState::Return RunState::returned() {
    Return how;
    how.late = limit_.exceeded();
    how.abandoned = ended_.exchange(true);
    if (how.late && !how.abandoned) environment_.counters.add(&Stats::timedOut);
    return how;
}

std::string RunState::errorOf(const std::string& cause, Return how) const {
    if (!how.late) return cause;
    return toMessage(limit_.message() + (cause.empty() ? "" : " ") + cause);
}

std::optional<PendingEnd> RunState::abandon() {
    if (!limit_.graceOver() || ended_.exchange(true)) return {};
    environment_.counters.add(&Stats::timedOut);
    environment_.counters.add(&Stats::abandoned);
    PendingEnd abandoned = failure(limit_.message() + " It was abandoned.");
    abandoned.abandoned = true;
    return abandoned;
}

void RunState::requireNotCompleted() const {
    if (completedIn_.has_value()) throw IllegalStateException("The run is completed.");
}

}  // namespace jtimer::cluster::detail

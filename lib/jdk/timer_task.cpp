// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include <jtimer/timer_task.hpp>

#include <algorithm>

namespace jtimer {

TimerTask::~TimerTask() = default;

// Every change of state is one read-modify-write on status_, so the changes of one task have a
// single order, and for a one-shot either this exchange finds Scheduled or the thread's move to
// Executed does: never both (J47). Acquire and release make what was done before a cancel visible
// to the thread that drops the task, as a lock would.
bool TimerTask::cancel() {
    const auto cancelled = static_cast<std::int64_t>(State::Cancelled);
    const std::int64_t before = status_.exchange(cancelled, std::memory_order_acq_rel);
    return static_cast<State>(before & kStateMask) == State::Scheduled;
}

std::int64_t TimerTask::scheduledExecutionTime() const {
    return scheduledExecutionTime_.load(std::memory_order_relaxed);
}

bool TimerTask::startSchedule(std::int64_t period) noexcept {
    const std::int64_t kept = std::clamp(period, -kEndlessPeriod, kEndlessPeriod);
    auto from = static_cast<std::int64_t>(State::Virgin);
    const auto to = kept * (kStateMask + 1) + static_cast<std::int64_t>(State::Scheduled);
    return status_.compare_exchange_strong(from, to, std::memory_order_acq_rel,
                                           std::memory_order_acquire);
}

bool TimerTask::startOnlyRun() noexcept {
    auto from = static_cast<std::int64_t>(State::Scheduled);
    return status_.compare_exchange_strong(from, static_cast<std::int64_t>(State::Executed),
                                           std::memory_order_acq_rel, std::memory_order_acquire);
}

}  // namespace jtimer

// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include <jtimer/timer_task.hpp>

namespace jtimer {

TimerTask::TimerTask() noexcept = default;
TimerTask::~TimerTask() = default;

// Every change of state is one read-modify-write on state_, so the changes of one task have a
// single order, and for a one-shot either this exchange finds Scheduled or the thread's move to
// Executed does: never both (J47). Acquire and release make what was done before a cancel visible
// to the thread that drops the task, as a lock would.
bool TimerTask::cancel() {
    return state_.exchange(State::Cancelled, std::memory_order_acq_rel) == State::Scheduled;
}

std::int64_t TimerTask::scheduledExecutionTime() const {
    return scheduledExecutionTime_.load(std::memory_order_relaxed);
}

bool TimerTask::moveState(State from, State to) noexcept {
    return state_.compare_exchange_strong(from, to, std::memory_order_acq_rel,
                                          std::memory_order_acquire);
}

bool TimerTask::isCancelled() const noexcept {
    return state_.load(std::memory_order_acquire) == State::Cancelled;
}

}  // namespace jtimer

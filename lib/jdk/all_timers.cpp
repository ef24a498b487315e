// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "jdk/all_timers.hpp"

#include "jdk/timer_impl.hpp"
#include "sync/never_destroyed.hpp"
#include "sync/process_mutex.hpp"

#include <utility>

namespace jtimer::detail {

namespace {

struct All {
    All() noexcept = default;  // the list's constructor does not throw, but does not say so

    ProcessMutex mutex;
    IntrusiveList<TimerImpl> timers JTIMER_GUARDED_BY(mutex);
};

/// Never destroyed: a static Timer may be made before other static objects, and destroyed after
/// them.
All& all() noexcept {
    static NeverDestroyed<All> all;
    return all.get();
}

}  // namespace

void AllTimers::add(TimerImpl& timer) noexcept {
    const Guard lock(all().mutex);
    all().timers.push_back(timer);
}

void AllTimers::remove(TimerImpl& timer) noexcept {
    const Guard lock(all().mutex);
    if (timer.is_linked()) timer.unlink();
}

/// A timer in the list is safe to use: it leaves the list before any part of it is destroyed, and
/// needs the mutex to do so. But its last reference may already be gone; then it runs nothing.
std::shared_ptr<TimerImpl> AllTimers::runnerOf(const TimerTask& task) {
    const Guard lock(all().mutex);
    for (TimerImpl& each : all().timers) {
        if (each.isRunningElsewhere(task)) return each.weak_from_this().lock();
    }
    return nullptr;
}

std::shared_ptr<TimerTask> AllTimers::taskOfEndedCancelled(const TimerImpl* timer, TimerTask& task,
                                                           TaskLink& link) {
    const Guard lock(all().mutex);
    for (TimerImpl& each : all().timers) {
        if (&each == timer) return each.taskCancelled(task, link);
    }
    return std::move(link.removed);
}

}  // namespace jtimer::detail

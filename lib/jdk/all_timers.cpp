// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "jdk/all_timers.hpp"

#include "base/never_destroyed.hpp"
#include "base/process_mutex.hpp"
#include "jdk/timer_thread.hpp"

namespace jtimer::detail {

namespace {

struct All {
    ProcessMutex mutex;
    IntrusiveList<AmongAllTimers> timers;  // guarded by mutex
};

/// A static Timer may be made early, and go when other static objects are gone.
All& all() noexcept {
    static NeverDestroyed<All> all;
    return all.get();
}

}  // namespace

void AmongAllTimers::joinAllTimers() noexcept {
    const Lock lock(all().mutex);
    all().timers.pushBack(*this);
}

void AmongAllTimers::leaveAllTimers() noexcept {
    const Lock lock(all().mutex);
    if (isLinked()) unlink();
}

/// A timer in the list can be asked: it leaves the list before anything of it is destroyed, and
/// for that needs the mutex. But it may be past its last reference, and then it runs nothing.
std::shared_ptr<TimerThread> AmongAllTimers::runnerOf(const TimerTask& task) {
    const Lock lock(all().mutex);
    auto& timers = all().timers;
    for (AmongAllTimers* each = timers.front(); each != nullptr; each = timers.next(*each)) {
        auto& timer = static_cast<TimerThread&>(*each);
        if (timer.isRunningElsewhere(task)) return timer.weak_from_this().lock();
    }
    return nullptr;
}

std::shared_ptr<TimerTask> AmongAllTimers::taskOfEndedCancelled(const AmongAllTimers* timer,
                                                                TimerTask& task, TaskLink& link) {
    const Lock lock(all().mutex);
    auto& timers = all().timers;
    AmongAllTimers* each = timers.front();
    while (each != nullptr && each != timer) each = timers.next(*each);
    if (each != nullptr) return static_cast<TimerThread*>(each)->taskCancelled(task, link);
    return std::move(link.removed);
}

}  // namespace jtimer::detail

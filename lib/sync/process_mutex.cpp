// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "sync/process_mutex.hpp"

#include "sync/at_load.hpp"
#include "sync/never_destroyed.hpp"
#include "sync/process.hpp"

#include <utility>

namespace jtimer::detail {

namespace {

/// The calling thread is inside fork() and holds all ProcessMutexes.
thread_local bool isForking = false;

}  // namespace

struct ProcessMutex::All {
    Mutex mutex;
    ProcessMutex* last = nullptr;           // guarded by mutex, as are its links
    ProcessId process = idOfThisProcess();  // changes in a forked child while it has one thread

    /// If the system has no memory to register the handlers, forks work as without this class.
    All() noexcept { atFork(take, release, release); }

    [[JTIMER_AT_LOAD]] static void prepare() noexcept { all(); }

    static void take() {
        all().mutex.lock();
        for (ProcessMutex* each = all().last; each != nullptr; each = each->next_) each->lock();
        isForking = true;
    }

    static void release() {
        const bool isNewChild =
            std::exchange(all().process, idOfThisProcess()) != idOfThisProcess();
        if (isNewChild) forgetWaiters();
        // A child unlocks them even if they were released before the fork: other threads may have
        // locked them since.
        if (!std::exchange(isForking, false) && !isNewChild) return;
        for (ProcessMutex* each = all().last; each != nullptr; each = each->next_) each->unlock();
        all().mutex.unlock();
    }
};

ProcessMutex::All& ProcessMutex::all() noexcept {
    static NeverDestroyed<All> all;
    return all.get();
}

ProcessMutex::ProcessMutex() noexcept {
    const Lock lock(all().mutex);
    next_ = std::exchange(all().last, this);
}

void ProcessMutex::endOwnFork() noexcept {
    if (isForking) All::release();
}

}  // namespace jtimer::detail

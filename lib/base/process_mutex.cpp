// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "base/process_mutex.hpp"

#include <new>
#include <pthread.h>
#include <utility>

namespace jtimer::detail {

struct ProcessMutex::All {
    Mutex mutex;
    ProcessMutex* last = nullptr;  // guarded by mutex, as the links from it

    /// If the system has no memory for it, a forked child is as it would be without it.
    All() noexcept {
        Mutex::surviveForks();  // first, so that fork() takes its locks last
        pthread_atfork(lockAll, unlockAll, unlockAll);
    }

    static void lockAll() {
        all().mutex.lock();
        for (ProcessMutex* each = all().last; each != nullptr; each = each->next_) each->lock();
    }
    static void unlockAll() {
        for (ProcessMutex* each = all().last; each != nullptr; each = each->next_) each->unlock();
        all().mutex.unlock();
    }
};

ProcessMutex::All& ProcessMutex::all() noexcept {
    alignas(All) static unsigned char storage[sizeof(All)];
    static All& all = *new (storage) All;
    return all;
}

ProcessMutex::ProcessMutex() noexcept {
    const Lock lock(all().mutex);
    next_ = std::exchange(all().last, this);
}

}  // namespace jtimer::detail

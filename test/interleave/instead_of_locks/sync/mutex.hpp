// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "interleave/engine/locks.hpp"
#include "sync/thread_annotations.hpp"

namespace jtimer::detail {

/// In place of lib/sync/mutex.hpp: each lock and release is one step.
class JTIMER_CAPABILITY("mutex") Mutex {
  public:
    Mutex() noexcept = default;
    Mutex(const Mutex&) = delete;
    Mutex& operator=(const Mutex&) = delete;

    void lock() { explore::lockMutex(this); }
    bool try_lock() noexcept { return explore::tryLockMutex(this); }
    void unlock() noexcept { explore::unlockMutex(this); }

    static void forgetWaiters() noexcept {}
};

}  // namespace jtimer::detail

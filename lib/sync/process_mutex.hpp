// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "sync/lock.hpp"

namespace jtimer::detail {

/// A mutex that guards state of the whole process and is never left locked in a forked child:
/// fork() locks all of them first, so in the child the state they guard is consistent.
///
/// A thread that locks it must hold no other lock of the library, and must not lock another
/// while it holds it. It must never be destroyed, so static objects can still use it after
/// others have been destroyed.
///
/// **Handlers of fork.** Programs have pthread_atfork handlers too, and these may use timers, or
/// lock a mutex under which the program uses timers elsewhere. So this class registers its
/// handlers when the library is loaded. Being the first, they run last before a fork and first
/// after it, so they hold no lock that another handler needs. But a program that loads the library
/// by dlopen may have registered its own handlers before. These then run while all of these
/// mutexes are locked. If one of them needs any, all of them are released; the child then is as it
/// would be without this class.
class ProcessMutex final : public Mutex {
  public:
    ProcessMutex() noexcept;

    /// If the calling thread is inside fork() and holds all ProcessMutexes, releases them, and
    /// in the child also discards the parent's waiters. To be called on finding a mutex locked,
    /// or with waiters.
    static void endOwnFork() noexcept;

  private:
    struct All;
    static All& all() noexcept;

    /// The ProcessMutex constructed before this one.
    ProcessMutex* next_ = nullptr;
};

}  // namespace jtimer::detail

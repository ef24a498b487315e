// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "sync/lock.hpp"

namespace jtimer::detail {

/// A mutex that guards something of the whole process, and that no forked child finds taken: fork()
/// takes all of them first, so that a child finds what they guard in order.
///
/// A thread takes it with no lock of the library held, and no second one with it. It must never be
/// destroyed, which suits what static objects may still be using when others are gone.
///
/// **Handlers of fork.** Programs have handlers of pthread_atfork too, and these may use timers, or
/// take a mutex under which they use timers elsewhere. So the handlers here are registered when the
/// library is loaded: as the first ones, they run last before a fork and first after it, and take
/// nothing that another handler needs. But a program may have registered its own before it loads
/// the library, by dlopen. Its handlers then run while all of these mutexes are taken. If one of
/// them needs any, it gets all of them released; what the child finds is then as it would be
/// without this class.
class ProcessMutex final : public Mutex {
  public:
    ProcessMutex() noexcept;

    /// If the calling thread is inside fork() and has taken all: releases them. In the child it
    /// also forgets who waits for mutexes. For whoever finds a mutex taken, or waiters.
    static void endOwnFork() noexcept;

  private:
    struct All;
    static All& all() noexcept;

    /// The one that was made before this one.
    ProcessMutex* next_ = nullptr;
};

}  // namespace jtimer::detail

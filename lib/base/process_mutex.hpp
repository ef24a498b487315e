// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "clock/waiter.hpp"

namespace jtimer::detail {

/// A mutex that guards something of the whole process, and that no forked child finds locked:
/// fork() takes all of them first, so that a child can still destroy what it has inherited.
///
/// A thread takes it with no lock of the library held, and no second one with it. It must never be
/// destroyed, which suits what static objects may still be using when others are gone.
class ProcessMutex final : public Mutex {
  public:
    ProcessMutex() noexcept;

  private:
    struct All;
    static All& all() noexcept;

    /// The one that was made before this one.
    ProcessMutex* next_ = nullptr;
};

}  // namespace jtimer::detail

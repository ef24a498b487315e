// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include <jtimer/detail/compiler.hpp>

namespace jtimer::detail {

/// Exists on the stack of each thread that the library starts, around all that the thread does.
/// When it is destroyed, the thread gives back the memory that it keeps for itself.
///
/// Other threads do so in the destructor of a thread_local object. To register that takes the lock
/// of the dynamic loader, which dlclose() holds while it destroys the static objects of a plug-in.
/// If one of them is a timer, its destructor joins the timer's thread, which must not wait for that
/// lock.
class OwnThreadEnd {
  public:
    JTIMER_API OwnThreadEnd() noexcept;
    OwnThreadEnd(const OwnThreadEnd&) = delete;
    OwnThreadEnd& operator=(const OwnThreadEnd&) = delete;
    JTIMER_API ~OwnThreadEnd();
};

}  // namespace jtimer::detail

// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include <functional>

namespace jtimer::tokio {

/// Says "poll again": what a poll that is not ready leaves behind. It may wake an event loop, queue
/// a task, resume a coroutine or signal a condition. An empty one means that there is none.
///
/// A Sleep or DelayQueue calls the waker of a poll at most once, and then destroys it; a Timeout
/// may call it more than once. Both happen with no lock held: a waker may destroy, move and reset
/// whatever it likes. Of its own driver, it cannot call TimeDriver::turn(), nor what would have to
/// wait for the turn that is calling it.
///
/// It runs on whichever thread makes something ready: the one that turns or shuts down the driver,
/// or a call of reset, insert, remove, clear or Completion::set. A call that has begun on one
/// thread may still be running when another has destroyed the Sleep, so a waker must own what it
/// touches. What it throws goes to the driver's uncaughtExceptionHandler, except from
/// Completion::set, which passes it on.
using Waker = std::function<void()>;

}  // namespace jtimer::tokio

// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include <functional>

namespace jtimer::tokio {

/// Says "poll again": the caller passes it to a poll, and it is called when the result may be
/// ready. It may wake an event loop, queue a task, resume a coroutine or signal a condition. An
/// empty Waker means none.
///
/// A Sleep or DelayQueue calls the waker of a poll at most once, and then destroys it; a Timeout
/// may call it more than once. Both happen with no lock held: a waker may destroy, move and reset
/// any object. On its own driver, it cannot call TimeDriver::turn(), or anything that would have to
/// wait for the turn that is calling it.
///
/// It runs on the thread that makes something ready: the thread that turns or shuts down the
/// driver, or that calls reset, insert, remove, clear or Completion::set. A call on one thread may
/// still be running when another thread has destroyed the Sleep, so a waker must own what it uses.
/// Exceptions from a waker go to the driver's uncaughtExceptionHandler; only Completion::set passes
/// them on.
using Waker = std::function<void()>;

}  // namespace jtimer::tokio

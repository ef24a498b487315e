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
/// Wakers run in the driver's turns, one at a time: on its own thread, or in TimeDriver::turn() of
/// a polled driver. TimeDriver::shutdown() and ~TimeDriver, after which no turn comes, call those
/// that are left, after the one that another thread is in. No other call of a driver, Sleep,
/// Interval or DelayQueue runs a waker, even if it makes something ready: it wakes the driver, and
/// the next turn calls the waker, even if a waker makes the call. So such a call may be made under
/// a lock that the waker takes. A Completion belongs to no driver, and calls the waker in set().
///
/// A call on one thread may still be running when another thread has destroyed the Sleep, so a
/// waker must own what it uses. A poll leaves at most one waker in its object. It is withdrawn, and
/// destroyed with what it captured, by a poll that leaves another one or is ready, by dropWaker(),
/// and at the end of the object. Withdrawing a waker does not wait for a call of it that has begun.
/// Exceptions from a waker go to the driver's uncaughtExceptionHandler; only Completion::set passes
/// them on.
using Waker = std::function<void()>;

}  // namespace jtimer::tokio

// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include <jtimer/detail/compiler.hpp>

#include <memory>

namespace jtimer::netty {

class Timeout;

/// A task that a HashedWheelTimer runs. Derive from it and override `run()`. A callable needs no
/// class of its own: `timer.newTimeout([] { ... }, 500)`.
///
/// A task has no state of its own. One object may serve any number of timeouts, one after another
/// or at once, on one or several timers; each Timeout decides on its own run. Two timers may call
/// the object at the same time.
class JTIMER_API TimerTask {
  public:
    virtual ~TimerTask();

    /// The work, called after the delay of the timeout: on the timer's worker thread, or wherever
    /// HashedWheelTimerOptions::executor runs it. No lock is held: it may call anything except
    /// HashedWheelTimer::stop on the worker. It should be short, because on the worker all other
    /// tasks wait for it.
    ///
    /// An exception that leaves it goes to the uncaughtExceptionHandler; the timer goes on.
    /// \param timeout the handle that newTimeout returned. To run again, pass the task on:
    ///   `timeout->timer()->newTimeout(timeout->task(), 100)`
    virtual void run(const std::shared_ptr<Timeout>& timeout) = 0;

    /// Called once for each cancelled timeout, instead of run(): always on the worker thread, at
    /// the end of the tick in which the worker learns of the cancellation, or during
    /// HashedWheelTimer::stop. It may call anything that run() may. By default it does nothing.
    virtual void cancelled(const std::shared_ptr<Timeout>& timeout);

  protected:
    TimerTask() = default;
    TimerTask(const TimerTask&) = default;             ///< a derived class may be copied
    TimerTask& operator=(const TimerTask&) = default;  ///< and assigned
};

}  // namespace jtimer::netty

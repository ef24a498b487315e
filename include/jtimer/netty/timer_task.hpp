// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include <jtimer/detail/export.hpp>

#include <memory>

namespace jtimer::netty {

class Timeout;

/// What a HashedWheelTimer runs: derive from it and write `run()`. A callable needs no class of its
/// own: `timer.newTimeout([] { ... }, 500)`.
///
/// A task has no state of its own. One object may be given to any number of timeouts, one after
/// another or at once, on one timer or several; whether it runs is up to each Timeout. Two timers
/// may then call it at the same time.
class JTIMER_API TimerTask {
  public:
    virtual ~TimerTask();

    /// The work, called after the delay of the timeout: on the timer's worker thread, or wherever
    /// HashedWheelTimerOptions::taskExecutor runs it. No lock is held: it may call everything but
    /// HashedWheelTimer::stop on the worker. It should be short, for on the worker everything else
    /// waits.
    ///
    /// An exception that leaves it goes to the uncaughtExceptionHandler; the timer goes on.
    /// \param timeout the handle that newTimeout has returned. To run again, pass the task on:
    ///   `timeout->timer()->newTimeout(timeout->task(), 100)`
    virtual void run(const std::shared_ptr<Timeout>& timeout) = 0;

    /// Called once for each timeout that is cancelled, instead of run(): always on the worker
    /// thread, at the end of the tick in which the worker learns of it, or in
    /// HashedWheelTimer::stop. It may call everything that run() may. By default it does nothing.
    virtual void cancelled(const std::shared_ptr<Timeout>& timeout);

  protected:
    TimerTask() = default;
    TimerTask(const TimerTask&) = default;             ///< a derived class may be copied
    TimerTask& operator=(const TimerTask&) = default;  ///< and assigned
};

}  // namespace jtimer::netty

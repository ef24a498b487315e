// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include <jtimer/clock.hpp>
#include <jtimer/executor.hpp>
#include <jtimer/time.hpp>
#include <jtimer/uncaught_exception_handler.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace jtimer::netty {

/// Construction options of a HashedWheelTimer. Every field has a default:
/// HashedWheelTimer(HashedWheelTimerOptions{}) is HashedWheelTimer(). `maxPending` and `executor`
/// can also be set by their names in Netty.
struct HashedWheelTimerOptions {
    /// The timer's name. The worker thread carries its first 15 bytes. The default is
    /// "HashedWheel-" and the next number in the process, from 0.
    std::optional<std::string> name;

    /// The source of the time. Null: a SteadyClock, which suits delays: setting any other clock
    /// makes them longer or shorter.
    std::shared_ptr<Clock> clock;

    /// The length of a tick. A timeout runs up to one tick later than its delay; the worker wakes
    /// up once a tick while a timeout is pending. 100 ms suits time-outs of seconds and minutes.
    /// Less than 1 ms becomes 1 ms, with a warning on std::cerr. 0 or less, or so long that a
    /// revolution of the wheel exceeds 64 bits of nanoseconds: the constructor throws
    /// IllegalArgumentException.
    TimeSpan tickDuration = 100;

    /// The number of slots of the wheel, rounded up to a power of two; a slot takes 16 bytes. A
    /// tick visits every timeout in its slot, due or not, so choose enough slots that few timeouts
    /// are more than a revolution away. 0 or less, or above 2^30: the constructor throws
    /// IllegalArgumentException.
    int ticksPerWheel = 512;

    /// Netty's name for maxPending; 0 or less: no limit.
    std::int64_t maxPendingTimeouts = 0;

    /// Netty's name for executor.
    Executor taskExecutor;

    /// Called with exceptions from run(), cancelled() and the executor. The timer goes on. Empty:
    /// the process's default, see setDefaultUncaughtExceptionHandler().
    UncaughtExceptionHandler uncaughtExceptionHandler;

    /// newTimeout throws RejectedExecutionException while this many timeouts are pending. 0: no
    /// limit. If maxPendingTimeouts is another limit, the constructor throws
    /// IllegalArgumentException.
    std::size_t maxPending = 0;

    /// Runs the tasks. Empty: they run on the worker, one at a time. Otherwise the worker hands
    /// over each run as it comes due, in order, with no lock held; it neither waits for the run nor
    /// shuts the executor down. The executor may call the function late, even after the timer has
    /// been destroyed. If the executor throws, that run is lost, and the uncaughtExceptionHandler
    /// is called. If taskExecutor is set too, the constructor throws IllegalArgumentException.
    Executor executor;

    /// Called on the worker before anything else, to set its priority, affinity or signal mask,
    /// which the processes that tasks start inherit. start(), or the first newTimeout, waits for
    /// it, and so does every other call of these two and of stop(). If it throws, that call throws
    /// the same exception; if it ends the thread by pthread_exit, the call throws
    /// IllegalStateException. In both cases the timer is as before: the next call starts it anew.
    /// It must not destroy the timer; in it, start(), newTimeout() and stop() throw
    /// IllegalStateException.
    std::function<void()> onThreadStart;
};

}  // namespace jtimer::netty

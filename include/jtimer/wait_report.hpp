// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include <jtimer/detail/compiler.hpp>

#include <functional>
#include <string>

/// \file
/// A call that waits for a run may never return: the run may be waiting for a lock that the caller
/// holds. So each call of the library that waits for the end of a run, and to which the caller
/// gives no limit, reports itself once when it has waited for five seconds, and waits on:
///
///     Timer "evictor": its destructor has waited five seconds for task "evict" to end its run. The
///     run may be waiting for a lock that this thread holds, or for this thread. After detach(),
///     the destructor does not wait.
///
/// These are the destructors of the timers and of the scoped handles, moves onto a scoped handle,
/// Timer's cancelAndWait(), netty's stop() and cancelAndWait(), brpc's stopAndJoin() and
/// unscheduleAndWait(), go's stopAndWait(), tokio's shutdown(), and the calls that move a
/// ManualClock. So do calls of tokio that block on a polled driver that no thread turns, and a
/// Timer's destructor that waits for a repeating task to be cancelled, or for the time of a
/// ManualClock that stands still. The five seconds are real time, whatever the clock of the timer;
/// while the process is stopped, at most one of them passes.

namespace jtimer {

/// Called with a report, one line without a newline, on the thread that waits, with no lock of the
/// library held. It may call anything. Exceptions that it throws are ignored; it must not end the
/// thread, nor return in a forked child.
using WaitReportHandler = std::function<void(const std::string& report)>;

/// Sets the handler of all reports of the process. An empty handler, which is the initial one,
/// prints the report to std::cerr. A program, or a test, that waits for long on purpose can set one
/// that does nothing: `[](const std::string&) {}`. May be called at any time from any thread; other
/// threads may still be inside the former handler afterwards.
/// \throws std::bad_alloc, with the handler unchanged
JTIMER_API void setWaitReportHandler(WaitReportHandler handler);

}  // namespace jtimer

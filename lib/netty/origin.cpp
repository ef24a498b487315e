// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "netty/origin.hpp"

#include "sync/reported_wait.hpp"
#include "sync/uninterruptible.hpp"
#include "thread/run_here.hpp"

namespace jtimer::netty::detail {

using jtimer::detail::Lock;
using jtimer::detail::RunHere;

/// A worker without an executor is inside the run of every timeout that is being run.
void Origin::awaitRunEnd(const Timeout& timeout) {
    if (process_ != jtimer::detail::numberOfThisProcess()) return;
    if (RunHere::isInside(&timeout) || RunHere::isInside(this)) return;
    const jtimer::detail::Uninterruptible uninterruptible;
    jtimer::detail::RunReport report(*title_, "cancelAndWait()", hasExecutor_);
    waiters_.fetch_add(1, std::memory_order_seq_cst);
    {
        Lock lock(mutex_);
        jtimer::detail::waitReported(report, runEnded_, lock,
                                     [&timeout] { return !Access::isRunning(timeout); });
    }
    waiters_.fetch_sub(1, std::memory_order_relaxed);
}

/// Locks the mutex, so that no thread is between its look at the timeout and its wait. In a forked
/// child that mutex may never be released, and no thread waits.
void Origin::notifyWaiters() noexcept {
    if (process_ != jtimer::detail::numberOfThisProcess()) return;
    const Lock lock(mutex_);
    runEnded_.notify_all();
}

}  // namespace jtimer::netty::detail

// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include <jtimer/detail/saturating.hpp>

#include <boost/thread/lock_types.hpp>
#include <boost/thread/mutex.hpp>
#include <boost/version.hpp>

#if BOOST_VERSION < 107400
#error "jtimer needs Boost 1.74 or newer"
#endif

namespace jtimer {

using detail::kNever;
using detail::Nanos;

using Mutex = boost::mutex;
/// Where a function takes a `Lock&`, its caller holds it.
using Lock = boost::unique_lock<Mutex>;

/// The half of a TimerThread's monitor that knows time: what its thread waits on, made by its
/// Clock. One thread waits at a time; any thread may notify.
class Condition {
  public:
    virtual ~Condition() = default;

    /// The waiting thread's first call, before it looks at anything.
    virtual void begin() {}

    /// Releases `monitor`, waits for a notification, at the longest until the clock shows
    /// `deadline` (kNever: without a limit), and takes `monitor` again. Returns at once if
    /// `deadline` has come. May return for no reason, as every condition may.
    virtual void waitUntil(Lock& monitor, Nanos deadline) = 0;

    /// Ends the wait that is going on. Whoever calls it has seen under the monitor that the thread
    /// waits; it may have released the monitor since, so that the woken thread need not wait for
    /// that as well. A notification that comes when nobody waits any more may be forgotten or end
    /// the next wait.
    virtual void notify() = 0;

    /// How long the thread may wait, to be spared notifications, after one that came too soon; see
    /// TimerThread::waitFor. 0: not at all, where somebody would see a wait that ends for no task.
    virtual Nanos settlingTime() const noexcept { return 0; }

    /// The waiting thread's last call: it waits no more.
    virtual void end() {}
};

}  // namespace jtimer

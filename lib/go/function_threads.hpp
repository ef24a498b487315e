// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "data/intrusive_list.hpp"
#include "go/function_cell.hpp"
#include "go/run_queue.hpp"
#include "thread/monitor.hpp"

#include <atomic>
#include <cstddef>
#include <memory>

namespace jtimer::go::detail {

using jtimer::detail::Condition;
using jtimer::detail::Monitor;

/// The threads that run timers' functions, each run on a thread of its own.
///
/// **A spare thread.** A function may block for ever, so while one runs another thread must be
/// free: idle, on its way to the queue, or being started. A thread takes a run only if another
/// thread is free; the last free thread first starts another. So to hand over a run, the poller
/// only puts it into the queue and wakes an idle thread: it starts no thread, which would delay
/// other timers. The first thread is started when a timer with a function is made.
///
/// **Few threads.** Functions that take microseconds need no more threads than processors. While
/// that many threads are busy, and threads return for further runs, the last free thread gives them
/// a millisecond before it starts another. If no thread returns, it starts one at once. So ten
/// thousand trivial functions take a handful of threads; ten thousand functions that wait for each
/// other get ten thousand threads, as fast as these can be started.
///
/// **No more threads.** If the system cannot create a thread, or onThreadStart fails on it, the
/// last free thread tries again every ten milliseconds, and the queue waits until it succeeds or a
/// busy thread returns. If no other thread is busy it runs the function itself. Then no thread is
/// free to try again, so the next hand-over of a run, or the next timer with a function, tries;
/// without any thread at all, the poller runs the function.
///
/// **On a ManualClock.** Each thread has its own Monitor, and waits there: while it is idle, and in
/// calls that block a function. So the clock sees it as busy from the moment it is woken until it
/// waits again; and as long as there are runs in the queue a free thread does not wait, unless the
/// system can create no more threads.
///
/// **The end.** A surplus thread is detached, so that no thread waits for the destructors of its
/// thread_local objects, which are user objects and may wait for a timer. ~Timers joins the
/// threads that still exist: as they end they add themselves to `ended_`, and it joins them one
/// by one until none is left. On a function thread or the poller it does not wait, and all threads
/// are detached.
class FunctionThreads {
  public:
    explicit FunctionThreads(Runtime& runtime);
    ~FunctionThreads();

    /// To be called before a function is scheduled: starts a thread if none is free. Does nothing
    /// if the system cannot create one.
    void prepare() noexcept {
        if (free_.load(std::memory_order_relaxed) == 0) startFirst();
    }

    /// Called by the poller.
    void handOver(Run run);

    /// From now on threads end when there is nothing to run. \param report of the call that waits
    /// for the end of all threads; null: it does not wait
    void stop(WaitReport* report) noexcept;

    /// The calling thread's monitor if it is a function thread; else null.
    static std::shared_ptr<Monitor> monitorOfThisThread();

  private:
    class Thread;

    void startFirst() noexcept;
    bool start(Lock& lock) noexcept;
    Run nextRun(Thread& thread, bool first);
    void awaitChange(Lock& lock, Nanos longest);
    void changed(Lock& lock) noexcept;
    void awaitRun(Lock& lock, Thread& thread, bool isForRetry);
    Run take(Lock& lock) noexcept;
    void wakeIdle(Lock& lock) noexcept;
    void leave(Thread& thread, bool unwound) noexcept;

    Runtime& runtime_;

    Mutex mutex_;
    /// The mutex guards all members below. The first is also read without it, as a hint.
    std::atomic<std::size_t> free_{0};
    std::size_t busy_ = 0;     ///< threads that run a function
    std::size_t threads_ = 0;  ///< busy threads, free threads, and threads that are about to leave
    RunQueue queue_;
    /// The thread that was busy last comes first; a thread that has not run anything comes last.
    jtimer::detail::IntrusiveList<Thread> idle_;
    /// Since a thread was last started, or the queue was last empty, a busy thread has returned for
    /// another run.
    bool progress_ = false;
    bool stopped_ = false;
    bool join_ = false;
    jtimer::detail::IntrusiveList<Thread> ended_;  ///< to be joined by stop()
    /// Notified when the queue becomes empty or a thread has ended. stop() waits for it, and so
    /// does a thread that gives the others time.
    Condition changed_;
    int waiting_ = 0;  ///< threads that wait for changed_
};

}  // namespace jtimer::go::detail

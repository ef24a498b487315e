// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "data/intrusive_list.hpp"
#include "go/cell.hpp"
#include "go/run_queue.hpp"
#include "thread/monitor.hpp"

#include <jtimer/clock.hpp>

#include <atomic>
#include <cstddef>
#include <memory>

namespace jtimer::go::detail {

using jtimer::detail::Condition;
using jtimer::detail::Monitor;

/// The threads on which timers' functions run, each run on a thread of its own.
///
/// **A spare thread.** A function may block for ever, so while one runs another thread must be
/// free: idle, on its way to the queue, or being started. A thread takes a run only if another one
/// is free; the last free one starts another before that. So the poller, to hand over a run, puts
/// it into the queue and wakes an idle thread: it starts none, and other timers do not wait for
/// that. The first is started by whoever makes a timer with a function.
///
/// **Few threads.** Functions that take microseconds need no more threads than processors. While as
/// many are busy, and threads come back for more than one run each, the last free one gives them a
/// millisecond before it starts another. If none comes back, it starts one at once. So ten thousand
/// trivial functions take a handful of threads; ten thousand that wait for each other get as many,
/// as fast as they can be started.
///
/// **No more threads.** If the system gives none, the last free thread tries again every ten
/// milliseconds, and the queue waits for it or for a busy thread to come back. If no other one is
/// busy it runs the function itself. Then nobody is free to try, so whoever hands over a run or
/// makes a timer does; without any thread at all, the poller runs the function.
///
/// **On a ManualClock.** Each thread has a Monitor of its own, and waits there: while it is idle,
/// and in calls that block a function. So the clock sees it as busy from the moment it is woken
/// until it waits again; and as long as there are runs in the queue a free thread does not wait,
/// unless the system gives no more of them.
///
/// **The end.** A surplus thread is let go, so that nobody waits for the destructors of its
/// thread_local objects, which are the user's, and may wait for a timer. ~Timers joins those that
/// are there then: they end, hand themselves over in `ended_`, and are joined one by one until
/// there are no more. On a room thread or the poller it waits for nobody, and they are all let go.
class RoomThreads {
  public:
    explicit RoomThreads(Runtime& runtime) noexcept;
    ~RoomThreads();

    /// Before the first function of many can run. Does nothing if the system gives no thread.
    void prepare() noexcept {
        if (free_.load(std::memory_order_relaxed) == 0) startFirst();
    }

    /// For the poller.
    void handOver(Run run);

    /// Threads end when there is nothing to run. \param join whether finish() will be called
    void stop(bool join) noexcept;
    /// Waits for the end of all threads.
    void finish() noexcept;

    /// Whether the calling thread is one of these.
    bool isCurrent() const noexcept;
    /// The monitor of the calling thread, if it is one of some runtime on this clock; else null.
    static std::shared_ptr<Monitor> monitorOfThisThread(const Clock& clock);

  private:
    class Thread;

    void startFirst() noexcept;
    bool start(Lock& lock) noexcept;
    void work(Thread& thread);
    Run nextRun(Thread& thread, bool first);
    void awaitChange(Lock& lock, Nanos longest);
    void changed(Lock& lock) noexcept;
    void awaitRun(Lock& lock, Thread& thread, bool isForRetry);
    Run take(Lock& lock) noexcept;
    void wakeIdle(Lock& lock) noexcept;
    void leave(Thread& thread, bool unwound) noexcept;

    Runtime& runtime_;

    Mutex mutex_;
    /// All below are guarded by it. The first is also read without it, as a hint.
    std::atomic<std::size_t> free_{0};
    std::size_t busy_ = 0;     ///< threads that run a function
    std::size_t threads_ = 0;  ///< those and the free ones, and those that are about to leave
    RunQueue queue_;
    /// The one that was busy last comes first, one that has not run anything comes last.
    jtimer::detail::IntrusiveList<Thread> idle_;
    std::size_t idleCount_ = 0;
    /// Since a thread was started, or since the queue was empty, another has come back for more.
    bool progress_ = false;
    bool stopped_ = false;
    bool join_ = false;
    jtimer::detail::IntrusiveList<Thread> ended_;  ///< to be joined by finish()
    /// For finish(), and for a thread that waits for the others: they have emptied the queue, or
    /// one of them has ended.
    Condition changed_;
    int waiting_ = 0;  ///< threads that wait for it
};

}  // namespace jtimer::go::detail

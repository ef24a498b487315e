// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "brpc/bucketed_queue.hpp"
#include "sync/assert.hpp"
#include "sync/process_number.hpp"
#include "thread/loop_thread.hpp"

#include <jtimer/brpc/timer_thread.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <string>
#include <vector>

namespace jtimer::brpc::detail {

/// A TimerThread that was started: the queue, the thread that runs the rounds, and the monitor on
/// which that thread sleeps. The monitor's mutex is the global mutex of BucketedQueue. Shared by
/// the TimerThread and the thread, so that a task may destroy the TimerThread.
///
/// User code is called with no lock held: tasks, the exception handler, and the constructors and
/// destructors of callables. Only a user's clock may be read with the monitor held.
class BucketLoop final : public std::enable_shared_from_this<BucketLoop>,
                         private jtimer::detail::LoopThread {
  public:
    /// The TimerThreadOptions, checked and with defaults filled in.
    struct Settings {
        LoopThread::Settings thread;
        std::size_t numBuckets = 0;
        std::size_t sweepMinSize = 0;
        Nanos maxWakeupInterval = 0;
    };

    /// From here on the thread, which is started later, takes part in the clock.
    /// \throws std::bad_alloc
    /// \throws std::system_error if the clock cannot make another Waiter
    explicit BucketLoop(Settings settings);
    BucketLoop(const BucketLoop&) = delete;
    BucketLoop& operator=(const BucketLoop&) = delete;
    /// Destroys the remaining callables.
    ~BucketLoop();

    /// \returns what onThreadStart has thrown, or null
    /// \throws std::bad_alloc
    /// \throws std::system_error if the system cannot create a thread
    std::exception_ptr start();

    TaskId schedule(Slot::Function function, Nanos time);
    TaskId schedule(const FunctionMaker& maker, Nanos time);
    int unschedule(TaskId id);
    int unscheduleAndWait(TaskId id);
    void stopAndJoin();
    std::vector<PendingTask> takePending();
    TimerThreadStats stats();
    using LoopThread::clock;

    /// Stopped by stopAndJoin(), or because the thread has ended by itself or is not in
    /// this process.
    bool isStopped() const noexcept {
        return stopped_.load(std::memory_order_relaxed) || isOfAnotherProcess();
    }
    /// What LoopThread's function returns, without a system call, for schedule().
    bool isOfAnotherProcess() const noexcept {
        return process_ != jtimer::detail::numberOfThisProcess();
    }

    /// Called by the destructor of the TimerThread.
    void close() noexcept;

  private:
    // On threads that schedule.
    TaskId add(Bucket& bucket, Slot& slot, Nanos time);

    // On the timer's thread.
    void mainLoop() override;
    void end() override;
    void pull();
    bool runDue();
    void runTask(Slot& slot);
    void sleep(Lock& lock);
    void notifyOfRunEnd(const Lock& lock) noexcept {
        JTIMER_ASSERT(monitor_.isHeldBy(lock));
        if (runEndWaiters_ != 0) runEnded_.notify_all();
    }

    // The end.
    void stop() noexcept;
    void removeAll(std::vector<PendingTask>* into);

    const Nanos maxWakeupInterval_;
    const std::uint32_t process_ = jtimer::detail::numberOfThisProcess();
    BucketedQueue queue_;

    /// Written under the monitor's mutex, and read without it by schedule().
    std::atomic<bool> stopped_{false};

    // Guarded by the monitor's mutex.

    /// The thread has ended its work.
    bool ended_ = false;
    std::uint64_t signals_ = 0;
    std::uint64_t wakeUps_ = 0;
    LatenessHistogram lateness_;
    std::size_t heapSize_ = 0;
    /// The threads inside unscheduleAndWait() that wait for the end of a run, and what they
    /// wait on.
    int runEndWaiters_ = 0;
    jtimer::detail::Condition runEnded_;

    /// Touched by the timer's thread only: what the clock showed when the top of the heap was last
    /// found not due.
    Nanos now_ = 0;
};

}  // namespace jtimer::brpc::detail

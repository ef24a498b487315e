// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "brpc/bucketed_queue.hpp"
#include "sync/process_number.hpp"
#include "thread/monitor.hpp"
#include "thread/own_thread.hpp"

#include <jtimer/brpc/timer_thread.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
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
class TimerLoop : public std::enable_shared_from_this<TimerLoop> {
  public:
    /// The TimerThreadOptions, checked and with defaults filled in.
    struct Settings {
        std::size_t numBuckets = 0;
        std::string name;
        std::shared_ptr<Clock> clock;
        std::size_t sweepMinSize = 0;
        Nanos maxWakeupInterval = 0;
        UncaughtExceptionHandler handler;
    };

    /// From here on the thread, which is started later, takes part in the clock.
    /// \throws std::bad_alloc
    /// \throws std::system_error if the clock cannot make another Waiter
    explicit TimerLoop(Settings settings);
    TimerLoop(const TimerLoop&) = delete;
    TimerLoop& operator=(const TimerLoop&) = delete;
    /// Destroys the remaining callables.
    ~TimerLoop();

    /// \throws std::bad_alloc
    /// \throws std::system_error if the system cannot create a thread
    void start();

    TaskId schedule(Slot::Function function, Nanos time);
    TaskId schedule(const CallableOps& ops, const Emplacer& emplace, Nanos time);
    int unschedule(TaskId id);
    void stopAndJoin();
    std::vector<PendingTask> takePending();
    TimerThreadStats stats();

    /// Stopped by stopAndJoin(), or because the thread has ended by itself or is not in
    /// this process.
    bool isStopped() const noexcept {
        return stopped_.load(std::memory_order_relaxed) || isOfAnotherProcess();
    }
    /// Whether this is a forked child of the process that has the thread. Such a child must not
    /// wait for a thread or a mutex: the thread that holds the mutex may not exist there.
    bool isOfAnotherProcess() const noexcept {
        return process_ != jtimer::detail::numberOfThisProcess();
    }

    /// Called by the destructor of the TimerThread.
    void close() noexcept;

  private:
    // On threads that schedule.
    TaskId add(Bucket& bucket, Slot& slot, Nanos time);

    // On the timer's thread.
    void run();
    void mainLoop();
    void pull();
    bool runDue();
    void runTask(Slot& slot);
    void sleep(Lock& lock);

    // The end.
    Lock lockUnlessForked(Mutex& mutex) const;
    void stop() noexcept;
    template <class Visit>
    void removeAll(std::size_t atMost, const Visit& visit);
    void discardAll() noexcept;

    const Settings settings_;
    const std::uint32_t process_ = jtimer::detail::numberOfThisProcess();
    jtimer::detail::Monitor monitor_;
    BucketedQueue queue_;

    /// Written under the monitor's mutex, and read without it by schedule().
    std::atomic<bool> stopped_{false};

    // Guarded by the monitor's mutex.

    /// The thread has ended its work.
    bool ended_ = false;
    std::uint64_t signals_ = 0;
    std::uint64_t wakeUps_ = 0;
    std::uint64_t triggered_ = 0;
    std::size_t heapSize_ = 0;

    /// Touched by the timer's thread only: what the clock showed when the top of the heap was last
    /// found not due.
    Nanos now_ = 0;

    /// Declared last: started when all other members exist.
    jtimer::detail::OwnThread thread_;
};

}  // namespace jtimer::brpc::detail

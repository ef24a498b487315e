// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include <jtimer/detail/export.hpp>

#include <atomic>
#include <cstdint>
#include <memory>

namespace jtimer {

/// What a Timer runs, once or repeatedly: derive from it and write `run()`.
///
/// \code
/// struct Beep : jtimer::TimerTask {
///     void run() override { std::cout << "beep\n"; }
/// };
/// timer.schedule(std::make_shared<Beep>(), 500);
/// \endcode
///
/// A callable needs no class of its own: `timer.schedule([] { std::cout << "beep\n"; }, 500)`.
///
/// **One life.** A task is scheduled once, on one timer. Whoever schedules it a second time, there
/// or on another timer, before or after it has run or was cancelled, gets an IllegalStateException
/// (J30-J35). Make a new one instead.
///
/// **Ownership.** Tasks are held by `std::shared_ptr`. The timer keeps one reference while the task
/// is queued and drops it when a one-shot has run, when a cancelled task leaves the queue
/// (`Timer::purge`, or its time comes), at `Timer::cancel`, and when the timer's thread dies (C1,
/// J140). A task is destroyed on whichever thread drops the last reference, never under a lock of
/// the library.
///
/// **Threads.** Every function may be called from any thread, also from inside any `run()` (J141,
/// J143). None takes a lock, none waits.
class JTIMER_API TimerTask {
  public:
    TimerTask(const TimerTask&) = delete;
    TimerTask& operator=(const TimerTask&) = delete;
    virtual ~TimerTask();

    /// The work. The timer calls it on its thread, one task at a time (J11), with no lock held
    /// (J142): it may call every function of every timer and task. What was written before
    /// `schedule` is visible in it, and each run sees what the one before it wrote (J145).
    ///
    /// An exception that leaves it ends the timer, as in Java; see Timer, "Exceptions". Calling it
    /// by hand is allowed and changes nothing (J36).
    virtual void run() = 0;

    /// Cancels this task. A run in progress is completed, never interrupted.
    ///
    /// \returns whether this call prevented at least one run that was still to come. That is true
    ///   the first time for a one-shot that has not begun and for a repeating task. It is false
    ///   the second time, for a one-shot that has begun or has run, and for a task that was never
    ///   scheduled, and from now on never can be (J32, J37-J44)
    ///
    /// Of a one-shot, either `run()` is called or a `cancel()` has returned true, never both (J47).
    /// Of a repeating task, one more run may begin just after a `cancel()` from another thread has
    /// returned true; a `cancel()` from its own `run()` makes that run the last (J48).
    ///
    /// A task that its timer discarded in `Timer::cancel` still answers true (J45).
    ///
    /// Costs one atomic exchange: it does not wake the timer's thread, and leaves the task in the
    /// queue until its time comes or `Timer::purge` is called (J49). No Timer ever calls it (J50).
    virtual bool cancel();

    /// When the run that is going on, or was the last, was scheduled for: milliseconds since 1970
    /// on the timer's clock, rounded down. Asked inside `run()`, it tells how late the run is.
    ///
    /// - One-shot: the time that was asked for, always (J81).
    /// - Fixed rate: the first time plus a multiple of the period, exactly, however late (J83).
    /// - Fixed delay: the time at which the timer began the run (J84).
    /// - A repeating task before its first run: the first time minus the period (J82).
    /// - A task that was never scheduled: 0 (J80).
    ///
    /// Cancelling, the task or the timer, does not change it (J85). A Timer never calls it (J50).
    virtual std::int64_t scheduledExecutionTime() const;

  protected:
    TimerTask() noexcept = default;

  private:
    friend class TaskQueue;
    friend class DroppedTasks;
    friend class TimerThread;

    /// VIRGIN -> SCHEDULED -> EXECUTED (one-shots only), and CANCELLED from anywhere. Nothing goes
    /// back.
    enum class State : std::uint8_t { Virgin, Scheduled, Executed, Cancelled };

    /// A state and, while it is Scheduled, the period: in one word, so that a change of state is
    /// one atomic operation that also publishes the period, and a task is 8 bytes smaller.
    struct Status {
        State state;
        /// Nanoseconds. > 0: fixed rate; < 0: fixed delay, negated; 0: one-shot.
        std::int64_t period;
    };

    /// What the word has room for is 73 years. This period and all longer ones are for ever.
    static constexpr std::int64_t kEndlessPeriod = (std::int64_t{1} << 61) - 1;

    static constexpr std::int64_t kStateMask = 3;  ///< the bits of status_ that hold the state

    Status status() const noexcept {
        const std::int64_t packed = status_.load(std::memory_order_acquire);
        const std::int64_t state = packed & kStateMask;
        return {static_cast<State>(state), (packed - state) / (kStateMask + 1)};
    }
    bool isCancelled() const noexcept { return status().state == State::Cancelled; }

    /// Virgin -> Scheduled, unless some other thread was faster. The winner owns the task's plain
    /// fields, until the monitor of its timer guards them.
    bool startSchedule(std::int64_t period) noexcept;

    /// Scheduled -> Executed, of a one-shot, unless somebody has cancelled it.
    bool startOnlyRun() noexcept;

    /// The queue's own reference to this task, while it is queued and then until it is dropped; or
    /// the link to the next task in a chain of DroppedTasks; else null. Guarded by the timer's
    /// monitor, then by whoever took the task out of the queue.
    std::shared_ptr<TimerTask> self_;
    /// What scheduledExecutionTime() answers. Written under the timer's monitor, read by anybody: a
    /// number by itself that orders nothing, hence relaxed.
    std::atomic<std::int64_t> scheduledExecutionTime_{0};
    /// A Status, packed: four times the period plus the state. At first 0: Virgin.
    std::atomic<std::int64_t> status_{0};
};

}  // namespace jtimer

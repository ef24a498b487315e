// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include <jtimer/detail/saturating.hpp>

#include <atomic>
#include <cstdint>
#include <memory>

namespace jtimer {

class TimerTask;

namespace detail {

struct TaskLink;

/// What a TimerTask consists of, apart from its virtual functions: its state, its period, the time
/// that it answers, and the queue's reference to it.
///
/// Virgin -> Scheduled -> Executed (one-shots only), and Cancelled from anywhere. Nothing goes
/// back. The state and the period are one word: so a change of state is one atomic operation that
/// also publishes the period. Every change is a read-modify-write on that word, except the first
/// one of a task that only its scheduler knows; so the changes of one task have a single order: of
/// a one-shot, either cancel() finds it scheduled or startOnlyRun() does, never both. Acquire and
/// release make what was done before a cancel() visible to the thread that destroys the task, as a
/// lock would.
///
/// Few tasks need more than a period. For those the word of the scheduled task holds the address of
/// a TaskLink instead. It belongs to whoever takes it out of the word.
class TaskState {
  public:
    /// The state: one of these bits, or none of them, which is Virgin. kExecuted means something
    /// only without kScheduled, for it lies among the bits of the period.
    using Word = std::int64_t;
    static constexpr Word kScheduled = 1;
    static constexpr Word kCancelled = 8;
    static constexpr Word kExecuted = 16;
    /// With kScheduled: above the flags lies the address of a TaskLink, not the period.
    static constexpr Word kLinked = 2;
    /// Without kScheduled: what the task captured has been destroyed before it. Like the next one,
    /// cancel() takes this flag out for a moment.
    static constexpr Word kReleased = 2;
    /// The task has a name. In any state.
    static constexpr Word kNamed = 4;
    /// Which flags make TimerTask's cancel() and destructor do more.
    static constexpr Word kHasMore = kLinked | kNamed;

  private:
    static constexpr int kFlagBits = 4;
    static constexpr Word kFlags = (1 << kFlagBits) - 1;

    std::atomic<Word> word_{0};

    /// \param from what the word was, if it was something else
    bool replace(Word& from, Word to) noexcept {
        return word_.compare_exchange_strong(from, to, std::memory_order_acq_rel,
                                             std::memory_order_acquire);
    }

  public:
    /// The queue's own reference to this task, while it is queued and then until it is dropped; or
    /// the link to the next task in a chain of TasksToDestroy; else null. Guarded by the timer's
    /// monitor, then by whoever took the task out of the queue. It owns this very task, so it is
    /// null when the task is destroyed, and a union spares it the destructor. Next to the word, for
    /// a purge needs both, and one cache line often has them.
    union {
        std::shared_ptr<TimerTask> queueReference;
    };

    /// What TimerTask::scheduledExecutionTime() answers. Written under the monitor of the timer,
    /// read by anybody: a number by itself that orders nothing, hence relaxed.
    std::atomic<std::int64_t> scheduledExecutionTime{0};

    TaskState() noexcept : queueReference() {}
    TaskState(const TaskState&) = delete;
    TaskState& operator=(const TaskState&) = delete;
    ~TaskState() {}  // NOLINT(modernize-use-equals-default): a union has none by default

    /// The longest period that the word has room for: 18 years.
    static constexpr Nanos kLongestPeriod = (Nanos{1} << (63 - kFlagBits)) - 1;

    /// The word of a scheduled task with this period. > 0: fixed rate; < 0: fixed delay, negated;
    /// 0: one-shot.
    static constexpr Word scheduledWith(Nanos period) noexcept {
        return period * (kFlags + 1) + kScheduled;
    }
    /// The word of a scheduled task with this link.
    static Word scheduledWith(TaskLink* link) noexcept {
        return static_cast<Word>(reinterpret_cast<std::uintptr_t>(link)) | kLinked | kScheduled;
    }

    static constexpr bool isLinked(Word word) noexcept {
        return (word & (kScheduled | kLinked)) == (kScheduled | kLinked);
    }
    static TaskLink* linkOf(Word linked) noexcept {
        return reinterpret_cast<TaskLink*>(static_cast<std::uintptr_t>(linked & ~kFlags));
    }
    /// Of a task that is scheduled and not linked. The shift drops the flags, and keeps the sign.
    static constexpr Nanos periodOf(Word scheduled) noexcept { return scheduled >> kFlagBits; }

    Word word() const noexcept { return word_.load(std::memory_order_acquire); }

    bool isReleased() const noexcept { return (word() & (kScheduled | kReleased)) == kReleased; }

    bool isCancelled() const noexcept { return (word() & kCancelled) != 0; }

    /// Virgin -> Scheduled. The winner owns the plain fields, until the monitor of its timer guards
    /// them.
    /// \returns false if the task is not virgin any more
    bool startSchedule(Word scheduled) noexcept {
        Word from = 0;
        if (replace(from, scheduled)) return true;
        return from == kNamed && replace(from, scheduled | kNamed);
    }

    /// The same for a task that only the caller knows. Others get to know it by the monitor of its
    /// timer, or from the caller later on, and so see this: a plain store is enough.
    bool startScheduleOfNew(Word scheduled) noexcept {
        if (word_.load(std::memory_order_relaxed) != 0) return false;
        word_.store(scheduled, std::memory_order_relaxed);
        return true;
    }

    /// Notes that the task has a name. \returns false if it is not virgin any more
    bool markNamed() noexcept {
        Word from = 0;
        return replace(from, kNamed) || from == kNamed;
    }

    /// Scheduled -> Executed, of a one-shot. \returns false if it has been cancelled
    bool startOnlyRun() noexcept {
        Word from = word_.load(std::memory_order_relaxed);
        while ((from & kScheduled) != 0) {
            if (replace(from, kExecuted | (from & kNamed))) return true;
        }
        return false;
    }

    /// Anything -> Cancelled. \returns the word before, for a test of its flags
    Word cancel() noexcept { return word_.exchange(kCancelled, std::memory_order_acq_rel); }

    /// Puts back those flags that cancel() has taken out of the word `before`.
    void putBackAfter(Word before) noexcept {
        const Word lost = before & (isLinked(before) ? kNamed : kNamed | kReleased);
        if (lost != 0) putBack(lost);
    }

    /// Sets flags of a cancelled task. Nothing else changes the word of a cancelled task but other
    /// cancel()s, and each puts back what it took.
    void putBack(Word flags) noexcept { word_.fetch_or(flags, std::memory_order_acq_rel); }

    /// Replaces the period of a scheduled task by a link. \returns false if it has been cancelled
    bool link(Word scheduled, TaskLink* link) noexcept {
        return replace(scheduled, scheduledWith(link) | (scheduled & kNamed));
    }
};

}  // namespace detail

}  // namespace jtimer

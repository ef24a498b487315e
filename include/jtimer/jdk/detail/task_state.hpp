// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include <jtimer/detail/saturating.hpp>

#include <atomic>
#include <cstdint>
#include <memory>

namespace jtimer {

class TimerTask;

namespace detail {

/// The part of a TaskLink, which is private to the library, that inline code needs.
struct TaskLinkHead {
    /// Whether the callable has been destroyed before the task. Relaxed, because nothing else is
    /// published: a run() by hand that sees it does nothing, and the count of references orders the
    /// destructor.
    std::atomic<bool> isReleased{false};
};

/// The data of a TimerTask: its state, its period, its scheduledExecutionTime(), and the queue's
/// reference to it.
///
/// VIRGIN -> SCHEDULED -> EXECUTED (one-shots only), and any state -> CANCELLED. A task never
/// returns to an earlier state. The state and the period share one word, so a change of state is
/// one atomic operation that also publishes the period; with the period in a field of its own, a
/// task would take 112 bytes instead of 96. Every change is a read-modify-write on that word,
/// except the first change of a task that only the scheduling thread knows. So the changes of a
/// task have a single order: either cancel() or startOnlyRun() finds a one-shot scheduled, never
/// both. Acquire and release make everything done before the cancel() that cancelled it visible to
/// the thread that destroys the task, as a lock would.
///
/// Few tasks need more than a period. The word of such a task holds the address of a TaskLink
/// instead. Once there, the address stays in the word in every state, and the link lives at least
/// as long as the task: whoever may use the task may also use its link.
///
/// setPeriod() therefore takes no lock and never waits. It exchanges the period in a word without a
/// link by compare-and-swap, and stores to the link of a word that has one. The cases:
/// 1. Beside the begin of a run: the timer reads the period once for each run, under its monitor.
///    The run counts with what that finds, and what comes later is for the next run.
/// 2. Beside cancel(): only a word that is still scheduled is exchanged, so a cancelled task stays
///    cancelled, in whichever order the two come. A store to the link changes no state.
/// 3. Beside link(), which the timer's thread calls for the task that it waits for: each of the two
///    exchanges exactly the word that it has read. If setPeriod() is first, link() fails, and the
///    thread copies the new period. If link() is first, the exchange fails and returns the word
///    with the address, and the period is stored to the link: after the copy in its order of
///    changes, as the acquire of that word comes after the release of link().
/// 4. Beside another setPeriod(): the last one in the order of changes of the word, and then of the
///    link, wins. That order agrees with what any thread knows of the order of the calls.
/// An exchange fails only if another one has succeeded. Nothing but the period is published, so the
/// store to the link is relaxed.
class TaskState {
  public:
    /// A state, flags, and the address of a link, or in SCHEDULED the period.
    using Word = std::int64_t;
    /// In the JDK's order. A bit each, because a cancel() that compares two bits costs a third
    /// more. A task with a link is EXECUTED if it is in no other state; the bit keeps the word of
    /// one without a link from being VIRGIN again.
    enum State : Word { VIRGIN = 0, SCHEDULED = 1, EXECUTED = 16, CANCELLED = 8 };

    /// The bits above the flags are the address of a TaskLink.
    static constexpr Word kLinked = 2;
    /// The task has a name.
    static constexpr Word kNamed = 4;
    /// The flags that mean more work for the destructor of TimerTask.
    static constexpr Word kHasMore = kLinked | kNamed;

  private:
    static constexpr int kFlagBits = 4;
    static constexpr Word kFlags = (1 << kFlagBits) - 1;

    /// The word has 60 bits for a period and its sign. So a period of more than nine years counts
    /// from there on in units of 64 ns, rounded up; whole milliseconds are whole units.
    static constexpr Nanos kLongestExact = Nanos{1} << 58;
    static constexpr Nanos kUnitBeyond = 64;

    static constexpr Nanos packed(Nanos length) noexcept {
        if (length <= kLongestExact) return length;
        return kLongestExact + (length - kLongestExact + kUnitBeyond - 1) / kUnitBeyond;
    }
    static constexpr Nanos unpacked(Nanos length) noexcept {
        if (length <= kLongestExact) return length;
        return saturatingAdd(kLongestExact, (length - kLongestExact) * kUnitBeyond);
    }

    std::atomic<Word> word_{VIRGIN};

    /// \param from the expected word; receives the actual one if it differs
    bool replace(Word& from, Word to) noexcept {
        return word_.compare_exchange_strong(from, to, std::memory_order_acq_rel,
                                             std::memory_order_acquire);
    }

  public:
    /// The queue's own reference to this task, from its insertion into the queue until the
    /// reference is dropped; or the link to the next task in a chain of TasksToDestroy; else null.
    /// Guarded by the timer's monitor, and after the task has left the queue owned by the thread
    /// that removed it. It owns this very task, so it is null when the task is destroyed: in a
    /// union it needs no destructor. It is next to the word because a purge reads both, and they
    /// often share a cache line.
    union {
        std::shared_ptr<TimerTask> queueReference;
    };

    /// What TimerTask::scheduledExecutionTime() returns. Written under the timer's monitor, read by
    /// any thread. Relaxed, because no other data depends on it.
    std::atomic<std::int64_t> scheduledExecutionTime{0};

    TaskState() noexcept : queueReference() {}
    TaskState(const TaskState&) = delete;
    TaskState& operator=(const TaskState&) = delete;
    ~TaskState() {}  // NOLINT(modernize-use-equals-default): a union has none by default

    /// The word of a scheduled task with this period. > 0: fixed rate; < 0: fixed delay, negated;
    /// 0: one-shot.
    static constexpr Word scheduledWith(Nanos period) noexcept {
        return (period < 0 ? -packed(-period) : packed(period)) * (kFlags + 1) + SCHEDULED;
    }
    /// The word of a scheduled task with this link.
    static Word scheduledWith(TaskLinkHead* link) noexcept {
        return static_cast<Word>(reinterpret_cast<std::uintptr_t>(link)) | kLinked | SCHEDULED;
    }

    static constexpr bool isScheduled(Word word) noexcept { return (word & SCHEDULED) != 0; }
    static constexpr bool isLinked(Word word) noexcept { return (word & kLinked) != 0; }
    static TaskLinkHead* linkOf(Word linked) noexcept {
        return reinterpret_cast<TaskLinkHead*>(static_cast<std::uintptr_t>(linked & ~kFlags));
    }
    /// For a scheduled task that is not linked. The shift drops the flags and keeps the sign.
    static constexpr Nanos periodOf(Word scheduled) noexcept {
        const Nanos period = scheduled >> kFlagBits;
        return period < 0 ? -unpacked(-period) : unpacked(period);
    }

    Word word() const noexcept { return word_.load(std::memory_order_acquire); }

    bool isReleased() const noexcept {
        const Word now = word();
        return isLinked(now) && linkOf(now)->isReleased.load(std::memory_order_relaxed);
    }

    bool isCancelled() const noexcept { return (word() & CANCELLED) != 0; }

    /// VIRGIN -> SCHEDULED. The thread that succeeds owns the plain fields until its timer's
    /// monitor guards them.
    /// \returns false if the task is no longer virgin
    bool startSchedule(Word scheduled) noexcept {
        Word from = VIRGIN;
        if (replace(from, scheduled)) return true;
        return from == kNamed && replace(from, scheduled | kNamed);
    }

    /// The same for a task that only the caller knows. A plain store is enough: other threads learn
    /// of the task through its timer's monitor, or later from the caller, and so see the store.
    bool startScheduleOfNew(Word scheduled) noexcept {
        if (word_.load(std::memory_order_relaxed) != VIRGIN) return false;
        word_.store(scheduled, std::memory_order_relaxed);
        return true;
    }

    /// Records that the task has a name. \returns false if it is no longer virgin
    bool markNamed() noexcept {
        Word from = VIRGIN;
        return replace(from, kNamed) || from == kNamed;
    }

    /// SCHEDULED -> EXECUTED, for a one-shot. \returns false if it has been cancelled
    bool startOnlyRun() noexcept {
        Word from = word_.load(std::memory_order_relaxed);
        while (isScheduled(from)) {
            if (replace(from, isLinked(from) ? from & ~SCHEDULED : EXECUTED | (from & kNamed)))
                return true;
        }
        return false;
    }

    /// Any state -> CANCELLED. \returns the previous word, so that its flags can be tested
    Word cancel() noexcept {
        Word from = word_.load(std::memory_order_acquire);
        while ((from & CANCELLED) == 0 && !replace(from, (from & ~SCHEDULED) | CANCELLED)) {
        }
        return from;
    }

    /// Records that the callable of a cancelled task, which is linked, is being destroyed.
    void markReleased() noexcept {
        linkOf(word())->isReleased.store(true, std::memory_order_relaxed);
    }

    /// Gives a repeating task without a link another period, and keeps its kind.
    /// \param period > 0
    /// \returns the previous word, or if nothing has been changed the present one
    Word setPeriod(Nanos period) noexcept {
        Word from = word();
        while (isScheduled(from) && !isLinked(from) && periodOf(from) != 0) {
            const Word to = scheduledWith(from < 0 ? -period : period) | (from & kNamed);
            if (replace(from, to)) break;
        }
        return from;
    }

    /// Replaces the period of a scheduled task with a link.
    /// \param scheduled the expected word; receives the actual one if it differs
    bool link(Word& scheduled, TaskLinkHead* link) noexcept {
        return replace(scheduled, scheduledWith(link) | (scheduled & kNamed));
    }
};

}  // namespace detail

}  // namespace jtimer

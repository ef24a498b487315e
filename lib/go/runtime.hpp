// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "data/lateness_counter.hpp"
#include "go/event_cell.hpp"
#include "go/function_threads.hpp"
#include "go/shard.hpp"
#include "sync/assert.hpp"
#include "sync/process_number.hpp"
#include "thread/loop_thread.hpp"

#include <jtimer/executor.hpp>
#include <jtimer/go/timers.hpp>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

namespace jtimer::go::detail {

using jtimer::detail::LoopThread;

/// The heaps of a runtime; the array does not change.
using Shards = std::vector<std::unique_ptr<Shard>>;

/// What the threads wait on that wait for the end of a function's run.
struct RunEnds {
    Mutex mutex;
    jtimer::detail::Condition ended;
};

/// The implementation of Timers. Shared by the Timers, their cells (see Shard), their threads and
/// the calls that block on them, so it may outlive the Timers.
///
/// **The poller** is its own thread, which fires the timers. It sleeps until the earliest time of
/// all shards.
///
/// **Waking it.** A thread that starts the first timer of a shard writes the shard's head, and then
/// reads until when the poller sleeps. The poller writes that it is about to sleep, and then reads
/// all heads. Both are sequentially consistent, so at least one of them sees what the other has
/// written: either the poller does not sleep beyond the timer, or it is woken. Only a timer that is
/// the first of its shard needs this check; for any other, the thread that started the first one
/// has checked, or is about to.
class Runtime final : public LoopThread, public std::enable_shared_from_this<Runtime> {
  public:
    /// \throws std::system_error if the clock cannot make another Waiter
    Runtime(Settings settings, Executor executor, unsigned shards);

    /// \throws std::system_error if the system cannot create a thread; what onThreadStart throws
    void start();

    /// Called by ~Timers.
    void close() noexcept;

    /// Whether it has ended, or this is a forked child of its process, where its threads do not
    /// exist, and may have left its locks locked. So functions that can be called in such a child
    /// check this before they lock anything.
    bool isOver() const noexcept {
        return runsIn_.load(std::memory_order_acquire) != jtimer::detail::numberOfThisProcess();
    }
    /// In place of that of LoopThread: the same, without a system call.
    bool isOfAnotherProcess() const noexcept {
        return madeIn_ != jtimer::detail::numberOfThisProcess();
    }
    /// \throws TimersDestroyed, with the text of a forked child in one, if it is over
    void requireNotOver() const {
        if (isOver()) throwOver();
    }

    /// In messages: what has the options of a runtime.
    static constexpr const char* kOptions = "TimersOptions";

    /// For another thread of this runtime.
    Settings threadSettings() const;
    const Shards& shards() const noexcept { return shards_; }
    Shard& shardOfThisThread() const noexcept;

    Nanos now() const { return monitor_.now(); }
    /// The time `d` from now; kNever if that is beyond the range.
    Nanos timeIn(Nanos d) const;

    /// To be called after a timer with this time has become the first of its shard.
    void signal(Nanos when) {
        if (when < sleepsUntil_.load(std::memory_order_seq_cst)) wakeFor(when);
    }
    bool isPoller() const noexcept { return isCurrent(); }
    /// The runtime whose poller or function thread the calling thread is; null for other threads.
    static Runtime* ofThisThread() noexcept { return ofThisThread_; }
    /// While it exists, the calling thread is one of the runtime's.
    class OnItsThread {
      public:
        explicit OnItsThread(Runtime& runtime) noexcept { ofThisThread_ = &runtime; }
        OnItsThread(const OnItsThread&) = delete;
        OnItsThread& operator=(const OnItsThread&) = delete;
        ~OnItsThread() { ofThisThread_ = nullptr; }
    };

    TimersStats stats() const;
    void check() const;

    bool hasExecutor() const noexcept { return static_cast<bool>(executor_); }

    /// To be called before a timer with a function is made.
    void prepareForFunctions() noexcept {
        if (!executor_) functionThreads_.prepare();
    }
    /// Has the executor or a function thread call the function. Called on the poller.
    void handOver(Run run);

    RunEnds& runEnds() noexcept { return runEnds_; }

    /// By how much the clock is certainly past `when`, at least 0. A reading of the clock would
    /// cost more than a receive.
    Nanos latenessOf(Nanos when) const noexcept {
        const Nanos reached =
            std::max(lastReading_.load(std::memory_order_relaxed), monitor_.reached());
        return std::max(Nanos{0}, jtimer::detail::saturatingSubtract(reached, when));
    }
    /// Counts a timer that the poller fires. Called on the poller.
    void countFired(Nanos when) noexcept {
        JTIMER_ASSERT(isPoller());
        lateness_.add(latenessOf(when));
    }

    /// Set by end(), so that it ends the blocked calls.
    EventCell& ended() const noexcept { return *ended_; }

  private:
    /// The shard with the earliest head, and that of the next shard.
    struct Heads {
        Shard* first;
        Nanos earliest;
        Nanos next;
    };

    [[noreturn]] void throwOver() const;
    void mainLoop() override;
    void end() noexcept override;
    Heads look() const noexcept;
    Nanos sleep(Lock& lock, Nanos deadline);
    void wakeFor(Nanos when);

    static inline thread_local Runtime* ofThisThread_ = nullptr;

    const std::function<void()> onThreadStart_;
    const Executor executor_;
    const Shards shards_;
    FunctionThreads functionThreads_;
    const std::uint32_t madeIn_ = jtimer::detail::numberOfThisProcess();
    /// 0, which is no process, after the end.
    std::atomic<std::uint32_t> runsIn_{madeIn_};
    RunEnds runEnds_;
    const Ref<EventCell> ended_{new EventCell, false};

    // What the poller does.

    bool stopping_ = false;  // guarded by the monitor
    bool woken_ = false;     // guarded by the monitor: whether a timer has ended the sleep

    /// kAwake while the poller does not sleep: no timer is earlier. Written with the monitor held.
    static constexpr Nanos kAwake = jtimer::detail::kLongAgo;
    std::atomic<Nanos> sleepsUntil_{kAwake};
    std::atomic<std::uint64_t> signals_{0};
    /// What the clock showed when the poller last read it.
    std::atomic<Nanos> lastReading_{jtimer::detail::kLongAgo};
    jtimer::detail::LatenessCounter lateness_;
};

}  // namespace jtimer::go::detail

// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "go/event_cell.hpp"
#include "go/poller.hpp"
#include "go/room_threads.hpp"
#include "go/shard.hpp"
#include "sync/process_number.hpp"

#include <jtimer/clock.hpp>
#include <jtimer/executor.hpp>
#include <jtimer/go/timers.hpp>

#include <atomic>
#include <cstdint>
#include <exception>
#include <memory>
#include <string>

namespace jtimer::go::detail {

/// What the threads wait on that wait for the end of a function's run.
struct RunEnds {
    Mutex mutex;
    jtimer::detail::Condition ended;
};

/// The implementation of Timers. Shared by the Timers, their cells (see Shard), their threads and
/// the calls that block on them, so it may outlive the Timers.
class Runtime : public std::enable_shared_from_this<Runtime> {
  public:
    /// The TimersOptions, with defaults filled in.
    struct Settings {
        LoopThread::Settings thread;
        Executor executor;
    };

    Runtime(Settings settings, unsigned shards);

    /// \throws std::system_error if the system cannot create a thread
    void start();

    /// From now on nothing fires or begins to wait. Destroys the functions of pending timers.
    void end() noexcept;
    /// Called by ~Timers.
    void close() noexcept;

    /// Whether it has ended, or this is a forked child of its process, where its threads do not
    /// exist, and may have left its locks locked. So functions that can be called in such a child
    /// check this before they lock anything.
    bool isOver() const noexcept {
        return runsIn_.load(std::memory_order_acquire) != jtimer::detail::numberOfThisProcess();
    }
    bool isOfAnotherProcess() const noexcept {
        return madeIn_ != jtimer::detail::numberOfThisProcess();
    }
    /// \throws TimersDestroyed, with the text of a forked child in one, if it is over
    void requireNotOver() const {
        if (isOver()) throwOver();
    }

    /// Of the poller and of the room threads.
    const LoopThread::Settings& threadSettings() const noexcept { return settings_.thread; }
    const std::string& name() const noexcept { return poller_.name(); }
    const Clock& clock() const noexcept { return *settings_.thread.clock; }
    const Shards& shards() const noexcept { return shards_; }
    Shard& shardOfThisThread() const noexcept;

    Nanos now() const { return poller_.now(); }
    /// The time `d` from now; kNever if that is beyond the range.
    Nanos timeIn(Nanos d) const;

    void signal(Nanos when) { poller_.signal(when); }
    bool isPoller() const noexcept { return poller_.isCurrent(); }
    /// The runtime whose poller or room thread the calling thread is; null for other threads.
    static Runtime* ofThisThread() noexcept;
    TimersStats stats() const;
    void check() const;

    bool hasExecutor() const noexcept { return static_cast<bool>(settings_.executor); }

    /// To be called before a timer with a function is made.
    void prepareForFunctions() noexcept {
        if (!settings_.executor) roomThreads_.prepare();
    }
    /// Has the executor or a room thread call the function. Called on the poller.
    void handOver(Run run);
    /// Reports an exception that has ended a run.
    void reportRun(const std::exception_ptr& exception) const { poller_.reportRun(exception); }

    RunEnds& runEnds() noexcept { return runEnds_; }

    /// How late it is for what was due at `when`, as far as that is known cheaply.
    Nanos latenessOf(Nanos when) const noexcept { return poller_.latenessOf(when); }
    /// Counts a timer that the poller fires. Called on the poller.
    void countFired(Nanos when) noexcept { poller_.countFired(when); }

    /// Set by end(), so that it ends the blocked calls.
    EventCell& ended() const noexcept { return *ended_; }

  private:
    [[noreturn]] void throwOver() const;

    const Settings settings_;
    Shards shards_;
    Poller poller_;
    RoomThreads roomThreads_;
    const std::uint32_t madeIn_ = jtimer::detail::numberOfThisProcess();
    /// 0, which is no process, after the end.
    std::atomic<std::uint32_t> runsIn_{madeIn_};

    RunEnds runEnds_;

    const Ref<EventCell> ended_{new EventCell, false};
};

}  // namespace jtimer::go::detail

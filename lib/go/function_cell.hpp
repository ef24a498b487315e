// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "go/cell.hpp"
#include "sync/wait_report.hpp"

#include <jtimer/detail/function_type.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace jtimer::go::detail {

using jtimer::detail::FunctionMaker;
using jtimer::detail::FunctionType;
using jtimer::detail::WaitReport;

/// A timer with a function, which is stored behind the cell, in the same block of memory.
class FunctionCell final : public Cell {
  public:
    /// The new cell has one reference, for the handle.
    /// \throws what the construction of the function throws
    static FunctionCell& create(Shard& home, const FunctionMaker& maker);

    enum class RunsOn { FunctionThread, Poller };
    /// Creates a cell and starts it. \returns a reference for the handle
    /// \param on Poller: for a short function of this library, which throws nothing
    /// \throws std::bad_alloc, TimersDestroyed, and what the construction of the function throws
    static FunctionCell& createAndStart(Runtime& runtime, Nanos when, const FunctionMaker& maker,
                                        RunsOn on);

    /// Called by the poller, which has popped this start and holds the heap's reference.
    void fire(std::uint32_t start);
    /// Called at the end of the runtime: no other start will call the function.
    void abandon() noexcept;

    /// Stops the timer until no run is in progress or handed over, and none can begin. Inside a run
    /// of this timer, and in a forked child, it only stops the timer.
    /// \returns whether it has prevented a run
    bool stopAndWait();

  private:
    friend class Cell;
    friend class GivenRun;
    friend class Run;
    friend class RunQueue;

    FunctionCell(Shard& home, const FunctionType& type);
    ~FunctionCell() = default;

    static std::size_t offsetOf(const FunctionType& type) noexcept;
    void* function() noexcept;
    void destroyFunction() noexcept;
    void releaseFunction() noexcept;
    void notifyIfAwaited(std::uint32_t uses) noexcept;
    bool hasRuns(std::uint32_t uses) const noexcept;
    bool isAtRest() const;
    void awaitRuns(WaitReport& report);
    static void free(FunctionCell* cell) noexcept;

    const FunctionType& type_;
    /// The function is used by each run and, as long as it may be started again, by the cell. It is
    /// destroyed after the last use. The highest bit is set once the cell no longer uses it. The
    /// next one is set while a thread may wait for the end of a run; it is written under the lock
    /// of the runtime's RunEnds.
    static constexpr std::uint32_t kAbandoned = std::uint32_t{1} << 31;
    static constexpr std::uint32_t kAwaited = std::uint32_t{1} << 30;
    static constexpr std::uint32_t kUseBits = kAwaited - 1;
    std::atomic<std::uint32_t> uses_{1};

    /// With an executor: how many of the uses are those of a GivenRun that has ended. Otherwise for
    /// the runtime's RunQueue, and guarded by its lock: how often the cell is queued. One member
    /// for both keeps the cell at 64 bytes.
    std::atomic<std::uint32_t> endedOrQueuedRuns_{0};
    /// For the RunQueue: the next cell.
    FunctionCell* nextQueued_ = nullptr;
};

/// One run of a timer's function, which has been handed over and is to be called; or none.
class Run {
  public:
    Run() noexcept = default;
    /// Takes over a reference to the cell. The caller holds the cell's lock.
    explicit Run(FunctionCell& cell) noexcept;
    Run(Run&& other) noexcept = default;
    ~Run();

    explicit operator bool() const noexcept { return cell_ != nullptr; }

    /// Calls the function and reports what it throws, except the exception for the end of
    /// the runtime.
    void operator()() const;

  private:
    friend class GivenRun;
    friend class RunQueue;

    Ref<FunctionCell> cell_;
};

/// A run that an executor is given. All copies of the executor's function share it. The executor
/// may keep its function for long after the call. That keeps what the function has captured, but
/// the run ends with the call.
class GivenRun {
  public:
    explicit GivenRun(Run run) noexcept : run_(std::move(run)) {}
    GivenRun(const GivenRun&) = delete;
    GivenRun& operator=(const GivenRun&) = delete;
    ~GivenRun();

    void call();

  private:
    void end() noexcept;

    const Run run_;
    std::atomic<bool> ended_{false};
};

}  // namespace jtimer::go::detail

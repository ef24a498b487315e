// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "base/monitor.hpp"
#include "go/cell.hpp"

#include <jtimer/clock.hpp>

#include <cstddef>
#include <deque>
#include <memory>
#include <string>
#include <vector>

namespace jtimer::go::detail {

using jtimer::detail::Monitor;

/// The threads on which timers' functions run, one for each run.
///
/// Each has a Monitor of its own, on the runtime's clock, and waits there: for the next run while
/// it is idle, and for the end of a call that blocks it while a function runs. So a ManualClock
/// sees it as busy from the moment it is woken until it waits again.
class RoomThreads {
  public:
    explicit RoomThreads(std::shared_ptr<Clock> clock) : clock_(std::move(clock)) {}

    /// Has an idle thread call it, or a new one; where the system gives none, the next that becomes
    /// idle; if there is none at all, it calls it itself. For the poller.
    /// \param runtime kept alive by a new thread
    void handOver(Run run, const std::shared_ptr<Runtime>& runtime);

    /// Idle threads end, and the others when they become idle.
    void stop();
    /// Waits for their end, if `wait`. For the last call.
    void finish(bool wait);

    /// Whether the calling thread is one of these.
    bool isCurrent() const noexcept;
    /// The monitor of the calling thread, if it is one of some runtime on this clock; else null.
    static std::shared_ptr<Monitor> monitorOfThisThread(const Clock& clock);

  private:
    class Thread;

    bool startThread(Run& run, const std::shared_ptr<Runtime>& runtime);
    void work(Thread& thread);
    Run nextRun(Thread& thread);
    void leave(Thread& thread, bool unwound) noexcept;
    bool remove(const Lock& lock, const Thread& thread) noexcept;

    const std::shared_ptr<Clock> clock_;

    Mutex mutex_;
    /// All below are guarded by it.
    bool stopped_ = false;
    /// Those that finish() is to join.
    std::vector<std::shared_ptr<Thread>> threads_;
    std::vector<Thread*> idle_;
    std::size_t busy_ = 0;
    /// Runs that no thread could be started for.
    std::deque<Run> waiting_;
};

}  // namespace jtimer::go::detail

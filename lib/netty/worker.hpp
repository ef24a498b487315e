// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "data/lateness_counter.hpp"
#include "netty/hashed_wheel.hpp"
#include "netty/node_stock.hpp"
#include "netty/origin.hpp"
#include "netty/timeout_list.hpp"
#include "sync/process_of_section.hpp"
#include "thread/loop_thread.hpp"

#include <jtimer/executor.hpp>
#include <jtimer/netty/hashed_wheel_timer.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace jtimer::netty::detail {

using jtimer::detail::LoopThread;
using jtimer::detail::Nanos;

/// Netty's loop: one thread, one wheel, and two inboxes that other threads fill. Shared by the
/// HashedWheelTimer and the thread itself, so that a task may destroy the HashedWheelTimer.
///
/// **Access.** The monitor guards the inbox of new timeouts, the state, and the members needed to
/// wake an idle worker. newTimeout() and stop() hold it for a few instructions, and so does the
/// worker three times a tick. The inbox of cancellations (Origin) needs no lock. Only the worker
/// touches the wheel, and the links of a timeout once it has left the inbox. User code runs with no
/// lock held, except a user's clock, which the worker reads under the monitor.
///
/// **The path of a timeout.** newTimeout() puts it into inbox_. The worker takes over the whole
/// inbox (arrived_), and at the end of the tick places into the wheel what has not been cancelled.
/// There a timeout stays until it expires or its cancellation is processed. So from newTimeout() to
/// its end it is in exactly one list, which owns it. A timeout that is found in the inbox of
/// cancellations is in one of the worker's lists once the worker has then taken over inbox_,
/// because a timeout cannot be cancelled before newTimeout() has put it there.
///
/// **A clock that goes back.** A timeout is due in a tick, a span of time on the clock, as a task
/// of java.util.Timer is due at a date, a point on the clock: the timeout runs when the clock shows
/// the end of that tick. When the worker sees that the clock shows a tick before tick_, it goes
/// back to that tick, which may be negative: timeouts that are due later stay in place, since a
/// slot does not store rounds. So timeouts that were pending before the step run later by its
/// length, and timeouts added after it run as if there had been no step. The alternative, to shift
/// the start by the step so that nothing is late, was rejected: after a correction of the step,
/// timeouts added in between would run early; and readings that go back by nanoseconds, as those of
/// two processors may, would add up.
class Worker final : public std::enable_shared_from_this<Worker>, private LoopThread {
  public:
    /// The HashedWheelTimerOptions, checked and with defaults filled in.
    struct Settings {
        LoopThread::Settings thread;
        Nanos tickDuration = 0;
        std::size_t slots = 0;
        std::int64_t maxPendingTimeouts = 0;  // 0 or less: no limit
        Executor taskExecutor;
    };

    Worker(Settings settings, HashedWheelTimer& timer);
    Worker(const Worker&) = delete;
    Worker& operator=(const Worker&) = delete;
    ~Worker();

    /// Implement the functions of HashedWheelTimer with these names. newTimeout() moves `given` if
    /// it accepts the timeout.
    void start();
    std::shared_ptr<Timeout> newTimeout(std::shared_ptr<Timeout>& given, Nanos delay);
    std::vector<std::shared_ptr<Timeout>> stop();
    std::int64_t pendingTimeouts();
    HashedWheelTimerStats stats();
    using LoopThread::clock;
    using LoopThread::name;

    /// Called by ~HashedWheelTimer: see there.
    void close() noexcept;

  private:
    enum class State { New, Started, Stopped };

    void countRun(const Timeout& timeout) noexcept;

    bool isNew() const;
    void start(Nanos now);
    State stopAccepting(Lock& lock) noexcept;
    Tick tickAt(Nanos elapsed) const noexcept;
    std::int64_t pending(Lock& lock) const noexcept;

    void mainLoop() override;
    void end() override;
    bool awaitEndOfTick(Lock& lock);
    Nanos endOf(Tick tick) const noexcept;
    Nanos endOfTick() const noexcept { return endOf(tick_); }
    Tick knownTick() const noexcept;
    void skipEmptyTicks() noexcept;
    void transfer();
    void handOver(std::shared_ptr<Timeout> timeout);
    void processCancellations();
    void finishCancelled(const std::shared_ptr<Timeout>& timeout);
    void cancelAll();
    void countDown() noexcept;

    const Executor taskExecutor_;
    const Nanos tickDuration_;
    const std::int64_t maxPendingTimeouts_;
    std::unique_ptr<Origin, Origin::LeaveUnused> origin_;

    /// Held while the thread is being started, because another call must know the result.
    jtimer::detail::Mutex startMutex_;
    jtimer::detail::ProcessOfSection starting_;

    // Guarded by the monitor.

    /// Becomes Started under the mutex above, and Stopped under the monitor. Also read without the
    /// monitor, to see that start_ has been written.
    std::atomic<State> state_{State::New};
    /// New timeouts, in the order of their acceptance.
    TimeoutList inbox_;
    /// How many timeouts were accepted in total.
    std::int64_t accepted_ = 0;
    /// The worker waits without a deadline until something is pending.
    bool idle_ = false;
    /// The tick in which that wait ended.
    Tick resumeTick_ = 0;
    /// A stop() call waits for the pending timeouts, or has returned them.
    bool stopWasCalled_ = false;

    // Not guarded.

    /// The time at which the first tick began, and the process. Written before state_ becomes
    /// Started, under startMutex_.
    Nanos start_ = 0;
    std::uint32_t process_ = 0;
    /// Freed timeouts' memory, for the next ones.
    NodeStock nodes_;
    /// How many timeouts were handed over or processed as cancelled in total. Only the worker
    /// writes it, so it needs no atomic addition.
    std::atomic<std::int64_t> done_{0};
    /// How late the timeouts were that were handed over. The worker writes it.
    jtimer::detail::LatenessCounter lateness_;

    // Touched by the worker thread only.

    HashedWheel wheel_;
    /// Taken over from the inbox, and not placed yet, or cancelled before that.
    TimeoutList arrived_;
    /// The next tick to be handled.
    Tick tick_ = 0;
    /// A time that the clock has shown since the last timeout arrived.
    Nanos knownTime_ = jtimer::detail::kLongAgo;
    /// For the lateness: whether Monitor::reached() is the present time, and otherwise how many
    /// runs have begun since it was last read.
    bool isReachedExact_ = false;
    int runsSinceReading_ = 0;
    /// The first tick from which a search for ticks to skip may pay off again.
    Tick nextLook_ = 0;
    /// The HashedWheelTimer was destroyed on this thread: no further run begins.
    bool abandoned_ = false;

    /// At the end, everything that was pending passes through these lists. owed_: cancelled by
    /// other threads, or of no interest to a stop(). toCall_ and cancelledByStop_: cancelled by
    /// end(), before the cancelled() call and from it on. stop() returns the last list, and may
    /// touch it once the thread has ended.
    bool ended_ = false;
    TimeoutList owed_;
    TimeoutList toCall_;
    TimeoutList cancelledByStop_;
};

}  // namespace jtimer::netty::detail

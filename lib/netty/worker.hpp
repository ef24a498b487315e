// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "netty/hashed_wheel.hpp"
#include "netty/origin.hpp"
#include "netty/timeout_list.hpp"
#include "thread/monitor.hpp"
#include "thread/own_thread.hpp"

#include <jtimer/executor.hpp>
#include <jtimer/uncaught_exception_handler.hpp>

#include <atomic>
#include <cstdint>
#include <exception>
#include <memory>
#include <string>
#include <vector>

namespace jtimer::netty::detail {

using jtimer::detail::Lock;
using jtimer::detail::Nanos;

/// Netty's loop: one thread, one wheel, and two inboxes that others fill. Shared by the
/// HashedWheelTimer and the thread itself, so that a task may destroy the HashedWheelTimer.
///
/// **Who may touch what.** The monitor guards the inbox of new timeouts, the state, and what it
/// takes to wake an idle worker: held for some instructions, by newTimeout, by stop, and by the
/// worker twice a tick. The inbox of cancellations (Origin) needs no lock. The wheel and every
/// timeout's links, once it has left the inbox, are the worker's alone. The user's code runs with
/// no lock held; a user's clock alone is read under the monitor, by the worker.
///
/// **The way of a timeout.** newTimeout puts it into inbox_. The worker takes that over whole
/// (arrived_), and at the end of the tick places each into the wheel, or, if it is cancelled
/// already, into unplaced_. There it stays until it expires or its cancellation is processed. So a
/// timeout is in exactly one list, which owns it, from newTimeout to its end; and whatever is found
/// in the inbox of cancellations is in one of the worker's lists, once inbox_ has been taken over
/// after it: for nobody can cancel a timeout that newTimeout has not put there.
///
/// **A clock that goes back.** A timeout is due in a tick, which is a span of time on the clock, as
/// the date of a java.util.Timer is a point of it: it runs when the clock shows the end of that
/// tick. When the worker sees that the clock shows a tick before tick_, it goes back to that one,
/// which may be below 0: what is due later stays where it is, since a slot does not tell rounds.
/// So what was pending before the step runs that much later, and what is added after it runs as if
/// there had been none. To shift the start by the step instead, so that nothing is late, was
/// refused: what runs between the step and its correction would run early after that, and readings
/// that go back by nanoseconds, as those of two processors may, would add up.
class Worker : public std::enable_shared_from_this<Worker> {
  public:
    /// What HashedWheelTimerOptions say, checked and completed.
    struct Settings {
        std::string name;
        std::shared_ptr<Clock> clock;
        Nanos tickDuration = 0;
        std::size_t slots = 0;
        std::int64_t maxPendingTimeouts = 0;  // 0 or less: no limit
        Executor taskExecutor;
        UncaughtExceptionHandler handler;
    };

    Worker(Settings settings, HashedWheelTimer& timer);
    Worker(const Worker&) = delete;
    Worker& operator=(const Worker&) = delete;
    ~Worker();

    /// What HashedWheelTimer's functions of these names do.
    void start();
    std::shared_ptr<Timeout> newTimeout(std::shared_ptr<TimerTask> task, Nanos delay);
    std::vector<std::shared_ptr<Timeout>> stop();
    std::int64_t pendingTimeouts();
    const std::string& name() const noexcept { return reporter_->name; }

    /// The end of the HashedWheelTimer: see its destructor.
    void close() noexcept;

  private:
    enum class State { New, Started, Stopped };

    /// To whom exceptions go. A function that was handed to an executor keeps it.
    struct Reporter {
        std::string name;
        UncaughtExceptionHandler handler;
        void report(const std::exception_ptr& exception) const;
    };

    static void runTask(const std::shared_ptr<Timeout>& timeout, const Reporter& reporter);

    bool isNew() const;
    void start(Nanos now);
    State stopAccepting(Lock& lock) noexcept;
    Tick tickAt(Nanos elapsed) const noexcept;
    std::int64_t pending(Lock& lock) const noexcept;

    void run();
    void mainLoop();
    bool awaitEndOfTick(Lock& lock);
    Nanos endOfTick() const noexcept;
    Tick knownTick() const noexcept;
    void skipEmptyTicks() noexcept;
    void transfer();
    void handOver(std::shared_ptr<Timeout> timeout);
    void processCancellations();
    void finishCancelled(const std::shared_ptr<Timeout>& timeout);
    void finish();
    void cancelAll();
    void countDown() noexcept;

    const std::shared_ptr<const Reporter> reporter_;
    const Executor taskExecutor_;
    const Nanos tickDuration_;
    const Nanos revolution_;
    const std::int64_t maxPendingTimeouts_;
    std::unique_ptr<Origin, Origin::LeaveUnused> origin_;

    jtimer::detail::Monitor monitor_;

    // --- guarded by the monitor ------------------------------------------------------------------

    /// Also read without it, to see that start_ has been written.
    std::atomic<State> state_{State::New};
    /// New timeouts, in the order in which they were accepted.
    TimeoutList inbox_;
    /// How many timeouts were accepted, ever.
    std::int64_t accepted_ = 0;
    /// The worker waits without a deadline until something is pending.
    bool idle_ = false;
    /// The tick in which that wait was ended.
    Tick resumeTick_ = 0;
    /// Somebody waits in stop() for what was pending, or has.
    bool stopWasCalled_ = false;

    // --- not guarded -----------------------------------------------------------------------------

    /// When the first tick began, and in which process. Written once, before state_ becomes
    /// Started.
    Nanos start_ = 0;
    std::uint32_t process_ = 0;
    /// How many timeouts were handed over or processed as cancelled, ever. Written by the worker
    /// alone, so it needs no atomic addition.
    std::atomic<std::int64_t> done_{0};

    // --- touched by the worker thread alone ------------------------------------------------------

    HashedWheel wheel_;
    /// Taken over from the inbox, not yet looked at.
    TimeoutList arrived_;
    /// Cancelled before they could be placed.
    TimeoutList unplaced_;
    /// The next tick to be handled.
    Tick tick_ = 0;
    /// A time that the clock has shown since the last timeout arrived.
    Nanos knownTime_ = jtimer::detail::kLongAgo;
    /// From which tick on it may pay to look for ticks that can be skipped.
    Tick nextLook_ = 0;
    /// The HashedWheelTimer was destroyed on this thread: no other run begins.
    bool abandoned_ = false;

    /// In the end, everything that was pending passes through these: cancelled by others, and by
    /// the end itself, before and after the cancelled() call. The last one is what stop() returns,
    /// and is its own when the thread has ended.
    bool ended_ = false;
    TimeoutList owed_;
    TimeoutList toCall_;
    TimeoutList cancelledByStop_;

    /// Started last, when all else is there.
    jtimer::detail::OwnThread thread_;
};

}  // namespace jtimer::netty::detail

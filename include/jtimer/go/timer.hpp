// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include <jtimer/detail/compiler.hpp>
#include <jtimer/exceptions.hpp>
#include <jtimer/go/channel.hpp>
#include <jtimer/time.hpp>

#include <memory>
#include <utility>

namespace jtimer::go {

namespace detail {
class Cell;

struct DropHandle {
    JTIMER_API void operator()(Cell* cell) const noexcept;
};

/// The handle of a timer or a ticker. Null: uninitialised.
using Handle = std::unique_ptr<Cell, DropHandle>;
}  // namespace detail

/// The handle of one timer, made by Timers::newTimer or Timers::afterFunc: the timer fires once for
/// each start, that is, once after it is created and once after each reset. When it fires, its
/// channel has a value, or its function runs.
///
/// For each start, either the value is received (or the function handed over) once, or one stop or
/// reset returns true, never both. After a stop or a reset has returned, no value of an earlier
/// start is received, even if it had fired.
///
/// The handle can be moved but not copied. Without it, a timer with a channel lives as long as its
/// channels, and a timer with a function until the function has run. A function that owns the
/// handle of its own timer forms a cycle and is never freed: capture a reference, or reset the
/// handle in the function.
///
/// **Threads.** stop(), reset() and C() may be called by any thread, by several on the same handle,
/// and inside the timer's own function. They never wait for a function or a receiver;
/// stopAndWait() does.
class JTIMER_API Timer {
  public:
    /// An uninitialised handle. One that was moved from is uninitialised, too.
    Timer() noexcept = default;

    /// \returns whether it is not uninitialised
    explicit operator bool() const noexcept { return cell_ != nullptr; }

    /// \returns its channel; nil for a timer with a function and for an uninitialised handle
    [[nodiscard]] Channel C() const;

    /// Ends the current start.
    /// \returns true if this call prevented the value from being received or the function from
    ///   running; false if the value was already received, the function handed over or the timer
    ///   stopped, and after ~Timers
    /// \throws IllegalStateException "time: Stop called on uninitialized Timer"
    bool stop();

    /// Calls stop(), and waits until no run of the function is in progress, whichever start it
    /// belongs to, and none can begin: the caller may then destroy what the function uses. By then,
    /// exceptions of the runs have been reported. If a run resets the timer meanwhile, stops it
    /// again; after a reset by another thread, or later, the function runs again. For a timer with
    /// a channel, it is stop().
    ///
    /// A run that was handed to TimersOptions::executor ends when the executor's function has been
    /// called, or destroyed uncalled.
    ///
    /// It does not wait inside a run of this timer, even if another one is in progress, as two of
    /// them could wait for each other; nor in a forked child. boost::thread::interrupt does not end
    /// the wait. It deadlocks if a run waits for
    ///   - a lock that you hold, or for you
    ///   - the executor's only thread, if you are on it
    ///   - a ManualClock, if you are a task on that clock: its time stands still until you return
    /// \returns true if this call prevented the function from running; otherwise false
    /// \throws IllegalStateException "time: Stop called on uninitialized Timer"
    bool stopAndWait();

    /// Ends the current start and starts the timer again: due after `d`, or at once if `d` is 0 or
    /// negative.
    /// \returns what stop() would have returned
    /// \throws IllegalStateException "time: Reset called on uninitialized Timer"
    /// \throws TimersDestroyed
    /// \throws std::bad_alloc
    bool reset(TimeSpan d);

  private:
    friend class Access;
    explicit Timer(detail::Handle cell) noexcept : cell_(std::move(cell)) {}

    detail::Handle cell_;
};

/// The handle of a ticker, made by Timers::newTicker: its channel has a value, a tick, at every
/// multiple of its period after its start.
///
/// At most one tick waits to be received; ticks that come due meanwhile are dropped. The next tick
/// is the first multiple of the period after the moment of the receive: missed ticks are skipped,
/// the phase is kept, and there is never a burst. If every period needs its run, use
/// jtimer::Timer::scheduleAtFixedRate.
///
/// Ownership and threads are as for a Timer. A ticker from which no thread receives takes no CPU
/// time.
class JTIMER_API Ticker {
  public:
    /// An uninitialised handle. One that was moved from is uninitialised, too.
    Ticker() noexcept = default;

    /// \returns its channel; nil for an uninitialised handle
    [[nodiscard]] Channel C() const;

    /// Ends the ticks and drops one that was not received. Does nothing on a stopped ticker or an
    /// uninitialised handle.
    void stop();

    /// Starts the ticker again, even if it is stopped, with `d` as its period: the first tick is
    /// due after `d`. A tick that was not received is dropped.
    /// \throws IllegalArgumentException "non-positive interval for Ticker.Reset"
    /// \throws IllegalStateException "time: Reset called on uninitialized Ticker"
    /// \throws TimersDestroyed
    /// \throws std::bad_alloc
    void reset(TimeSpan d);

  private:
    friend class Access;
    explicit Ticker(detail::Handle cell) noexcept : cell_(std::move(cell)) {}

    detail::Handle cell_;
};

}  // namespace jtimer::go

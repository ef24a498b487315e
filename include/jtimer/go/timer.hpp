// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include <jtimer/detail/export.hpp>
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

/// What the handle of a timer or a ticker consists of. Null: uninitialised.
using Handle = std::unique_ptr<Cell, DropHandle>;
}  // namespace detail

/// The handle of one timer, made by Timers::newTimer or Timers::afterFunc: it fires once for each
/// start, that is, once after it is made and once after each reset. Then its channel has a value,
/// or its function runs.
///
/// Of each start either the value is received (the function handed over) once, or one stop or reset
/// returns true, never both. After a stop or a reset has returned, no value of an earlier start is
/// received, even if it had fired.
///
/// The handle may be moved, not copied. Without it a timer with a channel lives on in its channels,
/// and one with a function until that has run. A function that owns the handle of its own timer is
/// a cycle, and never freed: capture a reference, or reset the handle in the function.
///
/// **Threads.** stop(), reset() and C() may be called by any thread, also several on the same
/// handle, and inside the timer's own function. They never wait for a function or a receiver.
class JTIMER_API Timer {
  public:
    /// Uninitialised, as is a handle that was moved from.
    Timer() noexcept = default;

    /// \returns its channel; nil for a timer with a function and for an uninitialised handle
    [[nodiscard]] Channel C() const;

    /// Ends the current start.
    /// \returns true if this call has kept it from being received, or its function from running;
    ///   false if it has been received, handed over or stopped already, and after ~Timers
    /// \throws IllegalStateException "time: Stop called on uninitialized Timer"
    bool stop();

    /// Ends the current start, and starts the timer anew: due in `d`, at once if that is 0 or
    /// negative.
    /// \returns what stop() would have
    /// \throws IllegalStateException "time: Reset called on uninitialized Timer", "time: Timers
    ///   destroyed"
    /// \throws std::bad_alloc
    bool reset(TimeSpan d);

  private:
    friend class HandleAccess;
    explicit Timer(detail::Handle cell) noexcept : cell_(std::move(cell)) {}

    detail::Handle cell_;
};

/// The handle of a ticker, made by Timers::newTicker: its channel has a value, a tick, at every
/// multiple of its period after its start.
///
/// At most one tick waits to be received; those that come due meanwhile are dropped. The next tick
/// after it is the first on the grid that lies after the moment of the receive: what was missed is
/// skipped, the phase is kept, and there is never a burst. If every period must have its run, use
/// jtimer::Timer::scheduleAtFixedRate.
///
/// Ownership and threads are as for a Timer. A ticker that nobody reads costs nothing.
class JTIMER_API Ticker {
  public:
    /// Uninitialised, as is a handle that was moved from.
    Ticker() noexcept = default;

    /// \returns its channel; nil for an uninitialised handle
    [[nodiscard]] Channel C() const;

    /// Ends the ticks; one that was not received is dropped. Does nothing on a stopped ticker or an
    /// uninitialised handle.
    void stop();

    /// Starts it anew, even if it is stopped, with `d` as its period: the first tick is due in `d`.
    /// A tick that was not received is dropped.
    /// \throws IllegalArgumentException "non-positive interval for Ticker.Reset"
    /// \throws IllegalStateException "time: Reset called on uninitialized Ticker", "time: Timers
    ///   destroyed"
    /// \throws std::bad_alloc
    void reset(TimeSpan d);

  private:
    friend class HandleAccess;
    explicit Ticker(detail::Handle cell) noexcept : cell_(std::move(cell)) {}

    detail::Handle cell_;
};

}  // namespace jtimer::go

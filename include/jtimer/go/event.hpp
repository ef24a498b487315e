// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include <jtimer/detail/compiler.hpp>
#include <jtimer/go/channel.hpp>
#include <jtimer/time.hpp>

namespace jtimer::go {

namespace detail {
class EventCell;
}

/// Something that happens once, and that any number of threads can wait for: a channel that closes,
/// Go's `chan struct{}`. It converts to a Channel, so a call can wait for a timer and an event:
///
/// \code
/// jtimer::go::Event shutdown;
/// ...
/// while (jtimer::go::select({shutdown, ticker.C()}).index == 1) sweep();
/// \endcode
///
/// Once it is set, every receive from its channel returns at once, with the value Date(). Until
/// then a receive blocks, even if no handle is left that could set the event.
///
/// It is a handle, as a channel in Go is: cheap to copy, and all copies refer to the same event. So
/// a lambda can capture it by value, and no thread can outlive it. A copy that was moved from is
/// still a handle of the event.
///
/// It belongs to no Timers and to no clock: a select() may wait for an event and for timers of any
/// runtimes. So it has no time to compare. A select() that finds an event set and other channels
/// ready chooses fairly, as described there; an event that is set comes before every time-out.
///
/// **Threads.** Every function may be called by any thread, and by several threads on one object as
/// long as none assigns to it or destroys it. On a thread of a runtime, a call that blocks ends
/// with an exception when that runtime is destroyed, as all calls of a function do; on the thread
/// that fires the timers it throws, instead of blocking that thread.
///
/// **Clock.** On a ManualClock, a function of a timer that waits for an event does not hold up the
/// clock, whatever else it waits for. Once the event is set, it does so again.
///
/// **Forked children** of the process that constructed an event can set it for themselves, and see
/// whether it is set; a call that would block for it throws TimersDestroyed, as with a timer.
class JTIMER_API Event {
  public:
    /// A new event, which is not set. \throws std::bad_alloc
    Event();
    Event(const Event& other) noexcept;             ///< refers to the same event
    Event& operator=(const Event& other) noexcept;  ///< drops the event that it had
    ~Event();

    /// Sets the event, and wakes all calls that wait for it. Setting it again does nothing, where a
    /// second close() panics in Go. What a thread did before set() is visible to a thread that has
    /// seen the event set.
    void set() const noexcept;

    [[nodiscard]] bool isSet() const noexcept;  ///< whether set() was called

    /// Its channel, which has a value for every receive once the event is set.
    [[nodiscard]] Channel C() const noexcept;
    /// Calls C(), so that an event can stand in a list of channels.
    operator Channel() const noexcept { return C(); }

    /// Blocks until the event is set. \throws as Channel::receive()
    void receive() const { C().receive(); }
    /// Blocks until the event is set, for at most `timeout`, on the clock of defaultTimers(). On
    /// another clock, use select({event, timers.after(timeout)}).
    /// \returns whether the event is set
    /// \throws as Channel::receiveFor(), and what defaultTimers() throws
    bool receiveFor(TimeSpan timeout) const { return C().receiveFor(timeout).has_value(); }

  private:
    /// Holds a reference; never null.
    detail::EventCell* cell_;
};

}  // namespace jtimer::go

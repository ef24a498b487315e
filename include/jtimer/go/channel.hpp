// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include <jtimer/detail/compiler.hpp>
#include <jtimer/exceptions.hpp>
#include <jtimer/go/detail/advice.hpp>
#include <jtimer/go/detail/chan_ref.hpp>
#include <jtimer/time.hpp>

#include <cstddef>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

namespace jtimer::go {

template <class T>
class Chan;
class Event;
class Ticker;
class Timer;

namespace detail {
class Item;
}

/// Thrown by every call of this header and of timers.hpp that would block or start a timer after
/// its runtime was destroyed, and by calls that are blocked at that moment. The text is "time:
/// Timers destroyed"; in a forked child, for the runtimes of its parent, "time: Timers belong to
/// the parent process". A loop that receives until its Timers end catches it:
///
/// \code
/// try {
///     for (;;) handle(ticker.C().receive());
/// } catch (const jtimer::go::TimersDestroyed&) {
/// }
/// \endcode
class JTIMER_API TimersDestroyed : public IllegalStateException {
  public:
    using IllegalStateException::IllegalStateException;
    ~TimersDestroyed() override;
};

/// Receives the values of a timer or a ticker: Go's `t.C`. A value is exactly the time for which it
/// was due, on the clock of the timer's runtime. The channel of an Event is one that closes: see
/// event.hpp.
///
/// It is a handle: cheap to copy, and all copies refer to the same channel. The timer lives as long
/// as its handle or any of its channels, so `timers.newTimer(1s).C()` works. A default-constructed
/// Channel is nil, and so is the channel of a timer with a function.
///
/// A value is ready as soon as the clock shows its time. Exactly one receive gets it: that of the
/// thread that blocked first, or, if none is blocked, the next call. A value that a stop or a reset
/// has withdrawn is never received.
///
/// **Threads.** Every function may be called by any thread, and by several threads on one Channel
/// object as long as none assigns to it or destroys it. A call that would block must not be made on
/// the thread that fires the timers, where an inline executor runs functions: it would throw.
/// Neither boost::thread::interrupt nor pthread_cancel ends a blocked call.
///
/// A value is a time to the nanosecond, as in Go, if a Date has nanoseconds, as with libstdc++.
/// Else it is rounded down: to microseconds with libc++.
class JTIMER_API Channel {
  public:
    /// Nil: no value ever comes.
    Channel() noexcept;
    Channel(const Channel& other) noexcept;      ///< refers to the same channel
    Channel(Channel&& other) noexcept;           ///< leaves the other nil
    Channel& operator=(Channel other) noexcept;  ///< drops the channel that it had
    ~Channel();

    /// \returns whether it is not nil
    explicit operator bool() const noexcept { return item_ != nullptr; }

    /// \returns the value if one is ready; nothing on a nil channel and after ~Timers. Does not
    ///   block
    /// \throws std::bad_alloc for a ticker; the tick is not received
    std::optional<Date> tryReceive() const;

    /// Blocks until there is a value. Stopping the timer does not end the wait; a later reset does,
    /// when it fires.
    /// \throws TimersDestroyed if the runtime is destroyed, before or meanwhile
    /// \throws IllegalStateException
    ///   - on a nil channel
    ///   - if no value can ever come, or as soon as none can: the timer neither runs nor has a
    ///     value, and without its handle nothing can reset it
    ///   - if it would block the thread that fires the timers
    /// \throws std::bad_alloc, with nothing received
    Date receive() const;

    /// Blocks until there is a value, for at most `timeout` on the runtime's clock; 0 or less does
    /// not block. The clock decides which came first, not the order in which threads run; if both
    /// are due at the same time, the value wins.
    /// \returns nothing after the time-out
    /// \throws TimersDestroyed, IllegalStateException as receive(), but not if no value can come:
    ///   that times out
    /// \throws std::bad_alloc, with nothing received
    std::optional<Date> receiveFor(TimeSpan timeout) const;

    /// 0, as in Go since 1.23: a value is handed over, not buffered.
    [[nodiscard]] std::size_t len() const noexcept { return 0; }
    [[nodiscard]] std::size_t cap() const noexcept { return 0; }  ///< 0, as len()

    /// Whether both belong to the same timer, or both are nil.
    friend bool operator==(const Channel& a, const Channel& b) noexcept {
        return a.item_ == b.item_;
    }
    /// Whether they belong to different timers, or only one of them is nil.
    friend bool operator!=(const Channel& a, const Channel& b) noexcept { return !(a == b); }

  private:
    friend class Access;
    explicit Channel(detail::Item* item) noexcept : item_(item) {}

    /// Holds a reference. Null: nil.
    detail::Item* item_ = nullptr;
};

/// One case of a select(): a channel or an event to receive from, or what a Chan makes of a
/// variable: see Chan::receiveInto and Chan::sendFrom. It may be copied, and used again.
class JTIMER_API Case {
  public:
    /// Receives from a channel; a nil one is skipped.
    Case(Channel channel) noexcept : channel_(std::move(channel)) {}
    /// Receives from an event's channel.
    Case(const Event& event) noexcept;
    /// A timer's handle is not a channel.
    Case(const Timer&, detail::write_C_of_the_timer = {}) = delete;
    Case(const Ticker&, detail::write_C_of_the_timer = {}) = delete;

  private:
    friend class Access;
    template <class T>
    friend class Chan;

    Case(detail::ChanRef chan, const detail::ChanTransfer& transfer, void* variable) noexcept
        : chan_(std::move(chan)), transfer_(&transfer), variable_(variable) {}

    Channel channel_;
    detail::ChanRef chan_;
    /// Null: not a case of a Chan.
    const detail::ChanTransfer* transfer_ = nullptr;
    void* variable_ = nullptr;
};

/// Which case select() has chosen, and what it received.
struct Selected {
    std::size_t index;  ///< of the case, in the list
    Date value;         ///< what a Channel's case received; Date() for a Chan's
};

/// Blocks until one of the cases is ready, and receives or sends only there. Nil channels are
/// skipped. The channels may be of different runtimes, and of events, contexts and Chans.
///
/// **Several that are ready.** If all of them are timers', it receives the value that was due
/// first; of equal values, the one whose channel comes first in the list. If another source is
/// among them, it chooses the source that such a select chose longest ago. Sources that none has
/// chosen yet come before these: first events and contexts, in the order of the list, then the
/// timer that was due first, then Chans in the order of the list. So the first select after a
/// shutdown sees the shutdown; and if no other thread selects from these sources, one that is ready
/// is passed over at most once for each other one. To send to a Chan and to receive from it are two
/// sources; of two cases that do the same, the first in the list is chosen.
/// 	hrows TimersDestroyed if one of the runtimes is destroyed, before or meanwhile
/// 	hrows IllegalStateException
///   - if the list is empty, or all channels are nil
///   - "send on closed channel" if it chooses to send to a Chan that is closed
///   - if no value can ever come from any of them, see Channel::receive, or as soon as none can
///   - if it would block the thread that fires the timers
/// \throws std::bad_alloc, with nothing received or sent
JTIMER_API Selected select(const std::vector<Case>& cases);

/// Does what select() does, but for at most `timeout`, on the clock of the first channel of a timer
/// or, without such a channel, of defaultTimers(); 0 or less does not block, as Go's `default:`. As
/// with Channel::receiveFor, the clock decides between a value and the time-out; between a value on
/// another clock and the time-out, whichever is noticed first.
/// \returns nothing after the time-out
/// \throws TimersDestroyed, IllegalStateException as above, but not if no value can come: that times out
/// \throws std::bad_alloc, with nothing received or sent
JTIMER_API std::optional<Selected> select(const std::vector<Case>& cases, TimeSpan timeout);

///@{ The same for a list of channels that is stored. A template for exactly this list: in braces,
///   channels are cases.
template <class C, std::enable_if_t<std::is_same_v<C, Channel>, int> = 0>
Selected select(const std::vector<C>& channels) {
    return select(std::vector<Case>(channels.begin(), channels.end()));
}
template <class C, std::enable_if_t<std::is_same_v<C, Channel>, int> = 0>
std::optional<Selected> select(const std::vector<C>& channels, TimeSpan timeout) {
    return select(std::vector<Case>(channels.begin(), channels.end()), timeout);
}
///@}

}  // namespace jtimer::go

// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include <jtimer/go/channel.hpp>
#include <jtimer/go/detail/chan_ref.hpp>
#include <jtimer/time.hpp>

#include <cstddef>
#include <iterator>
#include <memory>
#include <optional>
#include <utility>

namespace jtimer::go {

/// A channel that carries values from one thread to another: Go's `chan T`, made by makeChan().
///
/// \code
/// const auto jobs = jtimer::go::makeChan<Job>(100);
/// std::thread worker([jobs] {
///     for (auto& job : jobs) job.run();
/// });
/// jobs.send(Job(1));
/// jobs.close();
/// \endcode
///
/// Each value is received once, and values arrive in the order in which they were sent. A send
/// waits while as many values as the capacity are inside; with capacity 0, until a receive takes
/// the value. Calls that wait are served in the order in which they blocked. After close(), nothing
/// can be sent; receives return what is inside, and then nothing, at once.
///
/// It is a handle: cheap to copy, and all copies are the same channel. A default-constructed Chan
/// is nil: select() skips it, the try functions return false or nothing, and other calls throw.
/// Values that nobody has received are destroyed with the last handle.
///
/// A Chan belongs to no Timers and to no clock, as an Event: a select() may wait for Chans and for
/// timers of any runtimes.
///
/// **Values.** Moves of T must not throw. T may be incomplete where its Chan is only a member. Its
/// functions are called on the threads that send and receive, with no lock held, so they may use
/// the Chan themselves. Each send allocates memory once.
///
/// **Threads.** Every function may be called by any thread, and by several threads on one object as
/// long as none assigns to it or destroys it. What a thread did before a send is visible to the
/// receiver of the value. What a thread did before a receive that made room is visible to the
/// sender that had to wait for the room. On a thread of a runtime, a call that blocks throws
/// TimersDestroyed when that runtime is destroyed; on the thread that fires the timers it throws
/// IllegalStateException, instead of blocking that thread.
///
/// **Clock.** On a ManualClock, a function of a timer that waits in a Chan does not hold up the
/// clock. Once the send or receive that ends its wait has returned, it does so again.
///
/// **Forked children** of the process that made a Chan cannot receive its values: there the try
/// functions return false or nothing, calls that would block throw TimersDestroyed, and close()
/// closes it for the child only.
template <class T>
class Chan {
  public:
    class iterator;

    /// Nil.
    Chan() noexcept = default;

    /// \returns whether it is not nil
    explicit operator bool() const noexcept { return static_cast<bool>(ref_); }

    /// Blocks until there is room for the value or, with capacity 0, until it is received. A value
    /// that is not sent is destroyed.
    /// \throws IllegalStateException
    ///   - "send on closed channel", also if the Chan is closed meanwhile
    ///   - on a nil Chan
    ///   - if it would block the thread that fires the timers
    /// \throws TimersDestroyed if the runtime of the calling thread is destroyed meanwhile
    /// \throws std::bad_alloc
    void send(T value) const { ref_.send(Moves::take(&value)); }

    /// Sends the value if that is possible without blocking.
    /// \returns true: `value` was moved from. False, as after an exception: it has its value
    /// \throws IllegalStateException "send on closed channel"
    /// \throws std::bad_alloc
    [[nodiscard]] bool trySend(T&& value) const {
        if (!ref_) return false;
        Lent lent{value, Moves::take(&value)};
        return ref_.trySend(lent.node);
    }

    /// Blocks until there is a value.
    /// \returns nothing if the Chan is closed and empty, at once or as soon as it is
    /// \throws IllegalStateException
    ///   - on a nil Chan
    ///   - if it would block the thread that fires the timers
    /// \throws TimersDestroyed if the runtime of the calling thread is destroyed meanwhile
    /// \throws std::bad_alloc, with nothing received
    std::optional<T> receive() const { return valueOf(ref_.receive()); }

    /// \returns the value if one is ready; nothing also on a nil Chan. Does not block
    std::optional<T> tryReceive() const { return valueOf(ref_.tryReceive()); }

    /// Does what receive() does, but for at most `timeout` on the clock of defaultTimers(); 0 or
    /// less does not block. On another clock, use select({c.receiveInto(v),
    /// timers.after(timeout)}).
    /// \returns nothing after the time-out, too
    /// \throws as receive(), and what defaultTimers() throws
    std::optional<T> receiveFor(TimeSpan timeout) const {
        return valueOf(ref_.receiveFor(timeout));
    }

    /// From now on nothing can be sent. Sends that wait throw; receives that wait return nothing.
    /// \throws IllegalStateException "close of closed channel"; "close of nil channel"
    void close() const { ref_.close(); }

    [[nodiscard]] bool isClosed() const noexcept { return ref_.isClosed(); }  ///< nil: false
    /// How many values are inside: sent, but not received. 0 if nil.
    [[nodiscard]] std::size_t len() const noexcept { return ref_.len(); }
    /// The capacity. 0 if nil.
    [[nodiscard]] std::size_t cap() const noexcept { return ref_.cap(); }

    /// A case of a select() that receives. If it is chosen, `value` has what was received, or is
    /// empty if the Chan is closed; otherwise it does not change.
    /// \param value must exist until the select returns, and not be used meanwhile
    [[nodiscard]] Case receiveInto(std::optional<T>& value) const {
        static constexpr detail::ChanTransfer transfer{nullptr, &Moves::putReceived};
        return Case(ref_, transfer, &value);
    }

    /// A case of a select() that sends. If it is chosen, `value` was moved from; otherwise, and if
    /// the select throws, it has its value. The select allocates memory for the value in any case,
    /// and throws IllegalStateException "send on closed channel" if this case is chosen and the
    /// Chan is closed.
    /// \param value must exist until the select returns, and not be used meanwhile
    [[nodiscard]] Case sendFrom(T& value) const {
        static constexpr detail::ChanTransfer transfer{&Moves::take, &Moves::putBack};
        return Case(ref_, transfer, &value);
    }

    /// Receives the first value. A loop `for (auto& each : chan)` receives until the Chan is closed
    /// and empty. \throws as receive(), and so does ++
    iterator begin() const { return iterator(*this); }
    iterator end() const { return {}; }  ///< where a loop ends: the Chan is closed and empty

    /// Whether both are the same channel, or both are nil.
    friend bool operator==(const Chan& a, const Chan& b) noexcept { return a.ref_ == b.ref_; }
    /// Whether they are different channels, or only one of them is nil.
    friend bool operator!=(const Chan& a, const Chan& b) noexcept { return !(a == b); }

  private:
    template <class U>
    friend Chan<U> makeChan(std::size_t capacity);

    explicit Chan(std::size_t capacity) : ref_(capacity) {}

    using Moves = detail::ChanMoves<T>;

    static std::optional<T> valueOf(const std::unique_ptr<detail::ChanNode>& node) noexcept {
        if (node == nullptr) return std::nullopt;
        return std::move(Moves::valueIn(*node));
    }

    /// Moves a value back from a node that was not sent.
    struct Lent {
        T& value;
        std::unique_ptr<detail::ChanNode> node;
        ~Lent() {
            if (node != nullptr) Moves::putBack(&value, node.get());
        }
    };

    detail::ChanRef ref_;
};

/// Receives from a Chan, as an input iterator: it has the value that was received last, which may
/// be moved from. It can be copied if T can.
template <class T>
class Chan<T>::iterator {
  public:
    ///@{ As the standard library's algorithms need them.
    using iterator_category = std::input_iterator_tag;
    using value_type = T;
    using difference_type = std::ptrdiff_t;
    using pointer = T*;
    using reference = T&;
    ///@}

    iterator() noexcept = default;  ///< the end

    ///@{ The value; not at the end.
    T& operator*() const noexcept { return *value_; }
    T* operator->() const noexcept { return &*value_; }
    ///@}
    /// Receives the next value. \throws as Chan::receive()
    iterator& operator++() {
        value_.reset();
        if (auto next = chan_.receive()) value_.emplace(std::move(*next));
        return *this;
    }
    /// Receives the next value. \returns a copy that has the last one. \throws as Chan::receive()
    iterator operator++(int) {
        iterator last = *this;
        ++*this;
        return last;
    }

    ///@{ Equal if both are at the end, or neither is.
    friend bool operator==(const iterator& a, const iterator& b) noexcept {
        return a.value_.has_value() == b.value_.has_value();
    }
    friend bool operator!=(const iterator& a, const iterator& b) noexcept { return !(a == b); }
    ///@}

  private:
    friend class Chan;
    explicit iterator(const Chan& chan) : chan_(chan) { ++*this; }

    Chan chan_;
    /// The value may be changed through an iterator that is const, as through a pointer.
    mutable std::optional<T> value_;
};

/// A new channel.
/// \param capacity how many values can be inside; 0: each send waits for its receive
/// \throws std::bad_alloc
template <class T>
[[nodiscard]] Chan<T> makeChan(std::size_t capacity = 0) {
    return Chan<T>(capacity);
}

}  // namespace jtimer::go

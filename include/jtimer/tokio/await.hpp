// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include <jtimer/detail/export.hpp>
#include <jtimer/exceptions.hpp>
#include <jtimer/time.hpp>
#include <jtimer/tokio/interval.hpp>
#include <jtimer/tokio/notify.hpp>
#include <jtimer/tokio/sleep.hpp>
#include <jtimer/tokio/time_driver.hpp>

#if __has_include(<version>)
#include <version>
#endif
#if defined(__cpp_impl_coroutine) && defined(__cpp_lib_coroutine)
#include <coroutine>
#include <optional>
#include <utility>
#endif

/// \file
/// co_await for Sleep, Interval and Notified, where the language has coroutines (C++20):
///
/// \code
/// co_await driver.sleep(250ms);
/// co_await sleep;                            // a Sleep that others may reset meanwhile
/// const Date scheduled = co_await interval;  // the next tick of an Interval
/// co_await notify.notified();
/// \endcode
///
/// The coroutine is resumed inside the waker: usually on the thread that turns the driver, see
/// Waker. After a shutdown co_await throws DriverShutdown "TimeDriver has been shut down.",
/// even in a coroutine that was already waiting. Destroying a waiting coroutine deregisters its
/// Sleep; a Notified that the coroutine does not own keeps its place in the queue, without a waker.
/// Destroy a waiting coroutine on the thread that turns the driver, or while no thread turns it: on
/// any other thread, it might be resumed at the same time.

namespace jtimer::tokio::detail {

/// The Sleep that an Interval waits with.
JTIMER_API Sleep& sleepOf(Interval& interval) noexcept;

}  // namespace jtimer::tokio::detail

#if defined(__cpp_impl_coroutine) && defined(__cpp_lib_coroutine)

namespace jtimer::tokio {

namespace detail {

inline bool isOver(const Sleep& sleep) noexcept { return sleep.isElapsed(); }
inline bool isOver(Notified& notified) { return notified.poll(); }

/// Waits until a Sleep has fired, or a Notified has been notified.
template <class Awaited>
class Awaiter {
  public:
    explicit Awaiter(Awaited& awaited) noexcept : awaited_(awaited) {}
    Awaiter(const Awaiter&) = delete;
    Awaiter& operator=(const Awaiter&) = delete;
    /// Also runs when the coroutine is destroyed while it waits.
    ~Awaiter() {
        if (isWaiting_) awaited_.dropWaker();
    }

    bool await_ready() const { return isOver(awaited_); }

    /// On a threaded driver the coroutine may continue, and end, before poll() returns, so nothing
    /// of it is used after that.
    bool await_suspend(std::coroutine_handle<> coroutine) {
        isWaiting_ = true;
        return !awaited_.poll([coroutine] { coroutine.resume(); });
    }

    /// Checks only for a shutdown: a Sleep has fired, though it may have been reset since.
    /// \throws DriverShutdown "TimeDriver has been shut down." if it was not over before
    void await_resume() {
        isWaiting_ = false;
        awaited_.poll();
    }

  private:
    Awaited& awaited_;
    /// Used only by the coroutine: before it can continue, when it does, or when it is destroyed.
    bool isWaiting_ = false;
};

template <class Awaited>
struct Owned {
    explicit Owned(Awaited&& given) noexcept : owned(std::move(given)) {}

    Awaited owned;
};

/// The same for one that the awaiter owns. The base classes are in this order because the Awaiter
/// uses what is owned until it is destroyed.
template <class Awaited>
class OwnAwaiter : Owned<Awaited>, public Awaiter<Awaited> {
  public:
    explicit OwnAwaiter(Awaited&& awaited) noexcept
        : Owned<Awaited>(std::move(awaited)), Awaiter<Awaited>(this->owned) {}
};

/// Waits for a tick and takes it.
class IntervalAwaiter : public Awaiter<Sleep> {
  public:
    explicit IntervalAwaiter(Interval& interval) noexcept
        : Awaiter(sleepOf(interval)), interval_(interval) {}

    Date await_resume() {
        Awaiter::await_resume();
        if (const std::optional<Date> scheduled = interval_.pollTick()) return *scheduled;
        throw IllegalStateException("The Interval was reset after it had fired.");
    }

  private:
    Interval& interval_;
};

}  // namespace detail

/// Waits until the Sleep has fired. The coroutine is resumed even if another thread resets the
/// Sleep just after that.
/// \throws DriverShutdown "TimeDriver has been shut down."
inline detail::Awaiter<Sleep> operator co_await(Sleep& sleep) noexcept {
    return detail::Awaiter<Sleep>(sleep);
}

/// The same for a temporary Sleep.
inline detail::OwnAwaiter<Sleep> operator co_await(Sleep&& sleep) noexcept {
    return detail::OwnAwaiter<Sleep>(std::move(sleep));
}

/// Waits until the Notified has been notified.
/// \throws DriverShutdown "TimeDriver has been shut down."
inline detail::Awaiter<Notified> operator co_await(Notified& notified) noexcept {
    return detail::Awaiter<Notified>(notified);
}

/// The same for a temporary Notified.
inline detail::OwnAwaiter<Notified> operator co_await(Notified&& notified) noexcept {
    return detail::OwnAwaiter<Notified>(std::move(notified));
}

/// Waits for the next tick and takes it. \returns the time that the tick was scheduled for
///
/// While a coroutine waits, the Interval may be reset on the thread that turns the driver, or while
/// no thread turns it. On any other thread, a reset might come between the tick and the coroutine
/// that takes it, and use the Interval at the same time as the coroutine.
/// \throws DriverShutdown "TimeDriver has been shut down.", or "The Interval was reset after
///   it had fired." if another thread reset it before the coroutine was resumed
inline detail::IntervalAwaiter operator co_await(Interval& interval) noexcept {
    return detail::IntervalAwaiter(interval);
}

}  // namespace jtimer::tokio

#endif

// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include <jtimer/tokio/completion.hpp>
#include <jtimer/tokio/delay_queue.hpp>
#include <jtimer/tokio/interval.hpp>
#include <jtimer/tokio/notify.hpp>
#include <jtimer/tokio/select.hpp>
#include <jtimer/tokio/sleep.hpp>
#include <jtimer/tokio/task.hpp>
#include <jtimer/tokio/time_driver.hpp>
#include <jtimer/tokio/timeout.hpp>

#if __has_include(<version>)
#include <version>
#endif
#if defined(__cpp_impl_coroutine) && defined(__cpp_lib_coroutine)
#include <jtimer/tokio/detail/awaiters.hpp>

#include <type_traits>
#include <utility>
#endif

/// \file
/// co_await, where the language has coroutines (C++20):
///
/// \code
/// co_await driver.sleep(250ms);
/// co_await sleep;                            // a Sleep that others may reset meanwhile
/// const Date scheduled = co_await interval;  // the next tick of an Interval
/// co_await notify.notified();
/// const int answer = co_await timeout(driver, 5s, completion);  // throws Elapsed
/// while (auto expired = co_await queue) use(expired->value);    // a DelayQueue, until it is empty
/// const int value = co_await until(driver, completion);         // any operation
/// const auto first = co_await until(driver, select(driver.sleep(5s), std::ref(completion)));
/// \endcode
///
/// A coroutine that has waited continues in a turn of its driver, see Waker, or in its shutdown. It
/// never continues inside a call that makes something ready, such as Completion::set(),
/// Notify::notifyOne(), DelayQueue::insert() or Sleep::reset(): so that may be made under a lock
/// that the coroutine takes. Until it has to wait, it runs on its caller's thread.
///
/// A co_await of what is ready does not wait. But in a turn, a coroutine that has found ready what
/// it awaits 128 times in a row continues in the next turn, so that its loop holds up nothing.
///
/// A Sleep, an Interval or a Notified resumes the coroutine inside the waker. For the others the
/// waker only marks the wait in the driver, whose next turn polls again, and resumes the coroutine
/// once: a waker that is called late, twice, or by another thread does no harm. What that poll
/// throws, the co_await throws.
///
/// When the driver is shut down, waiting coroutines are resumed, and co_await throws DriverShutdown
/// unless what they wait for is ready. If a second coroutine waits for the same Sleep, Interval,
/// Notified, Timeout or DelayQueue, its co_await throws IllegalStateException "Another coroutine is
/// waiting for this Sleep." (or Interval, ...), and the first one goes on waiting. Threads may wait
/// for it too.
///
/// Destroying a waiting coroutine withdraws its wakers: a Sleep is deregistered, and a Notified
/// that the coroutine does not own keeps its place in the queue. Destroy a waiting coroutine on the
/// thread that turns the driver, or while no thread turns it: on any other thread, it might be
/// resumed at the same time.
///
/// A wait for a Timeout, a DelayQueue or with until() allocates twice, beside what the poll does.

#if defined(__cpp_impl_coroutine) && defined(__cpp_lib_coroutine)

namespace jtimer::tokio {

/// Waits until the Sleep has fired. The coroutine is resumed even if another thread resets the
/// Sleep just after that.
/// \throws DriverShutdown "TimeDriver has been shut down."
/// \throws IllegalStateException if another coroutine is waiting for it
inline detail::Awaiter<Sleep> operator co_await(Sleep& sleep) noexcept { return {sleep, "Sleep"}; }

/// Waits for a temporary Sleep, which the wait owns.
inline detail::OwnAwaiter<Sleep> operator co_await(Sleep&& sleep) noexcept {
    return {std::move(sleep), "Sleep"};
}

/// Waits until the Notified has been notified.
/// \throws DriverShutdown "TimeDriver has been shut down."
/// \throws IllegalStateException if another coroutine is waiting for it
inline detail::Awaiter<Notified> operator co_await(Notified& notified) noexcept {
    return {notified, "Notified"};
}

/// Waits for a temporary Notified, which the wait owns.
inline detail::OwnAwaiter<Notified> operator co_await(Notified&& notified) noexcept {
    return {std::move(notified), "Notified"};
}

/// Waits for the next tick and takes it. \returns the time that the tick was scheduled for
///
/// While a coroutine waits, the Interval may be reset on the thread that turns the driver, or while
/// no thread turns it. On any other thread, a reset might come between the tick and the coroutine
/// that takes it, and use the Interval at the same time as the coroutine.
/// \throws DriverShutdown "TimeDriver has been shut down."
/// \throws IllegalStateException if another coroutine is waiting for it; "The Interval was reset
///   after it had fired." if another thread reset it before the coroutine was resumed
inline detail::IntervalAwaiter operator co_await(Interval& interval) noexcept {
    return detail::IntervalAwaiter(interval);
}

/// Waits until the Timeout is Ready or Elapsed, then takes its value, as Timeout::get().
/// \throws Elapsed if the deadline has come
/// \throws what the operation throws
/// \throws DriverShutdown "TimeDriver has been shut down."
/// \throws IllegalStateException if another coroutine is waiting for it, or the value has been
///   taken
template <class Operation>
detail::PollAwaiter<detail::PolledTimeout<Timeout<Operation>&>>
operator co_await(Timeout<Operation>& timeout) {
    return detail::PollAwaiter(detail::PolledTimeout<Timeout<Operation>&>{timeout});
}

/// Waits for a temporary Timeout, which the wait owns.
template <class Operation>
detail::PollAwaiter<detail::PolledTimeout<Timeout<Operation>>>
operator co_await(Timeout<Operation>&& timeout) {
    return detail::PollAwaiter(detail::PolledTimeout<Timeout<Operation>>{std::move(timeout)});
}

/// Takes out the next entry when it is due, as DelayQueue::next().
/// \returns a std::optional<Expired<T>>: nothing, at once, if the queue is empty, and as soon as
///   it becomes empty
/// \throws DriverShutdown if it would have to wait, and the driver has been shut down
/// \throws IllegalStateException if another coroutine is waiting for it
template <class T>
detail::PollAwaiter<detail::PolledQueue<T>> operator co_await(DelayQueue<T>& queue) {
    return detail::PollAwaiter(detail::PolledQueue<T>{queue});
}

/// `co_await until(driver, operation)` waits until the operation is ready, see Timeout, in turns of
/// the driver. \returns the operation's value
/// \throws what the operation throws
/// \throws DriverShutdown "TimeDriver has been shut down."
template <class Operation, std::enable_if_t<detail::isOperation<Operation>, int> = 0>
detail::PollAwaiter<detail::PolledOperation<Operation>> until(TimeDriver& driver,
                                                              Operation operation) {
    return detail::PollAwaiter(detail::PolledOperation<Operation>{driver, std::move(operation)});
}

namespace detail {

struct write_co_await_until_with_a_driver_and_the_completion {};

}  // namespace detail

///@{ Not for what cannot be polled, nor for a Completion, which has no driver.
template <class T, std::enable_if_t<!detail::isOperation<std::decay_t<T>>, int> = 0>
detail::write_an_operation_on_a_Waker_that_returns_an_optional until(TimeDriver&, T&&) = delete;
// The advice is a parameter because clang++ quotes only the line of the name.
template <class T, class Advice = detail::write_co_await_until_with_a_driver_and_the_completion>
Advice operator co_await(const Completion<T>&) = delete;
///@}

}  // namespace jtimer::tokio

#endif

// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include <jtimer/detail/compiler.hpp>
#include <jtimer/exceptions.hpp>
#include <jtimer/tokio/time_driver.hpp>
#include <jtimer/tokio/waker.hpp>

#include <memory>

namespace jtimer::tokio {

namespace detail {
class NotifyState;
struct NotifiedEntry;
}  // namespace detail

/// Waits for one notification of a Notify. Made by Notify::notified().
///
/// It joins the queue of the Notify at its first poll() or wait(), but notifyWaiters() notifies it
/// from its creation on. One that notifyOne() has chosen, and that is destroyed before a poll() or
/// wait() has said so, passes the notification on.
///
/// It is an operation of a Timeout: `timeoutAt(driver, when, notify.notified()).get()` waits for
/// the notification or for a time. To keep its place in the queue beyond the Timeout, pass
/// `std::ref(notified)`.
///
/// Only one thread at a time may use it. A moved-from one can only be assigned to or destroyed. It
/// may outlive its Notify and the driver.
class JTIMER_API Notified {
  public:
    /// Takes over the other's place in the queue, and its waker.
    Notified(Notified&& other) noexcept;
    /// Destroys what this one was before, and takes over the other's place and waker.
    Notified& operator=(Notified&& other) noexcept;
    /// Leaves the queue. In a forked child it may leave what the waker owns undestroyed, as ~Sleep.
    ~Notified();

    /// Whether it has been notified; once true, the result stays true. If false, `waker` is called
    /// when it is, in the driver's next turn, instead of an earlier poll's waker; an empty one
    /// leaves the earlier one in place. If true, no waker is kept.
    /// \throws DriverShutdown "TimeDriver has been shut down." if it has not been notified
    bool poll(Waker waker = {});

    /// Calls poll(): for a Notified that is the operation of a Timeout or of until().
    bool operator()(const Waker& waker) { return poll(waker); }

    /// Withdraws the waker of the last poll. It keeps its place in the queue.
    void dropWaker() noexcept;

    /// Blocks until it has been notified: without a turn of the driver, and independent of poll()
    /// and its waker.
    /// \throws DriverShutdown "TimeDriver has been shut down." if it has not been notified,
    ///   even if the shutdown comes during the wait
    /// \throws IllegalStateException if it would have to wait on the thread that is turning the
    ///   driver
    void wait();

  private:
    friend class Notify;
    friend class detail::NotifyState;

    JTIMER_LOCAL explicit Notified(detail::NotifiedEntry* entry) noexcept : entry_(entry) {}

    detail::NotifiedEntry* entry_;
};

/// Tells other threads, tasks or coroutines that something has changed, without a value. Copies
/// share one queue of those that wait, and any thread may use a copy.
///
/// A Notify has a driver, which calls the wakers: no call of a Notify runs a waker, so it may be
/// used under a lock that the waker takes. It may outlive the driver.
///
/// Cost: each call takes the driver's lock for a short time; notifyWaiters() takes time in
/// proportion to the number that wait, and lets others have the lock in between. Only notified()
/// allocates memory.
class JTIMER_API Notify {
  public:
    /// \param driver calls the wakers
    explicit Notify(TimeDriver& driver);

    /// Notifies the one that has waited longest. If none waits, stores a permit, and the next poll
    /// or wait of one takes it. There is at most one permit.
    /// \throws DriverShutdown in a forked child, if the driver was in use at the fork
    void notifyOne() const;

    /// Notifies all Notified that exist, including those that have never been polled. Stores no
    /// permit.
    /// \throws DriverShutdown in a forked child, if the driver was in use at the fork
    void notifyWaiters() const;

    /// \returns what waits for the next notification
    /// \throws std::bad_alloc
    [[nodiscard]] Notified notified() const;

  private:
    std::shared_ptr<detail::NotifyState> state_;
};

}  // namespace jtimer::tokio

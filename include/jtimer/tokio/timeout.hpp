// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include <jtimer/detail/compiler.hpp>
#include <jtimer/exceptions.hpp>
#include <jtimer/time.hpp>
#include <jtimer/tokio/blocker.hpp>
#include <jtimer/tokio/completion.hpp>
#include <jtimer/tokio/detail/operation.hpp>
#include <jtimer/tokio/time_driver.hpp>
#include <jtimer/tokio/waker.hpp>

#include <optional>
#include <stdexcept>
#include <type_traits>
#include <utility>

namespace jtimer::tokio {

/// "deadline has elapsed": the deadline of a Timeout came before the value of its operation.
class JTIMER_API Elapsed : public std::runtime_error {
  public:
    Elapsed();
    ~Elapsed() override;
};

enum class TimeoutState {
    Pending,  ///< neither the value nor the deadline has come
    Ready,    ///< the value has come: take() returns it
    Elapsed   ///< the deadline has come: take() throws Elapsed
};

/// An operation with a deadline. Made by timeout() and timeoutAt().
///
/// An Operation is anything that can be polled: it is callable with a `const Waker&` and returns a
/// `std::optional<R>`, or a bool if there is no value. If it is not ready, it must arrange for the
/// waker to be called when it is. Completion is an Operation that a callback can complete; Sleep,
/// Interval, Notified and DelayQueue are Operations, by std::ref() if they are to be kept, and so
/// is the Selection that select() makes of several. Polling the Timeout polls the operation first,
/// then the deadline: a value wins even long past the deadline.
///
/// An Operation may have `dropWaker()`, which withdraws the waker of its last poll. It is called
/// when the Timeout becomes Elapsed: what completes later then calls no waker, and what the waker
/// owned has been freed. Without it, the waker stays until the operation is destroyed, and may be
/// called late.
///
/// Once Ready or Elapsed, a Timeout stays so: neither the operation nor the deadline is polled
/// again, and the deadline is deregistered. An exception from the operation passes through, and the
/// Timeout stays as it was. Only one thread at a time may use it. It may outlive its driver.
template <class Operation>
class Timeout {
  public:
    /// The type of the operation's value.
    using Value = detail::ValueOf<Operation>;

    /// Most code uses timeout() instead.
    Timeout(Sleep deadline, Operation limited)
        : operation_(std::move(limited)), deadline_(std::move(deadline)) {}

    /// If it returns Pending, `waker` is called when the operation is ready, and when the deadline
    /// comes; it may be called more than once.
    /// \throws what the operation throws
    /// \throws DriverShutdown "TimeDriver has been shut down." if it would have to wait
    TimeoutState poll(const Waker& waker = {}) {
        if (state_ != TimeoutState::Pending) return state_;
        if (auto result = operation_(waker)) {
            if constexpr (std::is_void_v<Value>) {
                value_.emplace();
            } else {
                value_.emplace(std::move(*result));
            }
            end(TimeoutState::Ready);
        } else if (deadline_->poll(waker)) {
            end(TimeoutState::Elapsed);
            detail::dropWakerOf(operation_);
        }
        return state_;
    }

    /// Returns the value, once.
    /// \throws tokio::Elapsed if the deadline has come
    /// \throws IllegalStateException if it is pending, or the value has been taken
    Value take() {
        if (state_ == TimeoutState::Elapsed) throw Elapsed();
        if (state_ == TimeoutState::Pending)
            throw IllegalStateException("The Timeout is still pending.");
        if (!value_) throw IllegalStateException("The value has already been taken.");
        Kept taken = std::move(*value_);
        value_.reset();
        if constexpr (!std::is_void_v<Value>) return taken;
    }

    /// Blocks until it is Ready or Elapsed, then calls take(). The driver must have a thread of its
    /// own, or another thread must turn it.
    /// \throws what poll() and take() throw; IllegalStateException if it would have to wait on the
    ///   thread that is turning the driver
    Value get() {
        // Without a waker, so that an earlier poll's waker stays if this call cannot wait.
        if (poll() == TimeoutState::Pending) {
            detail::Blocker blocker(*deadline_, "Timeout::get()");
            const Waker waker = blocker.waker();
            while (poll(waker) == TimeoutState::Pending) blocker.block();
        }
        return take();
    }

    /// The operation.
    Operation& operation() noexcept { return operation_; }

    /// Returns the operation. Afterwards the Timeout can only be destroyed.
    [[nodiscard]] Operation intoInner() && { return std::move(operation_); }

  private:
    friend struct detail::AwaitAccess;

    using Kept = detail::Kept<Value>;

    void end(TimeoutState state) noexcept {
        state_ = state;
        deadline_.reset();
    }

    Operation operation_;
    /// Empty once Ready or Elapsed.
    std::optional<Sleep> deadline_;
    std::optional<Kept> value_;
    TimeoutState state_ = TimeoutState::Pending;
    detail::AwaitedFlag awaited_;
};

/// \returns `operation` with a deadline `duration` from now
/// \throws IllegalArgumentException "Negative duration."
/// \throws DriverShutdown "TimeDriver has been shut down."
template <class Operation, std::enable_if_t<detail::isOperation<Operation>, int> = 0>
[[nodiscard]] Timeout<Operation> timeout(TimeDriver& driver, TimeSpan duration,
                                         Operation operation) {
    return Timeout<Operation>(driver.sleep(duration), std::move(operation));
}

/// \returns `operation` with a deadline in the driver's time, which may have passed
/// \throws DriverShutdown "TimeDriver has been shut down."
template <class Operation, std::enable_if_t<detail::isOperation<Operation>, int> = 0>
[[nodiscard]] Timeout<Operation> timeoutAt(TimeDriver& driver, Date deadline, Operation operation) {
    return Timeout<Operation>(driver.sleepUntil(deadline), std::move(operation));
}

///@{ Not for a callable that a Timeout cannot poll, nor in another order.
template <class T, std::enable_if_t<!detail::isOperation<std::decay_t<T>>, int> = 0>
detail::write_an_operation_on_a_Waker_that_returns_an_optional timeout(TimeDriver&, TimeSpan,
                                                                       T&&) = delete;
template <class T, std::enable_if_t<!detail::isOperation<std::decay_t<T>>, int> = 0>
detail::write_an_operation_on_a_Waker_that_returns_an_optional timeoutAt(TimeDriver&, Date,
                                                                         T&&) = delete;
template <class T>
detail::write_the_time_before_the_operation timeout(TimeDriver&, T&&, TimeSpan) = delete;
template <class T>
detail::write_the_time_before_the_operation timeoutAt(TimeDriver&, T&&, Date) = delete;
///@}

}  // namespace jtimer::tokio

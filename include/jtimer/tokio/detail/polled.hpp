// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

/// \file
/// What co_await polls. Only <jtimer/tokio/detail/awaiters.hpp> includes it.

#include <jtimer/tokio/delay_queue.hpp>
#include <jtimer/tokio/detail/marked_wait.hpp>
#include <jtimer/tokio/detail/operation.hpp>
#include <jtimer/tokio/select.hpp>
#include <jtimer/tokio/time_driver.hpp>
#include <jtimer/tokio/timeout.hpp>

#include <functional>
#include <optional>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>

namespace jtimer::tokio::detail {

struct AwaitAccess {
    template <class... Operations>
    static std::tuple<Operations...>& operationsOf(Selection<Operations...>& selection) noexcept {
        return selection.operations_;
    }
    template <class Operation>
    static AwaitedFlag& flagOf(Timeout<Operation>& timeout) noexcept {
        return timeout.awaited_;
    }
    template <class T>
    static AwaitedFlag& flagOf(DelayQueue<T>& queue) noexcept {
        return queue.awaited_;
    }
    template <class Operation>
    static Driver& driverOf(Timeout<Operation>& timeout) noexcept {
        return detail::driverOf(*timeout.deadline_);
    }
    template <class T>
    static Driver& driverOf(DelayQueue<T>& queue) noexcept {
        return queue.keys_.driver();
    }
    template <class Operation>
    static bool isOver(const Timeout<Operation>& timeout) noexcept {
        return timeout.state_ != TimeoutState::Pending;
    }
    template <class Operation>
    static void dropWakers(Timeout<Operation>& timeout) {
        if (timeout.deadline_) timeout.deadline_->dropWaker();
        dropWakerOf(timeout.operation_);
    }
};

/// The flags that a coroutine sets while it waits for an operation: those of the DelayQueues in it.
/// What else two coroutines cannot wait for refuses the second one's waker.
template <class Operation>
struct FlagsOf {
    template <class Function>
    static void forEach(Operation&, const Function&) {}
};
template <class T>
struct FlagsOf<DelayQueue<T>> {
    template <class Function>
    static void forEach(DelayQueue<T>& queue, const Function& function) {
        function(AwaitAccess::flagOf(queue), "DelayQueue");
    }
};
template <class T>
struct FlagsOf<std::reference_wrapper<T>> {
    template <class Function>
    static void forEach(std::reference_wrapper<T>& operation, const Function& function) {
        FlagsOf<T>::forEach(operation.get(), function);
    }
};
template <class... Operations>
struct FlagsOf<Selection<Operations...>> {
    template <class Function>
    static void forEach(Selection<Operations...>& selection, const Function& function) {
        std::apply(
            [&function](Operations&... operations) {
                (FlagsOf<Operations>::forEach(operations, function), ...);
            },
            AwaitAccess::operationsOf(selection));
    }
};

// What a PollAwaiter polls. `Value` is what co_await returns.

template <class Operation>
struct PolledOperation {
    using Value = ValueOf<Operation>;

    Driver& driver() noexcept { return driverOf(timeDriver); }
    template <class Function>
    void forEachFlag(const Function& function) {
        FlagsOf<Operation>::forEach(operation, function);
    }
    bool isOver() const noexcept { return false; }
    std::optional<Kept<Value>> poll(const Waker& waker) {
        if (auto result = std::invoke(operation, waker)) {
            if constexpr (std::is_void_v<Value>) {
                return std::monostate();
            } else {
                return std::optional<Value>(std::move(*result));
            }
        }
        return std::nullopt;
    }
    void dropWaker() { dropWakerOf(operation); }

    TimeDriver& timeDriver;
    Operation operation;
};

/// \tparam T a Timeout, or a reference to one
template <class T>
struct PolledTimeout {
    using Value = typename std::remove_reference_t<T>::Value;

    Driver& driver() noexcept { return AwaitAccess::driverOf(timeout); }
    template <class Function>
    void forEachFlag(const Function& function) {
        function(AwaitAccess::flagOf(timeout), "Timeout");
        FlagsOf<std::remove_reference_t<decltype(timeout.operation())>>::forEach(
            timeout.operation(), function);
    }
    bool isOver() const noexcept { return AwaitAccess::isOver(timeout); }
    std::optional<Kept<Value>> poll(const Waker& waker) {
        if (timeout.poll(waker) == TimeoutState::Pending) return std::nullopt;
        if constexpr (std::is_void_v<Value>) {
            timeout.take();
            return std::monostate();
        } else {
            return std::optional<Value>(timeout.take());
        }
    }
    void dropWaker() { AwaitAccess::dropWakers(timeout); }

    T timeout;
};

template <class T>
struct PolledQueue {
    using Value = std::optional<Expired<T>>;

    Driver& driver() noexcept { return AwaitAccess::driverOf(queue); }
    template <class Function>
    void forEachFlag(const Function& function) {
        FlagsOf<DelayQueue<T>>::forEach(queue, function);
    }
    bool isOver() const noexcept { return queue.isEmpty(); }
    std::optional<Value> poll(const Waker& waker) {
        if (queue.isEmpty()) return std::optional<Value>(std::in_place);
        std::optional<Expired<T>> expired = queue.pollExpired(waker);
        if (!expired) return std::nullopt;
        return std::optional<Value>(std::in_place, std::move(expired));
    }
    void dropWaker() noexcept { queue.dropWaker(); }

    DelayQueue<T>& queue;
};

}  // namespace jtimer::tokio::detail

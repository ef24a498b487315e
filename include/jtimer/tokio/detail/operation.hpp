// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include <jtimer/tokio/detail/advice.hpp>
#include <jtimer/tokio/waker.hpp>

#include <functional>
#include <optional>
#include <type_traits>
#include <utility>
#include <variant>

namespace jtimer::tokio::detail {

/// What the poll of an operation returns, and the type of its value.
template <class T>
struct PollResult : std::false_type {};
template <class R>
struct PollResult<std::optional<R>> : std::true_type {
    using Value = R;
};
template <>
struct PollResult<bool> : std::true_type {
    using Value = void;
};

/// Whether a T can be polled, see Timeout.
template <class T, class = void>
inline constexpr bool isOperation = false;
template <class T>
inline constexpr bool isOperation<T, std::enable_if_t<std::is_invocable_v<T&, const Waker&>>> =
    PollResult<std::decay_t<std::invoke_result_t<T&, const Waker&>>>::value;

/// The type of an operation's value.
template <class Operation>
using ValueOf =
    typename PollResult<std::decay_t<std::invoke_result_t<Operation&, const Waker&>>>::Value;

/// What is kept of a value: an object, even if there is no value.
template <class Value>
using Kept = std::conditional_t<std::is_void_v<Value>, std::monostate, Value>;

template <class T, class = void>
inline constexpr bool hasDropWaker = false;
template <class T>
inline constexpr bool hasDropWaker<T, std::void_t<decltype(std::declval<T&>().dropWaker())>> = true;

/// Withdraws the waker that a poll has left in an operation, if the operation has dropWaker().
template <class T>
void dropWakerOf(T& operation) {
    if constexpr (hasDropWaker<T>) operation.dropWaker();
}
template <class T>
void dropWakerOf(std::reference_wrapper<T>& operation) {
    dropWakerOf(operation.get());
}

/// Whether a coroutine waits for an object. It stays with the object when that is moved.
class AwaitedFlag {
  public:
    AwaitedFlag() = default;
    AwaitedFlag(AwaitedFlag&&) noexcept {}
    AwaitedFlag& operator=(AwaitedFlag&&) noexcept { return *this; }

    bool isSet = false;
};

/// Gives co_await access to the private parts of a Timeout, a DelayQueue and a Selection.
struct AwaitAccess;

}  // namespace jtimer::tokio::detail

// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include <jtimer/tokio/detail/operation.hpp>
#include <jtimer/tokio/waker.hpp>

#include <array>
#include <cstddef>
#include <functional>
#include <optional>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>

namespace jtimer::tokio {

/// The first of several operations that is ready. Made by select().
///
/// It is an operation itself, see Timeout: for timeout(), blockOn(), until() and another select().
/// A poll polls the operations in their order, and takes the value of the first one that is ready.
/// It does not poll those after that one, so an operation that is always ready starves them: name
/// deadlines first.
///
/// An operation that was not chosen has lost nothing but its waker: that is withdrawn by its
/// `dropWaker()`, if it has one and a poll of the Selection has left a waker. So a Selection of
/// operations by std::ref() may be polled again, and each time gives the value of one.
///
/// Only one thread at a time may use it.
template <class... Operations>
class Selection {
  public:
    /// Has the index of the operation that was chosen, and its value: std::monostate if the
    /// operation returns a bool.
    using Value = std::variant<detail::Kept<detail::ValueOf<Operations>>...>;

    /// Most code uses select() instead.
    explicit Selection(Operations... operations) : operations_(std::move(operations)...) {}

    /// Polls the operations. If none is ready, `waker` is called when one is; it may be called more
    /// than once.
    /// \returns the value of the first one that is ready
    /// \throws what an operation throws, after all wakers have been withdrawn
    std::optional<Value> operator()(const Waker& waker) {
        std::optional<Value> chosen;
        try {
            poll(waker, chosen, Indices());
        } catch (...) {
            dropWaker();
            throw;
        }
        if (chosen) dropWaker();
        return chosen;
    }

    /// Withdraws the wakers that polls have left in the operations.
    void dropWaker() { dropWakers(Indices()); }

  private:
    friend struct detail::AwaitAccess;

    using Indices = std::index_sequence_for<Operations...>;

    template <std::size_t... I>
    void poll(const Waker& waker, std::optional<Value>& chosen, std::index_sequence<I...>) {
        static_cast<void>((isReady<I>(waker, chosen) || ...));
    }
    template <std::size_t I>
    bool isReady(const Waker& waker, std::optional<Value>& chosen) {
        using Chosen = detail::ValueOf<std::tuple_element_t<I, std::tuple<Operations...>>>;
        auto result = std::get<I>(operations_)(waker);
        if (!result) {
            if (waker) hasLeft_[I] = true;
            return false;
        }
        hasLeft_[I] = false;
        if constexpr (std::is_void_v<Chosen>) {
            chosen.emplace(std::in_place_index<I>);
        } else {
            chosen.emplace(std::in_place_index<I>, std::move(*result));
        }
        return true;
    }

    template <std::size_t... I>
    void dropWakers(std::index_sequence<I...>) {
        const auto drop = [](auto& operation, bool& hasLeft) {
            if (std::exchange(hasLeft, false)) detail::dropWakerOf(operation);
        };
        (drop(std::get<I>(operations_), hasLeft_[I]), ...);
    }

    std::tuple<Operations...> operations_;
    /// Whether a poll of this Selection has left a waker in the operation. One that is there
    /// otherwise is somebody else's.
    std::array<bool, sizeof...(Operations)> hasLeft_{};
};

/// Waits for the first of several operations, see Selection, as Tokio's `select!` with `biased;`:
///
/// \code
/// Sleep deadline = driver.sleep(5s);
/// for (;;) {
///     auto next = blockOn(driver, select(std::ref(deadline), std::ref(queue), stopped));
///     if (next.index() == 0) break;
///     if (auto* expired = std::get_if<1>(&next)) use(expired->value);
/// }
/// \endcode
/// \param operations pass std::ref() for one that is to be used again
template <class... Operations,
          std::enable_if_t<sizeof...(Operations) != 0 && (detail::isOperation<Operations> && ...),
                           int> = 0>
[[nodiscard]] Selection<Operations...> select(Operations... operations) {
    return Selection<Operations...>(std::move(operations)...);
}

///@{ Not for what cannot be polled.
template <class... T, std::enable_if_t<!(detail::isOperation<std::decay_t<T>> && ...), int> = 0>
detail::write_an_operation_on_a_Waker_that_returns_an_optional select(T&&...) = delete;
///@}

}  // namespace jtimer::tokio

// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include <jtimer/tokio/blocker.hpp>
#include <jtimer/tokio/detail/operation.hpp>
#include <jtimer/tokio/time_driver.hpp>
#include <jtimer/tokio/waker.hpp>

#include <type_traits>
#include <utility>

namespace jtimer::tokio {

/// Polls an operation, see Timeout, on the calling thread, and blocks that until the operation is
/// ready. The driver must have a thread of its own, or another thread must turn it.
///
/// \code
/// Page page = blockOn(driver, completion);  // another thread sets it
/// \endcode
/// \param driver whose shutdown ends the wait
/// \param operation pass std::ref() for one that is to be used again
/// \returns the operation's value; nothing if it returns a bool
/// \throws what the operation throws
/// \throws DriverShutdown "TimeDriver has been shut down." if the operation is not ready, even if
///   the shutdown comes during the wait
/// \throws IllegalStateException if it would have to wait on the thread that is turning the driver
template <class Operation, std::enable_if_t<detail::isOperation<Operation>, int> = 0>
detail::ValueOf<Operation> blockOn(TimeDriver& driver, Operation operation) {
    // Without a waker, so that an earlier poll's waker stays if this call cannot wait.
    auto result = operation(Waker());
    if (!result) {
        detail::Blocker blocker(driver, "blockOn()");
        const Waker waker = blocker.waker();
        while (!(result = operation(waker))) blocker.block();
    }
    if constexpr (std::is_void_v<detail::ValueOf<Operation>>) {
        return;
    } else {
        return std::move(*result);
    }
}

///@{ Not for what cannot be polled.
template <class T, std::enable_if_t<!detail::isOperation<std::decay_t<T>>, int> = 0>
detail::write_an_operation_on_a_Waker_that_returns_an_optional blockOn(TimeDriver&, T&&) = delete;
///@}

}  // namespace jtimer::tokio

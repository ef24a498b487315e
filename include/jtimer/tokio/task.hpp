// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include <jtimer/tokio/detail/marked_wait.hpp>

#if __has_include(<version>)
#include <version>
#endif
#if defined(__cpp_impl_coroutine) && defined(__cpp_lib_coroutine)

#include <coroutine>

namespace jtimer::tokio {

/// The return type of a coroutine that starts at once, on its caller's thread, and frees itself at
/// its end:
///
/// \code
/// Task serve(TimeDriver& driver, Completion<int> answer) {
///     co_await driver.sleep(250ms);
///     answer.set(42);
/// }
/// \endcode
///
/// Such a coroutine takes its parameters by value, or refers only to what outlives it. A
/// DriverShutdown that leaves the coroutine ends it silently: its driver has ended. Any other
/// exception goes to the process's default handler, see setDefaultUncaughtExceptionHandler(), as
/// that of a thread "tokio::Task". A Task has no result and cannot be joined: give the coroutine a
/// Completion.
class Task {
  public:
    struct promise_type {
        Task get_return_object() noexcept { return {}; }
        std::suspend_never initial_suspend() noexcept { return {}; }
        std::suspend_never final_suspend() noexcept { return {}; }
        void return_void() noexcept {}
        void unhandled_exception() { detail::reportFromTask(); }
    };
};

}  // namespace jtimer::tokio

#endif

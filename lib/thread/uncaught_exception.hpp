// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include <jtimer/uncaught_exception_handler.hpp>

#include <exception>
#include <initializer_list>
#include <string>
#include <string_view>

namespace jtimer::detail {

/// Calls `function`.
/// \returns what the function has thrown, if anything
template <class Function>
std::exception_ptr exceptionOf(const Function& function) {
    try {
        function();
        return nullptr;
    } catch (...) {
        std::exception_ptr thrown = std::current_exception();
        // The unwinding that pthread_exit and pthread_cancel cause in glibc comes by here as well.
        // It is no exception of C++, hence null, and must go on.
        if (thrown == nullptr) throw;
        return thrown;
    }
}

// None of these needs memory: the exceptions that they report may come from the lack of it.

/// Hands `exception` to `handler`, or else to the default of the process, as
/// UncaughtExceptionHandler says.
/// \param timerName must outlive the call, in which the timer may be destroyed
/// \param taskName which task has thrown it, for std::cerr; empty: a task without a name, or none
/// \returns what the handler has thrown, if anything
std::exception_ptr reportUncaughtException(const UncaughtExceptionHandler& handler,
                                           const std::string& timerName,
                                           const std::exception_ptr& exception,
                                           std::string_view taskName = {});

/// Prints a line of these pieces, and a newline, to std::cerr: in one piece if it has up to 1023
/// bytes, or if there is memory for it. What that throws is ignored, as there is nobody to be told.
/// Not noexcept all the same: pthread_cancel may end the thread in it.
void printLine(std::initializer_list<std::string_view> pieces);

/// Prints `Exception in thread "NAME" in WHERE TYPE: WHAT`, as printLine(). TYPE is as the compiler
/// encodes it if malloc has no memory to decode it in.
void printException(std::string_view timerName, std::string_view where,
                    const std::exception_ptr& exception);

}  // namespace jtimer::detail

// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include <exception>

namespace jtimer::detail {

/// Calls `function`.
/// \returns the exception that the function has thrown, if any
template <class Function>
std::exception_ptr exceptionOf(const Function& function) {
    try {
        function();
        return nullptr;
    } catch (...) {
        std::exception_ptr thrown = std::current_exception();
        // In glibc, the unwinding by pthread_exit and pthread_cancel is caught here too. It is not
        // a C++ exception, so current_exception() is null, and it must continue.
        if (thrown == nullptr) throw;
        return thrown;
    }
}

}  // namespace jtimer::detail

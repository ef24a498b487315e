// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "base/uncaught_exception.hpp"

#include <boost/core/demangle.hpp>

#include <cxxabi.h>
#include <iostream>

namespace jtimer {

namespace {

std::string nameOfCurrentException() {
    const std::type_info* type = abi::__cxa_current_exception_type();
    return type == nullptr ? "unknown exception" : boost::core::demangle(type->name());
}

std::string describe(const std::exception_ptr& exception) {
    try {
        std::rethrow_exception(exception);
    } catch (const std::exception& e) {
        return nameOfCurrentException() + ": " + e.what();
    } catch (...) {  // something that is no std::exception, an int say, has no text
        return nameOfCurrentException();
    }
}

}  // namespace

void printUncaughtException(const std::string& timerName, const std::exception_ptr& exception) {
    std::cerr << "Exception in thread \"" + timerName + "\" " + describe(exception) + '\n'
              << std::flush;
}

}  // namespace jtimer

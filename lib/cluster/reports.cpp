// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "cluster/reports.hpp"

#include "cluster/checks.hpp"

#include <boost/core/demangle.hpp>

#include <cstddef>
#include <cxxabi.h>
#include <iostream>
#include <typeinfo>

namespace jtimer::cluster::detail {

namespace {

/// Of the exception that is being handled.
std::string currentTypeName() {
    const std::type_info* const type = abi::__cxa_current_exception_type();
    return type == nullptr ? "unknown exception" : boost::core::demangle(type->name());
}

std::string textOf(const std::exception_ptr& exception) {
    try {
        std::rethrow_exception(exception);
    } catch (const std::exception& known) {
        return known.what() == nullptr ? currentTypeName() : known.what();
    } catch (...) {
        return currentTypeName();
    }
}

}  // namespace

void printLine(const std::string& line) { std::cerr << line + '\n' << std::flush; }

void report(const Options& options, const std::exception_ptr& exception) {
    if (!options.uncaughtExceptionHandler) return;
    try {
        options.uncaughtExceptionHandler(*options.name, exception);
    } catch (...) {
        // The unwinding by pthread_exit is no exception, and must go on.
        if (std::current_exception() == nullptr) throw;
    }
}

std::string toMessage(const std::string& text) {
    constexpr std::size_t kMaxSize = 2000;
    std::string message;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t begin = at;
        const bool valid = takeCharacter(text, at).has_value();
        if (!valid) ++at;
        if (message.size() + at - begin > kMaxSize) break;
        message += valid ? text.substr(begin, at - begin) : "?";
    }
    return message;
}

std::string messageOf(const std::exception_ptr& exception) { return toMessage(textOf(exception)); }

}  // namespace jtimer::cluster::detail

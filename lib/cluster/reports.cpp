// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "cluster/reports.hpp"

#include <cstdlib>
#include <cxxabi.h>
#include <iostream>
#include <memory>
#include <typeinfo>

namespace jtimer::cluster::detail {

namespace {

/// Of the exception that is being handled.
std::string currentTypeName() {
    const std::type_info* const type = abi::__cxa_current_exception_type();
    if (type == nullptr) return "unknown exception";
    int status = 0;
    const std::unique_ptr<char, decltype(&std::free)> name(
        abi::__cxa_demangle(type->name(), nullptr, nullptr, &status), &std::free);
    return name == nullptr ? type->name() : name.get();
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

std::string messageOf(const std::exception_ptr& exception) {
    try {
        std::rethrow_exception(exception);
    } catch (const std::exception& known) {
        return known.what();
    } catch (...) {
        return currentTypeName();
    }
}

}  // namespace jtimer::cluster::detail

// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "base/uncaught_exception.hpp"

#include "base/process_mutex.hpp"

#include <boost/core/demangle.hpp>

#include <cxxabi.h>
#include <iostream>
#include <memory>
#include <utility>

namespace jtimer::detail {

namespace {

std::string nameOfCurrentException() {
    const std::type_info* type = abi::__cxa_current_exception_type();
    return type == nullptr ? "unknown exception" : boost::core::demangle(type->name());
}

std::string describe(const std::exception_ptr& exception) {
    try {
        std::rethrow_exception(exception);
    } catch (const std::exception& e) {
        const char* const what = e.what();
        return nameOfCurrentException() + (what == nullptr ? "" : std::string(": ") + what);
    } catch (...) {  // something that is no std::exception, an int say, has no text
        return nameOfCurrentException();
    }
}

using SharedHandler = std::shared_ptr<const UncaughtExceptionHandler>;

struct DefaultHandler {
    ProcessMutex mutex;
    SharedHandler handler;  // guarded by mutex; null: none
};

/// Never destroyed: a timer may outlive other static objects.
DefaultHandler& theDefault() {
    static auto& theDefault = *new DefaultHandler;
    return theDefault;
}

SharedHandler defaultHandler() {
    const Lock lock(theDefault().mutex);
    return theDefault().handler;
}

}  // namespace

std::exception_ptr reportUncaughtException(const UncaughtExceptionHandler& handler,
                                           const std::string& timerName,
                                           const std::exception_ptr& exception,
                                           const std::string& taskName) {
    return exceptionOf([&] {
        if (handler) return handler(timerName, exception);
        if (const SharedHandler common = defaultHandler()) return (*common)(timerName, exception);
        printException(timerName, taskName.empty() ? "" : "task \"" + taskName + '"', exception);
    });
}

void printLine(std::string_view line) {
    exceptionOf([line] { std::cerr << std::string(line) + '\n' << std::flush; });  // in one piece
}

void printException(const std::string& timerName, const std::string& where,
                    const std::exception_ptr& exception) {
    exceptionOf([&] {
        const std::string in = where.empty() ? "" : " in " + where;
        printLine("Exception in thread \"" + timerName + '"' + in + ' ' + describe(exception));
    });
}

}  // namespace jtimer::detail

namespace jtimer {

void setDefaultUncaughtExceptionHandler(UncaughtExceptionHandler handler) {
    detail::SharedHandler next;
    if (handler) next = std::make_shared<const UncaughtExceptionHandler>(std::move(handler));
    const detail::Lock lock(detail::theDefault().mutex);
    next.swap(detail::theDefault().handler);  // the former one is destroyed after the lock
}

UncaughtExceptionHandler defaultUncaughtExceptionHandler() {
    const detail::SharedHandler handler = detail::defaultHandler();
    return handler == nullptr ? UncaughtExceptionHandler() : *handler;
}

}  // namespace jtimer

// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "thread/uncaught_exception.hpp"

#include "sync/never_destroyed.hpp"
#include "sync/process_handler.hpp"

#include <boost/core/demangle.hpp>

#include <array>
#include <cstddef>
#include <cxxabi.h>
#include <iostream>
#include <memory>
#include <new>
#include <typeinfo>
#include <utility>

namespace jtimer::detail {

namespace {

/// \param in the text between the name of the timer and the exception, in three pieces
void print(std::string_view timerName, const std::array<std::string_view, 3>& in,
           const std::exception_ptr& exception) {
    const auto printWith = [&](std::string_view colon, std::string_view what) {
        const std::type_info* const type = abi::__cxa_current_exception_type();
        const char* const encoded = type == nullptr ? "unknown exception" : type->name();
        const boost::core::scoped_demangled_name decoded(encoded);  // null without memory
        printLine({"Exception in thread \"", timerName, "\"", in[0], in[1], in[2], " ",
                   decoded.get() == nullptr ? encoded : decoded.get(), colon, what});
    };
    exceptionOf([&] {
        try {
            std::rethrow_exception(exception);
        } catch (const std::exception& e) {
            const char* const what = e.what();
            printWith(what == nullptr ? "" : ": ", what == nullptr ? "" : what);
        } catch (...) {  // an object that is no std::exception, such as an int, has no text
            printWith("", "");
        }
    });
}

ProcessHandler<UncaughtExceptionHandler>& theDefault() noexcept {
    static NeverDestroyed<ProcessHandler<UncaughtExceptionHandler>> theDefault;
    return theDefault.get();
}

}  // namespace

std::exception_ptr Reporter::report(const std::exception_ptr& exception,
                                    std::string_view taskName) const {
    return exceptionOf([&] {
        if (handler_) return handler_(name, exception);
        if (const auto common = theDefault().get()) return (*common)(name, exception);
        if (taskName.empty()) return print(name, {}, exception);
        print(name, {" in task \"", taskName, "\""}, exception);
    });
}

void printLine(std::initializer_list<std::string_view> pieces) {
    exceptionOf([pieces] {
        std::size_t size = 1;
        for (const std::string_view piece : pieces) size += piece.size();
        std::array<char, 1024> own;
        std::unique_ptr<char[]> allocated;
        if (size > own.size()) allocated.reset(new (std::nothrow) char[size]);
        char* const line = size > own.size() ? allocated.get() : own.data();
        if (line == nullptr) {
            for (const std::string_view piece : pieces) std::cerr << piece;
            std::cerr << '\n' << std::flush;
            return;
        }
        char* end = line;
        for (const std::string_view piece : pieces) end += piece.copy(end, piece.size());
        *end = '\n';
        std::cerr.write(line, static_cast<std::streamsize>(size)).flush();
    });
}

void printException(std::string_view timerName, std::string_view where,
                    const std::exception_ptr& exception) {
    print(timerName, {" in ", where}, exception);
}

}  // namespace jtimer::detail

namespace jtimer {

void setDefaultUncaughtExceptionHandler(UncaughtExceptionHandler handler) {
    detail::theDefault().set(std::move(handler));
}

UncaughtExceptionHandler defaultUncaughtExceptionHandler() {
    const auto handler = detail::theDefault().get();
    return handler == nullptr ? UncaughtExceptionHandler() : *handler;
}

}  // namespace jtimer

// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "support/failing_new.hpp"

#include <jtimer/uncaught_exception_handler.hpp>

#include <boost/test/unit_test.hpp>

#include <array>
#include <cstddef>
#include <exception>
#include <new>
#include <string>
#include <utility>

namespace test {

/// What runs on a thread that has no memory any more writes in here.
class FixedLog {
  public:
    void write(char c) { text_.at(size_++) = c; }
    std::string take() { return {text_.data(), std::exchange(size_, 0)}; }

  private:
    std::array<char, 64> text_{};
    std::size_t size_ = 0;
};

/// Longer than what a std::string keeps inline.
inline const std::string kLongName = "a name too long to be kept inline";

/// Two functions of the user's that throw, and one that does not. The thread of the first has no
/// memory from then on.
struct Throwing {
    FixedLog& log;

    void first() const {
        log.write('x');
        beWithoutMemory();
        throw std::bad_alloc();
    }
    void second() const {
        log.write('y');
        throw 7;
    }
    void third() const { log.write('z'); }
};

/// Calls `use(handler, throwing)` with no exception handler, with one that allocates, and with one
/// that allocates as the default of the process. It has a timer of the name kLongName call the
/// three functions one after the other. Checks that it does, and what is reported.
template <class Use>
void checkReportsWithoutMemory(const Use& use) {
    enum class Handler { None, Own, Default };
    for (const Handler kind : {Handler::None, Handler::Own, Handler::Default}) {
        FixedLog log;
        const long failedBefore = allocationsFailed();
        const jtimer::UncaughtExceptionHandler allocating = [&log](const std::string& name,
                                                                   const std::exception_ptr&) {
            log.write(name == kLongName ? '!' : '?');
            throw std::string(name);
        };
        jtimer::setDefaultUncaughtExceptionHandler(kind == Handler::Default ? allocating : nullptr);
        std::string printed;
        {
            const CerrInFixedMemory cerr;
            use(kind == Handler::Own ? allocating : nullptr, Throwing{log});
            printed = cerr.text();
        }
        jtimer::setDefaultUncaughtExceptionHandler({});
        if (kind == Handler::None) {
            const std::string in = "Exception in thread \"" + kLongName + "\" ";
            BOOST_TEST(log.take() == "xyz");
            BOOST_TEST(printed == in + "std::bad_alloc: std::bad_alloc\n" + in + "int\n");
        } else {
            BOOST_TEST(log.take() == "x!y!z");
            BOOST_TEST(printed == "");
            BOOST_TEST(allocationsFailed() > failedBefore);
        }
    }
}

}  // namespace test

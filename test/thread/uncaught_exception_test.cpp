// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
//
// A program of its own, for it replaces operator new.
#include "support/failing_new.hpp"
#include "support/test.hpp"
#include "thread/uncaught_exception.hpp"

using jtimer::detail::exceptionOf;
using jtimer::detail::printException;
using jtimer::detail::printLine;
using jtimer::detail::Reporter;
using test::AllocationsLeft;
using test::CerrInFixedMemory;

namespace {

const std::string kLong(3000, 'x');

struct Fixture {
    const std::exception_ptr boom = exceptionOf([] { throw std::runtime_error("boom"); });
    const std::exception_ptr number = exceptionOf([] { throw 42; });
    const long failedBefore = test::allocationsFailed();
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(uncaught_exception, Fixture)

BOOST_AUTO_TEST_CASE(an_exception_is_printed_in_one_piece_and_without_an_allocation) {
    CerrInFixedMemory cerr;
    const Reporter backup("Timer", "backup", {});
    {
        const AllocationsLeft none(0);
        backup.report(boom);
        backup.report(number, "poll");
        printException("backup", "the handler", boom);
    }
    BOOST_TEST(cerr.text() == "Exception in thread \"backup\" std::runtime_error: boom\n"
                              "Exception in thread \"backup\" in task \"poll\" int\n"
                              "Exception in thread \"backup\" in the handler "
                              "std::runtime_error: boom\n");
    BOOST_TEST(cerr.pieces() == 3);
    BOOST_TEST(test::allocationsFailed() == failedBefore);
}

BOOST_AUTO_TEST_CASE(a_line_too_long_for_the_stack_comes_in_one_piece_if_there_is_memory) {
    for (const bool isMemory : {true, false}) {
        CerrInFixedMemory cerr;
        {
            const AllocationsLeft left(isMemory ? 1 : 0);
            printLine({"a ", kLong, " z"});
        }
        BOOST_TEST(cerr.text() == "a " + kLong + " z\n");
        BOOST_TEST((cerr.pieces() == 1) == isMemory);
    }
}

BOOST_AUTO_TEST_CASE(a_line_of_1023_bytes_needs_no_memory_to_come_in_one_piece) {
    CerrInFixedMemory cerr;
    {
        const AllocationsLeft none(0);
        printLine({std::string_view(kLong).substr(0, 1000), std::string_view(kLong).substr(0, 23)});
    }
    BOOST_TEST(cerr.text() == kLong.substr(0, 1023) + '\n');
    BOOST_TEST(cerr.pieces() == 1);
    BOOST_TEST(test::allocationsFailed() == failedBefore);
}

BOOST_AUTO_TEST_CASE(handlers_are_called_without_an_allocation_and_what_they_throw_is_returned) {
    int calls = 0;
    const jtimer::UncaughtExceptionHandler allocates = [&](const std::string& name,
                                                           const std::exception_ptr& exception) {
        calls += exception == boom ? 1 : 100;
        static_cast<void>(name + kLong);
    };
    for (const bool isDefault : {false, true}) {
        jtimer::setDefaultUncaughtExceptionHandler(isDefault ? allocates : nullptr);
        const Reporter reporter("Timer", "backup", isDefault ? nullptr : allocates);
        std::exception_ptr thrown;
        {
            const AllocationsLeft none(0);
            thrown = reporter.report(boom);
        }
        BOOST_CHECK_THROW(std::rethrow_exception(thrown), std::bad_alloc);
    }
    jtimer::setDefaultUncaughtExceptionHandler({});
    BOOST_TEST(calls == 2);
}

BOOST_AUTO_TEST_CASE(what_std_cerr_throws_is_ignored) {
    struct Full : std::streambuf {
        std::streamsize xsputn(const char*, std::streamsize) override {
            throw std::runtime_error("no space left on device");
        }
    } full;
    std::streambuf* const original = std::cerr.rdbuf(&full);
    std::cerr.exceptions(std::ios::badbit);
    printException("backup", "the handler", boom);
    BOOST_TEST(std::cerr.bad());
    std::cerr.exceptions(std::ios::goodbit);
    std::cerr.clear();
    std::cerr.rdbuf(original);
}

BOOST_AUTO_TEST_SUITE_END()

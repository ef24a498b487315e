// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "cluster/batch_limit.hpp"
#include "cluster/slow_line.hpp"
#include "cluster/time_out.hpp"
#include "support/captured_cerr.hpp"

#include <boost/test/unit_test.hpp>

#include <cstddef>

using namespace jtimer::cluster;
using detail::BatchLimit;

namespace {

constexpr detail::Micros kTimeout = 2'000'000;
constexpr detail::Micros kFast = 999'999;

}  // namespace

BOOST_AUTO_TEST_CASE(o41_each_time_out_halves_the_limit_down_to_one) {
    BatchLimit limit(10, kTimeout);
    BOOST_TEST(limit.get() == 10U);
    for (const std::size_t expected : {5U, 2U, 1U, 1U}) {
        limit.timedOut(limit.get());
        BOOST_TEST(limit.get() == expected);
    }
}

BOOST_AUTO_TEST_CASE(o41_what_takes_less_than_half_of_the_time_doubles_the_limit) {
    BatchLimit limit(10, kTimeout);
    for (int i = 0; i < 4; ++i) limit.timedOut(limit.get());
    for (const std::size_t expected : {2U, 4U, 8U, 10U, 10U}) {
        limit.passed(limit.get(), kFast);
        BOOST_TEST(limit.get() == expected);
    }
}

BOOST_AUTO_TEST_CASE(o41_half_of_the_time_or_more_changes_nothing) {
    BatchLimit limit(8, kTimeout);
    limit.timedOut(8);
    limit.passed(4, kFast + 1);
    limit.passed(4, kTimeout * 3);
    BOOST_TEST(limit.get() == 4U);
}

BOOST_AUTO_TEST_CASE(o41_only_what_was_moved_tells_how_much_may_be) {
    BatchLimit limit(100, kTimeout);
    // Fewer than allowed timed out: so would more.
    limit.timedOut(10);
    BOOST_TEST(limit.get() == 5U);
    // Nothing moved in no time.
    limit.passed(0, 0);
    limit.passed(2, 0);
    BOOST_TEST(limit.get() == 5U);
    limit.passed(3, 0);
    BOOST_TEST(limit.get() == 6U);
    limit.timedOut(0);
    BOOST_TEST(limit.get() == 6U);
}

BOOST_AUTO_TEST_CASE(o42_a_single_one_above_the_limit_does_not_raise_it_when_it_times_out) {
    BatchLimit bytes(4'194'304, kTimeout);
    bytes.timedOut(1000);
    bytes.timedOut(1'048'576);
    BOOST_TEST(bytes.get() == 500U);
    bytes.passed(1'048'576, kFast);
    BOOST_TEST(bytes.get() == 2'097'152U);
}

BOOST_AUTO_TEST_CASE(o41_a_time_out_is_a_statement_without_an_answer_or_one_that_was_cancelled) {
    const auto isTimeOut = [](const DatabaseException& exception, detail::Micros elapsed) {
        return detail::isTimeOut(exception, elapsed, kTimeout);
    };
    BOOST_TEST(isTimeOut(OutcomeUnknownException("The database did not answer in time"), kTimeout));
    BOOST_TEST(isTimeOut(OutcomeUnknownException("Connection timed out"), kTimeout / 2));
    BOOST_TEST(!isTimeOut(OutcomeUnknownException("Connection reset by peer"), kFast));
    BOOST_TEST(!isTimeOut(DatabaseException("Connection refused"), kTimeout));
    BOOST_TEST(!isTimeOut(DatabaseException("ERROR: deadlock detected", "40P01"), kTimeout));
    BOOST_TEST(isTimeOut(DatabaseException("ERROR: canceling statement", "57014"), 0));
}

BOOST_AUTO_TEST_CASE(o41_o42_a_line_that_is_too_slow_is_told_of_once_and_for_what_is_large) {
    const test::CapturedCerr cerr;
    detail::SlowLine line("one", 500'000);
    line.timedOut("task", "n", "small", 16'383);
    BOOST_TEST(!line.isSaid());
    BOOST_TEST(cerr.text() == "");
    line.timedOut("the end of task", "n", "large", 16'384);
    BOOST_TEST(line.isSaid());
    line.timedOut("task", "n", "larger", 1'000'000);
    BOOST_TEST(cerr.text() == "Node \"one\": 16384 bytes do not pass within operationTimeout (500 "
                              "ms): the end of task \"n\" \"large\"\n");
}

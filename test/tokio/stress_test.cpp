// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "support/test.hpp"
#include "tokio/stress.hpp"

// The short version of slow/stress_test, for every run and every sanitizer.

BOOST_AUTO_TEST_SUITE(tokio_stress)

BOOST_AUTO_TEST_CASE(t20_t25_t35_threads_use_a_threaded_driver_and_nothing_is_lost) {
    jtimer::tokio::TimeDriver driver;
    test::stressTokio(driver, 3, 3000, [] { boost::this_thread::yield(); });
}

BOOST_AUTO_TEST_CASE(t20_t25_t35_threads_use_a_polled_driver_and_nothing_is_lost) {
    jtimer::tokio::TimeDriverOptions options;
    options.polled = true;
    jtimer::tokio::TimeDriver driver(std::move(options));
    test::stressTokio(driver, 3, 3000, [&] { driver.turn(); });
}

BOOST_AUTO_TEST_SUITE_END()

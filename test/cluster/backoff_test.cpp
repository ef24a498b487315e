// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "cluster/backoff.hpp"

#include <boost/test/unit_test.hpp>

#include <limits>

namespace cluster = jtimer::cluster::detail;
using cluster::Micros;

BOOST_AUTO_TEST_CASE(k47_the_delay_doubles_from_first_to_max) {
    const Micros expected[] = {10, 20, 40, 80, 100, 100};
    for (int attempt = 1; attempt <= 6; ++attempt)
        BOOST_TEST(cluster::retryDelay(10, 100, attempt, 0) == expected[attempt - 1]);
}

BOOST_AUTO_TEST_CASE(k47_up_to_a_quarter_is_added_at_random) {
    BOOST_TEST(cluster::retryDelay(1000, 8000, 3, 0) == 4000);
    BOOST_TEST(cluster::retryDelay(1000, 8000, 3, 0.5) == 4500);
    BOOST_TEST(cluster::retryDelay(1000, 8000, 9, 1) == 10'000);
}

BOOST_AUTO_TEST_CASE(k47_extreme_values_neither_overflow_nor_loop) {
    const Micros longest = cluster::kLastMicros;
    BOOST_TEST(cluster::retryDelay(0, 100, 1'000'000'000, 1) == 0);
    BOOST_TEST(cluster::retryDelay(1000, 10, 1, 0) == 10);
    BOOST_TEST(cluster::retryDelay(1, longest, std::numeric_limits<int>::max(), 1) == longest);
}

BOOST_AUTO_TEST_CASE(k59_reconnecting_waits_a_tenth_of_a_second_doubling_to_five) {
    const Micros expected[] = {100'000, 200'000, 400'000, 800'000, 1'600'000, 3'200'000, 5'000'000};
    for (int failures = 1; failures <= 7; ++failures) {
        BOOST_TEST(cluster::reconnectDelay(failures, 1) == expected[failures - 1]);
        BOOST_TEST(cluster::reconnectDelay(failures, 0) == expected[failures - 1] / 2);
    }
}

BOOST_AUTO_TEST_CASE(random_fractions_lie_between_0_and_1_and_differ) {
    const double one = cluster::randomFraction();
    const double other = cluster::randomFraction();
    BOOST_TEST((0 <= one && one < 1));
    BOOST_TEST(one != other);
}

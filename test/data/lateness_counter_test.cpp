// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "data/lateness_counter.hpp"
#include "support/test.hpp"

using jtimer::LatenessHistogram;
using jtimer::detail::LatenessCounter;
using namespace std::chrono_literals;

BOOST_AUTO_TEST_SUITE(lateness)

BOOST_AUTO_TEST_CASE(a_counter_reads_as_the_histogram_of_the_same_runs) {
    LatenessCounter counter;
    LatenessHistogram histogram;
    BOOST_TEST(counter.read().count() == 0U);
    for (jtimer::detail::Nanos nanos = 0; nanos < 3600'000'000'000; nanos = 2 * nanos + 999) {
        counter.add(nanos);
        histogram.add(std::chrono::nanoseconds(nanos));
        const LatenessHistogram read = counter.read();
        BOOST_TEST(read.count() == histogram.count());
        BOOST_TEST((read.max() == histogram.max()));
        for (const double percent : {1.0, 50.0, 90.0})
            BOOST_TEST((read.percentile(percent) == histogram.percentile(percent)));
    }
}

BOOST_AUTO_TEST_CASE(a_negative_lateness_counts_as_none) {
    LatenessCounter counter;
    counter.add(-1);
    BOOST_TEST(counter.read().count() == 1U);
    BOOST_TEST((counter.read().max() == 0ns));
}

BOOST_AUTO_TEST_CASE(a_histogram_adds_the_runs_of_another) {
    LatenessHistogram sum, other;
    sum.add(1ms);
    other.add(3ms);
    other.add(0ns);
    sum.add(other);
    BOOST_TEST(sum.count() == 3U);
    BOOST_TEST((sum.max() == 3ms));
    BOOST_TEST((sum.percentile(33) == 1us));
    BOOST_TEST((sum.percentile(66) == 1024us));
}

BOOST_AUTO_TEST_SUITE_END()

// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "jdk/run_meter.hpp"
#include "support/test.hpp"

using jtimer::detail::Nanos;
using jtimer::detail::RunMeter;

namespace {

/// A burst in which the cheap reading stays behind the exact ones.
struct Burst {
    RunMeter meter;
    Nanos now = 1'000'000;

    /// Of so many runs the last one gets an exact reading, which comes `span` after the last one.
    int runsUntilReading(Nanos span) {
        int runs = 1;
        while (!meter.wantsReading(0) && runs < 1000) ++runs;
        now += span;
        meter.noteReading(now);
        return runs;
    }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(run_meter, Burst)

BOOST_AUTO_TEST_CASE(of_short_runs_one_in_64_gets_a_reading_in_the_end) {
    BOOST_TEST(runsUntilReading(0) == 1);
    for (const int runs : {1, 2, 4, 8, 16, 32, 64, 64, 64}) {
        BOOST_TEST(runsUntilReading(1999) == runs);
    }
}

BOOST_AUTO_TEST_CASE(readings_stay_2_to_4_microseconds_apart) {
    runsUntilReading(0);
    BOOST_TEST(runsUntilReading(1999) == 1);
    BOOST_TEST(runsUntilReading(1999) == 2);
    BOOST_TEST(runsUntilReading(2000) == 4);
    BOOST_TEST(runsUntilReading(3999) == 4);
    BOOST_TEST(runsUntilReading(4000) == 4);
    BOOST_TEST(runsUntilReading(4000) == 1);
    BOOST_TEST(runsUntilReading(4000) == 1);
}

BOOST_AUTO_TEST_CASE(a_cheap_reading_that_is_later_than_the_last_exact_one_asks_for_another) {
    runsUntilReading(0);
    runsUntilReading(1000);
    runsUntilReading(1000);
    BOOST_TEST(!meter.wantsReading(now));
    BOOST_TEST(meter.wantsReading(now + 1));
}

BOOST_AUTO_TEST_CASE(the_first_run_of_the_next_burst_gets_a_reading) {
    for (int i = 0; i < 5; ++i) runsUntilReading(1000);
    meter.burstEnds(now);
    BOOST_TEST(meter.wantsReading(0));
}

BOOST_AUTO_TEST_SUITE_END()

// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "netty/stress.hpp"

BOOST_AUTO_TEST_CASE(n64_n66_every_timeout_is_run_cancelled_or_returned) {
    for (unsigned seed = 1; seed <= 3; ++seed) test::stressWheel(seed, 5000, false);
}

BOOST_AUTO_TEST_CASE(n64_n66_every_timeout_is_accounted_for_when_stop_races_with_newTimeout) {
    for (unsigned seed = 1; seed <= 20; ++seed) test::stressWheel(seed, 1000, true);
}

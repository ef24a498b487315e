// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "support/accounting.hpp"
#include "support/test.hpp"

BOOST_AUTO_TEST_SUITE(go_stress)

BOOST_AUTO_TEST_CASE(g14_of_each_start_there_is_exactly_one_outcome) {
    for (const unsigned shards : {1U, 3U}) test::Accounting().run(1000, shards);
}

BOOST_AUTO_TEST_SUITE_END()

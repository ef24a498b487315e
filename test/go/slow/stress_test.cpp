// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "support/accounting.hpp"

#include <boost/test/unit_test.hpp>

BOOST_AUTO_TEST_SUITE(go_stress)

BOOST_AUTO_TEST_CASE(g14_of_each_of_many_starts_there_is_exactly_one_outcome) {
    for (int repeat = 0; repeat < 5; ++repeat) {
        for (const unsigned shards : {1U, 2U, 64U}) test::Accounting().run(20000, shards);
    }
}

BOOST_AUTO_TEST_SUITE_END()

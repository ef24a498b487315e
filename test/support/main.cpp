// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#define BOOST_TEST_MODULE jtimer
#if defined(BOOST_TEST_DYN_LINK)
#include <boost/test/unit_test.hpp>
#else
#include <boost/test/included/unit_test.hpp>
#endif
#include <boost/test/unit_test_monitor.hpp>

#include "support/abilities.hpp"

#include <iostream>

namespace {

/// Has a case that is skipped say so on the standard output.
struct TellsSkipped {
    TellsSkipped() {
        auto& monitor = boost::unit_test::unit_test_monitor_t::instance();
        monitor.register_exception_translator<test::Skipped>([](const test::Skipped& skipped) {
            BOOST_TEST(true);  // or else it warns of a case without a check
            std::cout << "skipped for want of " << skipped.missing << ": "
                      << boost::unit_test::framework::current_test_case().full_name() << std::endl;
        });
    }
};

}  // namespace

BOOST_TEST_GLOBAL_FIXTURE(TellsSkipped);

// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "support/child_process.hpp"

#include <jtimer/go/timers.hpp>

#include <boost/test/unit_test.hpp>

using namespace std::chrono_literals;
using test::print;
using test::runChild;

// The default timers at the end of the process.

CHILD_PROCESS(waits_after_main) {
    struct Late {
        ~Late() {
            jtimer::go::sleep(1ms);
            jtimer::go::after(1ms).receive();
            print("waited\n");
        }
    };
    static const Late late;  // made before what the next call makes, so destroyed after it
    jtimer::go::sleep(1ms);
    print("main returns\n");
}

BOOST_AUTO_TEST_CASE(the_destructor_of_a_static_object_can_wait_on_the_default_timers) {
    const auto child = runChild("waits_after_main");
    BOOST_TEST(child.out == "main returns\nwaited\n");
    BOOST_TEST(child.err == "");
    BOOST_TEST(child.exitCode == 0);
}

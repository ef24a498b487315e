// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "jdk/reference_model.hpp"
#include "support/choices.hpp"
#include "support/test.hpp"

BOOST_AUTO_TEST_CASE(j94_random_programs_run_to_the_letter_as_on_a_literal_copy_of_the_jdks_timer) {
    for (unsigned program = 0; program < 200; ++program) {
        test::TestedProtocol tested;
        test::ReferenceProtocol reference;
        test::Choices choices(program);
        for (int i = 0; i < 150; ++i) {
            test::Choices same = choices;
            step(reference, same);
            step(tested, choices);
            tested.settle();
            BOOST_REQUIRE(tested.text == reference.text);
        }
    }
}

// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "fuzz/target.hpp"
#include "jdk/reference_model.hpp"

namespace {

/// A program that a Timer and the reference must run to the letter; at the end, each task is
/// accounted for.
void play(fuzz::Choices choices) {
    test::TestedProtocol tested;
    test::ReferenceProtocol reference;
    while (!choices.ended()) {
        fuzz::Choices same = choices;
        step(reference, same);
        step(tested, choices);
        tested.settle();
        MODEL_REQUIRE(tested.text == reference.text);
    }
    tested.end();
    tested.settle();
    const jtimer::TimerStats stats = tested.stats();
    MODEL_REQUIRE(stats.pending == 0);
    MODEL_REQUIRE(stats.scheduled == static_cast<std::uint64_t>(tested.size()));
    MODEL_REQUIRE(stats.executed == stats.lateness.count());
    MODEL_REQUIRE(stats.cancelled + stats.discarded <= stats.scheduled);
    MODEL_REQUIRE(stats.cancelled + stats.discarded + stats.executed >= stats.scheduled);
}

const fuzz::Target target("jdk", play);

}  // namespace

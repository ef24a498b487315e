// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "fuzz/target.hpp"
#include "go/quad_heap_model.hpp"

namespace {

void play(fuzz::Choices choices) {
    test::QuadHeapModel model(test::Nanos{1} << choices.below(40));
    while (!choices.ended()) model.step(choices, 3);
}

const fuzz::Target target("quad_heap", play);

}  // namespace

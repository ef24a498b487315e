// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "fuzz/target.hpp"
#include "netty/hashed_wheel_model.hpp"

#include <cstddef>

namespace {

void play(fuzz::Choices choices) {
    test::HashedWheelModel model(std::size_t{1} << choices.below(5), choices);
    while (!choices.ended()) model.step();
    MODEL_REQUIRE(model.clear());
}

const fuzz::Target target("hashed_wheel", play);

}  // namespace

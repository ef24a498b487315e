// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "fuzz/target.hpp"
#include "tokio/wheel_model.hpp"

namespace {

void play(fuzz::Choices choices) {
    const bool extends = choices.oneIn(2);
    test::WheelModel model(choices, extends);
    while (!choices.ended()) model.step();
    model.drain();
}

const fuzz::Target target("wheel", play);

}  // namespace

// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "brpc/bucketed_queue_model.hpp"
#include "fuzz/target.hpp"

namespace {

void play(fuzz::Choices choices) {
    test::BucketedQueueModel model;
    while (!choices.ended()) model.step(choices);
}

const fuzz::Target target("bucketed_queue", play);

}  // namespace

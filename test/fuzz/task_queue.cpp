// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "fuzz/target.hpp"
#include "jdk/task_queue_model.hpp"

namespace {

void play(fuzz::Choices choices) {
    test::TaskQueueModel model;
    while (!choices.ended()) model.step(choices);
}

const fuzz::Target target("task_queue", play);

}  // namespace

// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "brpc/stress.hpp"

using test::Stress;

BOOST_AUTO_TEST_CASE(d6_d7_eight_threads_lose_nothing_and_run_nothing_twice) {
    Stress::Settings settings;
    settings.tasksEach = 3000;
    settings.options.sweepMinSize = 64;
    Stress(settings).run();
}

BOOST_AUTO_TEST_CASE(d6_d7_threads_that_share_one_bucket_lose_nothing_while_the_sleep_is_capped) {
    Stress::Settings settings;
    settings.tasksEach = 3000;
    settings.options.numBuckets = 1;
    settings.options.sweepMinSize = 0;
    settings.options.maxWakeupInterval = std::chrono::microseconds(50);
    Stress(settings).run();
}

BOOST_AUTO_TEST_CASE(b49_b54_a_stop_that_races_schedules_leaves_every_task_with_one_answer) {
    for (int stopAt = 10; stopAt < 100; stopAt += 20) {
        Stress::Settings settings;
        settings.tasksEach = 500;
        settings.stopAt = stopAt;
        Stress(settings).run();
    }
}

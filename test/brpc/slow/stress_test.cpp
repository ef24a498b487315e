// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "brpc/stress.hpp"

using test::Stress;

BOOST_AUTO_TEST_CASE(d6_d7_eight_threads_lose_nothing_of_two_million_tasks) {
    for (const std::size_t buckets : {1U, 2U, 13U, 64U}) {
        for (const int span : {20, 5000}) {
            Stress::Settings settings;
            settings.tasksEach = 40'000;
            settings.options.numBuckets = buckets;
            settings.options.sweepMinSize = 256;
            settings.span = span;
            BOOST_TEST_CONTEXT(buckets << " buckets, " << span << " us") Stress(settings).run();
        }
    }
}

BOOST_AUTO_TEST_CASE(b49_b54_stops_that_race_schedules_leave_every_task_with_one_answer) {
    for (int round = 0; round < 500; ++round) {
        Stress::Settings settings;
        settings.tasksEach = 500;
        settings.stopAt = round % 100;
        BOOST_TEST_CONTEXT("round " << round) Stress(settings).run();
    }
}

BOOST_AUTO_TEST_CASE(d11_ten_thousand_cycles_of_start_schedule_and_stop_do_not_hang) {
    test::checkCycles(10'000);
}

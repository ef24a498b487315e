// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "cluster/fixture.hpp"
#include "cluster/schema.hpp"

#include <boost/test/unit_test.hpp>

using namespace jtimer::cluster;

BOOST_AUTO_TEST_CASE(k1_a_one_shot_runs_and_is_gone) {
    test::Schema schema;
    test::Counted runs;
    Scheduler scheduler(schema.options);
    scheduler.registerTask("greet", [&](Run& run) {
        BOOST_TEST(run.payload() == "hello");
        BOOST_TEST(run.attempt() == 1);
        runs.add();
    });
    scheduler.start();
    BOOST_TEST(scheduler.schedule("greet", "1", 0, "hello"));
    runs.await(1);
    scheduler.stop();
    BOOST_TEST(!scheduler.find("greet", "1").has_value());
    BOOST_TEST(scheduler.stats().succeeded == 1);
    BOOST_TEST(schema.ask("select count(*) from @.node") == "0");
}

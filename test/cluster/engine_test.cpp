// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.

// The parts of a started node.

#include "cluster/scheduler_state.hpp"
#include "cluster/schema.hpp"

#include <jtimer/clock.hpp>

#include <boost/test/unit_test.hpp>
#include <boost/thread/thread.hpp>

using namespace jtimer::cluster;

BOOST_AUTO_TEST_CASE(k81_local_waits_are_tasks_of_one_timer_on_a_boottime_clock) {
    test::Schema schema;
    schema.options.name = "one";
    detail::SchedulerState state(schema.options);
    state.registry.emplace("n", detail::Registered{[](Run&) {}, {}});
    detail::Engine engine(state.options, state.registry, state.counters, state.stores);
    BOOST_TEST(dynamic_cast<const jtimer::BoottimeClock*>(
                   engine.environment.timer->clock().get()) != nullptr);
    BOOST_TEST(engine.environment.timer->stats().pending == 0U);
    engine.start();
    // An idle node waits for its next renewal and its next poll, and for nothing else.
    while (engine.environment.timer->stats().pending != 2) boost::this_thread::yield();
    engine.stop({});
}

// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.

// The parts of a started node.

#include "cluster/fixture.hpp"
#include "cluster/scheduler_state.hpp"
#include "cluster/schema.hpp"

#include <jtimer/clock.hpp>

#include <boost/test/unit_test.hpp>
#include <boost/thread/thread.hpp>

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>

using namespace jtimer::cluster;

namespace {

/// Goes an hour ahead for one thread.
class AheadClock final : public jtimer::WallClock {
  public:
    std::int64_t nanos() const override {
        return WallClock::nanos() +
               (isAhead ? std::chrono::nanoseconds(std::chrono::hours(1)).count() : 0);
    }
    static thread_local bool isAhead;
};
thread_local bool AheadClock::isAhead = false;

}  // namespace

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

/// As if the thread of the run had seen the lease end just before it was renewed.
BOOST_AUTO_TEST_CASE(
    k45_a_task_that_did_not_begin_is_claimed_again_although_the_lease_is_not_lost) {
    test::Schema schema;
    schema.options.name = "one";
    schema.options.pollInterval = std::chrono::hours(1);
    schema.options.notifications = false;
    int handedOver = 0;  // on the thread that claims
    schema.options.executor = [&](const std::function<void()>& run) {
        AheadClock::isAhead = ++handedOver == 1;
        run();
        AheadClock::isAhead = false;
    };
    test::Counted runs;
    detail::SchedulerState state(schema.options);
    state.registry.emplace("n", detail::Registered{[&](Run&) { runs.add(); }, {}});
    state.stores.with([](detail::Store& store) {
        return store.schedule({{"n", "i", Schedule::once(0), {}, IfExists::Update}});
    });
    detail::Engine engine(state.options, state.registry, state.counters, state.stores,
                          std::make_shared<AheadClock>());
    engine.start();
    runs.await(1);
    engine.stop({});
    BOOST_TEST(handedOver == 2);
    BOOST_TEST(state.counters.read().claimed == 2U);
    BOOST_TEST(state.counters.read().notBegun == 1U);
    BOOST_TEST(state.counters.read().leasesLost == 0U);
}

BOOST_AUTO_TEST_CASE(k74_a_node_without_notifications_listens_nowhere) {
    test::Schema schema;
    schema.options.name = "one";
    schema.options.notifyConninfo = schema.options.conninfo;
    schema.options.notifications = false;
    detail::SchedulerState state(schema.options);
    const detail::Engine engine(state.options, state.registry, state.counters, state.stores);
    BOOST_TEST(!engine.listener.has_value());
}

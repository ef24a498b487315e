// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.

// A thread with a connection that it does not need: there is no server.

#include "cluster/connected_thread.hpp"

#include "cluster/counters.hpp"
#include "cluster/environment.hpp"
#include "cluster/registry.hpp"

#include <jtimer/cluster/options.hpp>

#include <boost/test/unit_test.hpp>
#include <boost/thread/thread.hpp>

#include <atomic>

namespace {

using namespace jtimer::cluster;

/// Has nothing to do, and takes its time for its last call.
struct Slow final : detail::ConnectedThread::Duty {
    bool waitForWork() override { return false; }
    void work() override {}
    void resume() override {}
    void finish() override {
        boost::this_thread::sleep_for(boost::chrono::milliseconds(50));
        isOver = true;
    }
    std::atomic<bool> isOver{false};
};

Options named() {
    Options options;
    options.name = "one";
    return options;
}

struct Fixture {
    const Options options = named();
    const detail::Registry registry;
    detail::Counters counters;
    detail::Environment environment{options, registry, counters};
    Slow duty;
    detail::ConnectedThread thread{environment, "", duty};
};

}  // namespace

BOOST_FIXTURE_TEST_CASE(join_waits_for_the_last_call, Fixture) {
    thread.start();
    thread.join();
    BOOST_TEST(duty.isOver);
}

BOOST_FIXTURE_TEST_CASE(join_does_not_wait_for_a_thread_that_was_not_started, Fixture) {
    thread.join();
    BOOST_TEST(!duty.isOver);
}

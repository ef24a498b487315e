// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.

// A minute of real time, after which connections that nobody has used are closed.

#include "cluster/recorder.hpp"
#include "cluster/schema.hpp"

#include <jtimer/cluster/scheduler.hpp>

#include <boost/test/unit_test.hpp>
#include <boost/thread/thread.hpp>

#include <chrono>
#include <string>

using namespace jtimer::cluster;

namespace {

using Clock = std::chrono::steady_clock;

}  // namespace

BOOST_AUTO_TEST_CASE(k74_a_callers_connection_is_closed_after_a_minute_without_use) {
    test::Recorder recorder;
    test::Schema schema;
    schema.options.conninfo += " application_name=caller";
    const auto open = [&] {
        return schema.ask("select count(*) from pg_stat_activity where application_name ="
                          " 'caller' and pid <> pg_backend_pid()");
    };
    const auto waitUntil = [&](const std::string& count) {
        while (open() != count) boost::this_thread::sleep_for(boost::chrono::milliseconds(50));
        return Clock::now();
    };
    Scheduler scheduler(schema.options);
    // Two at a time need two connections, and the second is given back three seconds later.
    recorder.hold("commit");
    boost::thread other([&] { scheduler.schedule("n", "1", 0); });
    recorder.await("commit", 1);
    scheduler.backlog();
    const Clock::time_point first = Clock::now();
    BOOST_TEST(open() == "2");
    boost::this_thread::sleep_for(boost::chrono::seconds(3));
    recorder.release();
    other.join();
    const Clock::time_point second = Clock::now();
    BOOST_TEST((waitUntil("1") - first >= std::chrono::seconds(59)));
    BOOST_TEST((waitUntil("0") - second >= std::chrono::seconds(59)));
    BOOST_TEST(scheduler.find("n", "1").has_value());  // on a new one
    BOOST_TEST(open() == "1");
}

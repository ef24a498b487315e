// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "support/test.hpp"
#include "support/thread_start.hpp"
#include "tokio/driver_fixture.hpp"

#include <jtimer/tokio/time_driver.hpp>

using jtimer::IllegalArgumentException;
using jtimer::tokio::Sleep;
using jtimer::tokio::TimeDriver;
using jtimer::tokio::TimeDriverOptions;

namespace {

/// See support/thread_start.hpp.
class Started {
  public:
    static constexpr const char* kOptions = "TimeDriverOptions";

    Started(std::shared_ptr<jtimer::ManualClock> clock, std::function<void()> onThreadStart)
        : clock_(std::move(clock)) {
        options_.name = "test";
        options_.clock = clock_;
        options_.onThreadStart = std::move(onThreadStart);
    }
    void start() { driver_.emplace(options_); }
    bool runsATask() {
        bool isWoken = false;
        Sleep sleep = driver_->sleep(1000);
        sleep.poll([&] { isWoken = true; });
        clock_->advance(1000);
        return isWoken;
    }

  private:
    const std::shared_ptr<jtimer::ManualClock> clock_;
    TimeDriverOptions options_;
    std::optional<TimeDriver> driver_;
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(tokio_thread_start, test::PolledDriver)

BOOST_AUTO_TEST_CASE(a80_the_constructor_waits_for_on_thread_start) {
    test::ThreadStart<Started>::check();
}

BOOST_AUTO_TEST_CASE(a80_a_polled_driver_cannot_have_an_on_thread_start) {
    auto with = options();
    with.onThreadStart = [this] { note("called"); };
    CHECK_THROWS(TimeDriver(with), IllegalArgumentException,
                 "TimeDriverOptions::onThreadStart is set, but a polled driver has no thread.");
    BOOST_TEST(take() == "");
}

BOOST_AUTO_TEST_SUITE_END()

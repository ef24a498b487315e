// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "support/throws.hpp"

#include <jtimer/manual_clock.hpp>
#include <jtimer/tokio/time_driver.hpp>

#include <boost/test/unit_test.hpp>

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <utility>

namespace test {

inline constexpr const char* kShutDown = "TimeDriver has been shut down.";

/// A polled driver on a manual clock. Times are milliseconds from kOrigin, the driver's start.
struct PolledDriver {
    static constexpr jtimer::Date kOrigin{std::chrono::seconds(1'000'000'000)};

    const std::shared_ptr<jtimer::ManualClock> clock =
        std::make_shared<jtimer::ManualClock>(kOrigin);
    int unparked = 0;
    std::string log;
    std::optional<jtimer::tokio::TimeDriver> owned{std::in_place, options()};
    jtimer::tokio::TimeDriver& driver = *owned;

    jtimer::tokio::TimeDriverOptions options() {
        jtimer::tokio::TimeDriverOptions options;
        options.name = "test";
        options.clock = clock;
        options.polled = true;
        options.unpark = [this] { ++unparked; };
        options.uncaughtExceptionHandler = [this](const std::string& name,
                                                  const std::exception_ptr& exception) {
            try {
                std::rethrow_exception(exception);
            } catch (const std::exception& e) {
                note(name + ':' + e.what());
            }
        };
        return options;
    }

    static jtimer::Date at(std::int64_t millis) {
        return kOrigin + std::chrono::milliseconds(millis);
    }
    static std::int64_t millis(jtimer::Date date) {
        return std::chrono::duration_cast<std::chrono::milliseconds>(date - kOrigin).count();
    }
    std::int64_t now() const { return millis(clock->now()); }

    /// The next wake, -1 if there is none.
    std::int64_t next() const {
        const auto next = driver.nextWake();
        return next ? millis(*next) : -1;
    }

    /// Moves the clock and turns once.
    std::size_t turnAt(std::int64_t millis) {
        clock->advanceTo(at(millis));
        const std::size_t fired = driver.turn();
        driver.check();
        return fired;
    }

    void note(const std::string& text) { log += (log.empty() ? "" : " ") + text; }
    /// A waker that notes its name and the time.
    auto waker(const std::string& name) {
        return [this, name] { note(name + '@' + std::to_string(now())); };
    }
    /// What has been noted since the last call.
    std::string take() { return std::exchange(log, {}); }
};

}  // namespace test

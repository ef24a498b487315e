// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "tokio/driver_fixture.hpp"

#include <boost/thread/thread.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <utility>

namespace test {

/// A driver with a thread on a manual clock, beside the polled one.
struct ThreadedDriver : PolledDriver {
    std::optional<jtimer::tokio::TimeDriver> threaded{std::in_place, threadedOptions()};

    jtimer::tokio::TimeDriverOptions threadedOptions() {
        auto with = options();
        with.polled = false;
        with.name = "wheel-of-a-long-name";
        return with;
    }
    void advanceTo(std::int64_t millis) { clock->advanceTo(at(millis)); }

    /// Those of the polled one, on a clock of its own.
    jtimer::tokio::TimeDriverOptions optionsOn(std::shared_ptr<jtimer::Clock> other) {
        auto with = options();
        with.clock = std::move(other);
        return with;
    }
};

/// Calls `function` on another thread, which is joined at the end.
class Background {
  public:
    explicit Background(std::function<void()> function) : thread_(std::move(function)) {}
    ~Background() { join(); }
    void join() {
        if (thread_.joinable()) thread_.join();
    }

  private:
    boost::thread thread_;
};

/// Waits until so many sleeps are registered: the last thing that a thread does before it blocks.
inline void awaitSize(const jtimer::tokio::TimeDriver& driver, std::size_t size) {
    while (driver.size() != size) boost::this_thread::yield();
}

}  // namespace test

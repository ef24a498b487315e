// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "support/manual_timer.hpp"

#include <jtimer/go/timers.hpp>

#include <boost/thread/mutex.hpp>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace test {

inline jtimer::go::TimersOptions goOnClock(std::shared_ptr<jtimer::Clock> clock,
                                           unsigned shards = 1) {
    jtimer::go::TimersOptions options;
    options.clock = std::move(clock);
    options.shards = shards;
    options.name = "test";
    return options;
}

/// Makes options with an executor that calls each function at once, on the thread that fires.
inline jtimer::go::TimersOptions goInline(std::shared_ptr<jtimer::Clock> clock) {
    jtimer::go::TimersOptions options = goOnClock(std::move(clock));
    options.executor = [](const std::function<void()>& function) { function(); };
    return options;
}

/// A value as milliseconds from kStart; nothing: -1.
inline std::int64_t millis(jtimer::Date date) {
    return std::chrono::duration_cast<std::chrono::milliseconds>(date - kStart).count();
}
inline std::int64_t millis(const std::optional<jtimer::Date>& date) {
    return date ? millis(*date) : -1;
}

/// Go's timers on a manual clock of their own. As a base class of a test suite's fixture it gives
/// each case `clock` and `timers`.
struct ManualTimers {
    const std::shared_ptr<jtimer::ManualClock> clock =
        std::make_shared<jtimer::ManualClock>(kStart);
    jtimer::go::Timers timers;

    explicit ManualTimers(unsigned shards = 1) : timers(goOnClock(clock, shards)) {}
    explicit ManualTimers(jtimer::go::TimersOptions options) : timers(onThisClock(options)) {}

    /// Milliseconds from kStart to now.
    std::int64_t now() const { return millis(timers.now()); }

    /// Has a function thread call `f`, and returns when it has ended or waits.
    template <class F>
    void inFunctionThread(F&& f) {
        timers.afterFunc(0, std::forward<F>(f));
        clock->waitUntilIdle();
    }

    /// Writes down what happened when. Several threads may do so.
    void write(const std::string& what) {
        const boost::unique_lock<boost::mutex> lock(mutex_);
        log_ += (log_.empty() ? "" : " ") + what + '@' + std::to_string(now());
    }
    auto entry(std::string what) {
        return [this, what = std::move(what)] { write(what); };
    }
    /// What has been written since the last call.
    std::string take() {
        const boost::unique_lock<boost::mutex> lock(mutex_);
        return std::exchange(log_, {});
    }

  private:
    jtimer::go::TimersOptions onThisClock(jtimer::go::TimersOptions options) const {
        options.clock = clock;
        return options;
    }

    boost::mutex mutex_;
    std::string log_;
};

/// The text of the IllegalStateException that `function` throws; "" if it throws nothing.
template <class Function>
std::string stateError(const Function& function) {
    try {
        function();
    } catch (const jtimer::IllegalStateException& e) {
        return e.what();
    }
    return {};
}

}  // namespace test

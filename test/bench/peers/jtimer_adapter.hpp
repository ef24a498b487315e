// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "workload.hpp"

#include <jtimer/timer.hpp>
#include <jtimer/version.hpp>

#include <chrono>
#include <cstdlib>
#include <memory>
#include <stdexcept>
#include <string>

namespace peers {

/// As a user has it: the public header, and every default. OPTION in the environment is for
/// comparing with a tolerance of a millisecond (`tolerance`), and with `remove-on-cancel`.
class JtimerAdapter : public Threaded {
  public:
    static constexpr bool kPurges = true;
    static std::string version() { return "jtimer " JTIMER_VERSION; }

    using Handle = std::shared_ptr<jtimer::TimerTask>;

    Handle schedule(std::int64_t delay, Function function, void* argument) {
        return timer_.schedule([function, argument] { function(argument); },
                               std::chrono::nanoseconds(delay));
    }

    Handle scheduleAt(std::int64_t time, Function function, void* argument) {
        const auto date = atZero_ + std::chrono::nanoseconds(time);
        return timer_.schedule([function, argument] { function(argument); }, date);
    }

    static void cancel(Handle& task) { task->cancel(); }

    std::int64_t purge() { return timer_.purge(); }

    void scheduleAtFixedRate(std::int64_t delay, std::int64_t period, Function function,
                             void* argument) {
        timer_.scheduleAtFixedRate([function, argument] { function(argument); },
                                   std::chrono::nanoseconds(delay),
                                   std::chrono::nanoseconds(period));
    }

  private:
    static jtimer::TimerOptions options() {
        const char* const option = std::getenv("OPTION");
        const std::string name = option == nullptr ? "" : option;
        jtimer::TimerOptions options;
        options.daemon = true;
        if (name == "tolerance") {
            options.tolerance = std::chrono::milliseconds(1);
        } else if (name == "remove-on-cancel") {
            options.removeOnCancel = true;
        } else if (!name.empty()) {
            throw std::invalid_argument("OPTION=" + name +
                                        ": expected tolerance or remove-on-cancel");
        }
        return options;
    }

    jtimer::Timer timer_{options()};
    const jtimer::Date atZero_ = std::chrono::system_clock::now() - std::chrono::nanoseconds(now());
};

}  // namespace peers

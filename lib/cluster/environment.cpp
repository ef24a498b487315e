// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "cluster/environment.hpp"

#include "cluster/micros.hpp"

#include <jtimer/jdk/timer_options.hpp>

#include <string>
#include <utility>

namespace jtimer::cluster::detail {

namespace {

TimerOptions timerOptions(const std::string& name, std::shared_ptr<jtimer::Clock> clock) {
    TimerOptions options;
    options.name = name;
    options.daemon = true;
    options.removeOnCancel = true;
    options.clock = std::move(clock);
    return options;
}

}  // namespace

Environment::Environment(const Options& givenOptions, const Registry& givenRegistry,
                         Counters& givenCounters, std::shared_ptr<jtimer::Clock> givenClock)
    : options(givenOptions), registry(givenRegistry), counters(givenCounters),
      clock(std::move(givenClock)),
      timer(std::make_unique<Timer>(timerOptions(*options.name, clock))), outage(*options.name),
      slowLine(*options.name, toMicros(options.operationTimeout)) {}

}  // namespace jtimer::cluster::detail

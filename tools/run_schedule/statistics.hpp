// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include <jtimer/jdk/timer_stats.hpp>

#include <cstdint>

/// The statistics of a task.
struct Statistics {
    jtimer::LatenessHistogram lateness;  ///< of the task's runs
    std::int64_t failures = 0;
};

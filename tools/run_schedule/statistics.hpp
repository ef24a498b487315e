// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include <jtimer/timer_stats.hpp>

#include <cstdint>

/// How a task has fared.
struct Statistics {
    jtimer::LatenessHistogram lateness;  ///< of its runs
    std::int64_t failures = 0;
};

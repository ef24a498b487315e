// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "workloads.hpp"

namespace bench {

/// Runs a second of Graphile Worker; 0 if it is not installed.
/// \param localQueue the size of its local queue, -1 for none
double graphileRate(const Settings& settings, int concurrency, int localQueue, long tasks);

struct QuartzRates {
    double runs = 0, inserts = 0;
};

/// A second, of 10 and of 8 threads; 0 if it is not installed.
QuartzRates quartzRates(const Settings& settings, long tasks);

}  // namespace bench

// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "cluster/micros.hpp"

namespace jtimer::cluster::detail {

/// The pause after a failed attempt: `first` after attempt 1, twice as long after each further one,
/// at most `max`; then up to a quarter more.
/// \param random from 0 to 1, how much of that quarter
Micros retryDelay(Micros first, Micros max, int attempt, double random) noexcept;

/// The pause before a new connection: 0.1 s after the first failure, doubling to 5 s; then 0.5 to
/// 1.0 of that, so that the nodes do not come back all at once.
Micros reconnectDelay(int failures, double random) noexcept;

/// From 0 to 1. Any thread.
double randomFraction();

}  // namespace jtimer::cluster::detail

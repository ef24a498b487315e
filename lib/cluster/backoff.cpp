// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "cluster/backoff.hpp"

#include <algorithm>
#include <cmath>
#include <random>

namespace jtimer::cluster::detail {

namespace {

/// `first`, doubled so many times, but at most `max`; then times `factor`.
Micros delay(Micros first, Micros max, int doublings, double factor) noexcept {
    const double doubled = std::ldexp(static_cast<double>(first), doublings);
    const double result = std::min(doubled, static_cast<double>(max)) * factor;
    return result >= static_cast<double>(kLastMicros) ? kLastMicros : static_cast<Micros>(result);
}

}  // namespace

Micros retryDelay(Micros first, Micros max, int attempt, double random) noexcept {
    return delay(first, max, attempt - 1, 1 + random / 4);
}

Micros reconnectDelay(int failures, double random) noexcept {
    return delay(100'000, 5'000'000, failures - 1, 0.5 + random / 2);
}

double randomFraction() {
    thread_local std::mt19937_64 generator{std::random_device{}()};
    return std::uniform_real_distribution<double>()(generator);
}

}  // namespace jtimer::cluster::detail

// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "cluster/backoff.hpp"

#include <algorithm>
#include <random>

namespace jtimer::cluster::detail {

namespace {

Micros doubled(Micros first, Micros max, int times) noexcept {
    Micros delay = std::min(first, max);
    for (int i = 0; i < times && delay > 0 && delay < max; ++i)
        delay = delay > max / 2 ? max : 2 * delay;
    return delay;
}

/// From `from` to `to` times `delay`.
Micros scaled(Micros delay, double from, double to, double random) noexcept {
    const double factor = from + (to - from) * random;
    const double product = static_cast<double>(delay) * factor;
    return product >= static_cast<double>(kLastMicros) ? kLastMicros : static_cast<Micros>(product);
}

}  // namespace

Micros retryDelay(Micros first, Micros max, int attempt, double random) noexcept {
    return scaled(doubled(first, max, attempt - 1), 1.0, 1.25, random);
}

Micros reconnectDelay(int failures, double random) noexcept {
    return scaled(doubled(100'000, 5'000'000, failures - 1), 0.5, 1.0, random);
}

double randomFraction() {
    thread_local std::mt19937_64 generator{std::random_device{}()};
    return std::uniform_real_distribution<double>()(generator);
}

}  // namespace jtimer::cluster::detail

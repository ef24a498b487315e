// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "cluster/store.hpp"

#include <atomic>
#include <cstdint>
#include <ctime>
#include <limits>

namespace jtimer::cluster::detail {

/// Nanoseconds of a clock that also counts while the process is stopped or the computer sleeps.
inline std::int64_t boottimeNanos() noexcept {
#if defined(CLOCK_BOOTTIME)
    const clockid_t clock = CLOCK_BOOTTIME;
#else
    const clockid_t clock = CLOCK_MONOTONIC;
#endif
    std::timespec now{};
    ::clock_gettime(clock, &now);
    return std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

/// How long the tasks of one node number are certainly its own, as far as this process can tell
/// without asking. The thread of Node writes it, any thread reads it. It guards no other data, so
/// relaxed accesses suffice.
class Lease {
  public:
    explicit Lease(NodeNumber node) noexcept : node_(node) {}

    NodeNumber node() const noexcept { return node_; }

    /// No thread needs to run for this to become true.
    bool lost() const noexcept {
        return boottimeNanos() >= endsAt_.load(std::memory_order_relaxed);
    }

    /// \param sentAt before the renewal was sent: the server's lease ends later than this one
    void renewed(std::int64_t sentAt, Micros lease) noexcept {
        endsAt_.store(jtimer::detail::saturatingAdd(sentAt, lease * 1000),
                      std::memory_order_relaxed);
    }

    /// The number's row is gone: its runs have lost their tasks for good.
    void end() noexcept {
        endsAt_.store(std::numeric_limits<std::int64_t>::min(), std::memory_order_relaxed);
    }

  private:
    const NodeNumber node_;
    std::atomic<std::int64_t> endsAt_{std::numeric_limits<std::int64_t>::min()};
};

}  // namespace jtimer::cluster::detail

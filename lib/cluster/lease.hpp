// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "cluster/store.hpp"

#include <jtimer/clock.hpp>

#include <atomic>
#include <cstdint>
#include <limits>
#include <memory>
#include <utility>

namespace jtimer::cluster::detail {

/// How long the tasks of one node number are certainly its own, as far as this process can tell
/// without asking. The thread of Node writes it, any thread reads it. It guards no other data, so
/// relaxed accesses suffice.
class Lease {
  public:
    Lease(NodeNumber node, std::shared_ptr<const jtimer::Clock> clock) noexcept
        : node_(node), clock_(std::move(clock)) {}

    NodeNumber node() const noexcept { return node_; }

    /// No thread needs to run for this to become true.
    bool lost() const noexcept {
        return clock_->nanos() >= endsAt_.load(std::memory_order_relaxed);
    }

    /// \param sentAt before the renewal was sent: the server's lease ends later than this one
    void renewed(std::int64_t sentAt, Micros lease) noexcept {
        endsAt_.store(jtimer::detail::saturatingAdd(sentAt, lease * 1000),
                      std::memory_order_relaxed);
    }

    /// The number's row is gone: its runs have lost their tasks for good.
    void revoke() noexcept {
        endsAt_.store(std::numeric_limits<std::int64_t>::min(), std::memory_order_relaxed);
    }

  private:
    const NodeNumber node_;
    const std::shared_ptr<const jtimer::Clock> clock_;  ///< see localClock()
    std::atomic<std::int64_t> endsAt_{std::numeric_limits<std::int64_t>::min()};
};

}  // namespace jtimer::cluster::detail

// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "cluster/micros.hpp"
#include "cluster/name_limits.hpp"
#include "cluster/store.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace jtimer::cluster::detail {

/// Of the names that a node registers, those that are not paused, as far as it knows. Not
/// thread-safe.
class OpenNames {
  public:
    explicit OpenNames(Micros pollInterval)
        : interval_(std::min<Micros>(pollInterval, 1'000'000) * 1000) {}

    void add(const std::string& name, Limited limited = Limited::Not) {
        registered_.push_back(name);
        limited_.push_back(limited);
    }
    const std::vector<std::string>& registered() const noexcept { return registered_; }

    /// The pauses must be read before the next claim: they have changed.
    void forget() noexcept { node_ = 0; }

    /// \param now by Environment::clock. While there are pauses, they are read once in a poll
    ///   interval: nothing else may tell that one has ended.
    bool areKnown(NodeNumber node, std::int64_t now) const noexcept {
        return node == node_ && (allOpen_ || now - readAt_ < interval_);
    }

    /// \returns whether other names are open than before
    bool read(NodeNumber node, const NodePauses& pauses, std::int64_t now) {
        Open open;
        allOpen_ = true;
        for (std::size_t i = 0; i < registered_.size(); ++i) {
            const auto& paused = pauses.names;
            if (pauses.all ||
                std::find(paused.begin(), paused.end(), registered_[i]) != paused.end())
                allOpen_ = false;
            else
                open[static_cast<std::size_t>(limited_[i])].push_back(registered_[i]);
        }
        node_ = node;
        number_ = pauses.number;
        readAt_ = now;
        return std::exchange(open_, std::move(open)) != open_;
    }

    const std::vector<std::string>& get(Limited names = Limited::Not) const noexcept {
        return open_[static_cast<std::size_t>(names)];
    }
    Claimer claimer() const noexcept { return {node_, number_}; }

  private:
    using Open = std::array<std::vector<std::string>, kWaysOfLimiting>;

    const std::int64_t interval_;  ///< in nanoseconds
    std::vector<std::string> registered_;
    std::vector<Limited> limited_;  ///< in the same order
    NodeNumber node_ = 0;           ///< whose pauses the rest is of; 0: not known
    std::int64_t number_ = 0;
    std::int64_t readAt_ = 0;
    Open open_;  ///< by how they are limited
    bool allOpen_ = false;
};

}  // namespace jtimer::cluster::detail

// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "cluster/micros.hpp"
#include "cluster/store.hpp"

#include <algorithm>
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

    void add(const std::string& name) { registered_.push_back(name); }
    const std::vector<std::string>& registered() const noexcept { return registered_; }

    /// The pauses must be read before the next claim: they have changed.
    void forget() noexcept { node_ = 0; }

    /// \param now by Environment::clock. While there are pauses, they are read once in a poll
    ///   interval: nothing else may tell that one has ended.
    bool areKnown(NodeNumber node, std::int64_t now) const noexcept {
        return node == node_ && (open_.size() == registered_.size() || now - readAt_ < interval_);
    }

    /// \returns whether other names are open than before
    bool read(NodeNumber node, const NodePauses& pauses, std::int64_t now) {
        std::vector<std::string> open;
        for (const std::string& name : registered_) {
            const auto& paused = pauses.names;
            if (!pauses.all && std::find(paused.begin(), paused.end(), name) == paused.end())
                open.push_back(name);
        }
        node_ = node;
        number_ = pauses.number;
        readAt_ = now;
        return std::exchange(open_, std::move(open)) != open_;
    }

    const std::vector<std::string>& get() const noexcept { return open_; }
    Claimer claimer() const noexcept { return {node_, number_}; }

  private:
    const std::int64_t interval_;  ///< in nanoseconds
    std::vector<std::string> registered_;
    NodeNumber node_ = 0;  ///< whose pauses the rest is of; 0: not known
    std::int64_t number_ = 0;
    std::int64_t readAt_ = 0;
    std::vector<std::string> open_;
};

}  // namespace jtimer::cluster::detail

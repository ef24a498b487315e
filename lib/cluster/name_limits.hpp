// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "cluster/registry.hpp"
#include "cluster/store.hpp"

#include <jtimer/cluster/task_options.hpp>

#include <array>
#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace jtimer::cluster::detail {

/// Where a name's runs are limited. Names that are limited alike are claimed together.
enum class Limited { Not, InNode, InCluster };
inline constexpr std::size_t kWaysOfLimiting = 3;

inline Limited limitedBy(const TaskOptions& options) noexcept {
    if (options.clusterConcurrency.has_value()) return Limited::InCluster;
    return options.concurrency.has_value() ? Limited::InNode : Limited::Not;
}

/// Of the names with limits, how many slots of this node each has, and whether there are tasks that
/// the end of one of its runs may let begin. Not thread-safe.
class NameLimits {
  public:
    explicit NameLimits(const Registry& registry);

    /// Before a look for tasks of some names: those of them that have room here. From now on all of
    /// them wait, so that an end which comes before the answer is not missed.
    /// \param limit of all that the look may take
    std::vector<LimitedName> roomOf(const std::vector<std::string>& names, int limit);

    /// After that look: of the names that had room, those that have tasks left go on waiting.
    void looked(const std::vector<LimitedName>& names, const std::vector<std::string>& left);

    /// Of any name, also without limits.
    void occupies(const std::string& name);

    /// A slot of the name is free. \returns whether its next task may begin
    bool freed(const std::string& name);

    /// The end of one of its runs is written: in the cluster, it counts until then. \returns whether
    /// its next task may begin
    bool endWritten(const std::string& name) const;

  private:
    struct Name {
        Limited limited;
        std::optional<int> inNode, inCluster;
        int occupied = 0;
        bool waits = false;
    };

    std::map<std::string, Name> names_;
};

/// Whose turn it is to be looked for, of the names without limits, those with limits in the node,
/// and those with limits in the cluster: as long as tasks of each are due, they take turns at the
/// idle slots. Not thread-safe.
class Turns {
  public:
    /// All are wanted.
    explicit Turns(const Registry& registry);

    void want(Limited names) noexcept { wanted_[static_cast<std::size_t>(names)] = true; }
    void wantAll() noexcept { wanted_ = registered_; }
    bool anyWanted() const noexcept;

    Limited take() noexcept;  ///< if any is wanted: the next one, which then is not

  private:
    std::array<bool, kWaysOfLimiting> registered_{}, wanted_{};
    std::size_t last_ = kWaysOfLimiting - 1;
};

}  // namespace jtimer::cluster::detail

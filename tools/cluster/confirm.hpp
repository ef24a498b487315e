// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "session.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace cluster_tool {

/// Which tasks are to be changed, as far as people are shown it.
struct Selected {
    static constexpr std::size_t kShown = 10;

    std::uint64_t count = 0;
    std::vector<jtimer::cluster::TaskInfo> first;

    void add(jtimer::cluster::TaskInfo task) {
        ++count;
        if (first.size() < kShown) first.push_back(std::move(task));
    }
};

/// Shows what is selected, and asks, unless --yes or --dry-run says what to do.
/// \param verb what is done to the tasks, such as "Delete"
/// \returns nothing if it is to be done, or else the exit status
std::optional<int> unlessConfirmed(Session& session, const Selected& selected,
                                   const std::string& verb);

}  // namespace cluster_tool

// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include <jtimer/cluster/pause.hpp>
#include <jtimer/time.hpp>

#include <cstdint>
#include <optional>
#include <string>

namespace jtimer::cluster {

/// What there is of a name, as it was when the database answered. Each task is counted in one of
/// five, none of which is counted beyond a limit. Due tasks that do not begin: if `pause` is set,
/// the name is paused; if no node registers it, nobody runs it; else the nodes have no idle slot,
/// or are paused.
struct NameInfo {
    std::string name;                    ///< of a handler, as in registerTask()
    std::uint64_t due = 0;               ///< may begin now but for pauses of more than the task
    std::uint64_t scheduled = 0;         ///< wait for their time, or for the next attempt
    std::uint64_t paused = 0;            ///< wait, and are themselves paused
    std::uint64_t dead = 0;              ///< were given up
    std::uint64_t running = 0;           ///< belong to a node
    std::uint64_t registeringNodes = 0;  ///< nodes with a lease in force that run it
    std::optional<Date> oldestDue;       ///< since when the first of the due tasks may begin
    std::optional<Date> nextDue;         ///< when the first of the scheduled tasks may begin
    std::optional<Pause> pause;          ///< of the name
};

}  // namespace jtimer::cluster

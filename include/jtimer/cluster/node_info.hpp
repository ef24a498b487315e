// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include <jtimer/cluster/pause.hpp>
#include <jtimer/time.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace jtimer::cluster {

/// A started Scheduler, of this process or another, as it was when the database answered.
struct NodeInfo {
    std::int64_t number = 0;         ///< no other node ever has it
    std::string name;                ///< Options::name
    std::string library;             ///< its version; empty if the node does not tell
    Date started;                    ///< by the database's clock
    TimeSpan lease = 0;              ///< Options::lease
    TimeSpan leaseLeft = 0;          ///< until its lease ends; not positive: it has ended
    int concurrency = 0;             ///< Options::concurrency; 0 if the node does not tell
    int running = 0;                 ///< tasks that belong to it
    std::vector<std::string> names;  ///< that it registers; empty if the node does not tell
    std::optional<Pause> paused;     ///< the pause of nodes with its name
};

}  // namespace jtimer::cluster

// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "cluster/micros.hpp"

#include <jtimer/time.hpp>

#include <memory>
#include <optional>
#include <string>

namespace jtimer::cluster::detail {

struct ClaimedTask;

/// How a run ended.
struct End {
    enum class Kind {
        Success,  ///< a one-shot is deleted, a repeating task gets its next due
        Retry,    ///< another attempt at the same due, after `delay`
        GiveUp,   ///< a one-shot is dead, a repeating task gets its next due
        Dead,     ///< dead, also if it repeats
        GoOn      ///< only of a repeating task: GiveUp, and its crashes are forgotten
    };
    std::shared_ptr<const ClaimedTask> task;
    Kind kind = Kind::Success;
    Micros delay = 0;                    ///< of a Retry
    std::optional<When> again;           ///< of a Success: due then, in place of the usual
    std::optional<std::string> payload;  ///< a new one
    std::string error;                   ///< of anything but a Success; see messageOf()
    bool abandoned = false;              ///< the handler has not returned: for the past runs
    bool wasLocked = false;              ///< see EndStatus::Locked
    /// Once it is written: when the task may begin again, if it were not paused. Nothing if it is
    /// over or dead.
    std::optional<Micros> nextDue;
};

}  // namespace jtimer::cluster::detail

// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "cluster/pending_end.hpp"

#include "cluster/micros.hpp"

#include <algorithm>
#include <chrono>

namespace jtimer::cluster::detail {

RunEnd toRunEnd(const PendingEnd& end, const End& written, Outcome outcome) {
    const ClaimedTask& task = *end.task;
    RunEnd told;
    told.name = task.name;
    told.id = task.id;
    told.attempt = task.attempt;
    told.fencingToken = task.token;
    told.outcome = outcome;
    told.lateness = std::chrono::microseconds(std::max<Micros>(0, task.claimedAt - task.due));
    told.duration = end.duration;
    if (written.nextDue.has_value()) told.nextDue = toDate(*written.nextDue);
    if (outcome != Outcome::Succeeded) told.error = written.error;
    return told;
}

}  // namespace jtimer::cluster::detail

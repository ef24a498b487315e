// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "cluster/session.hpp"

#include <jtimer/cluster/schedule.hpp>

#include <cstdint>
#include <optional>

namespace jtimer::cluster::detail {

struct CronDue {
    Micros due;
    std::int64_t missed;  ///< runs that are dropped for it, or merged into it
};

/// When a cron task is next due. Which local times match is computed here; which instants these are
/// is asked of the server, which alone knows the rules of the zone.
/// \param after the last due; nothing: now
CronDue nextCronDue(Session& session, const Recurrence& cron, std::optional<Micros> after);

}  // namespace jtimer::cluster::detail

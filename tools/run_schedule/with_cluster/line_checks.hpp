// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "../entry.hpp"

#include <jtimer/cluster/options.hpp>

#include <vector>

// checkForCluster() of cluster.hpp is here, too.

/// By one query, as scheduling would only tell about the first zone that the server does not know.
/// It is also the first to need the database.
/// \throws ScheduleError if the server does not know the zone of a line
/// \throws jtimer::cluster::DatabaseException
void checkZones(const std::vector<Entry>& entries, const jtimer::cluster::Options& options);

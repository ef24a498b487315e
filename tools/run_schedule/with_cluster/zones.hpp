// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include <jtimer/cluster/options.hpp>

#include <set>
#include <string>

namespace jtimer::cluster::detail {

/// Those of the names that the server does not know as time zones. One query, for which there need
/// be no schema.
/// \throws DatabaseException
std::set<std::string> unknownZones(const Options& options, const std::set<std::string>& names);

}  // namespace jtimer::cluster::detail

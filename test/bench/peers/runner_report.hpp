// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "runner_results.hpp"

#include <iosfwd>
#include <map>
#include <string>
#include <vector>

namespace runner {

/// What jtimer's ratio to the JDK's timer should not exceed.
using Goals = std::map<Line, double>;

Goals readGoals(const std::string& file);

/// One row for each figure and peer.
void print(std::ostream& out, const Results& results);

/// Puts the report between the markers of the page, and leaves the rest of it as it is. The
/// pictures are file names beside the page.
void writePage(const std::string& page, const Results& results, const Goals& goals,
               const std::vector<std::string>& pictures);

}  // namespace runner

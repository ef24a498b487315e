// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include <jtimer/cluster/history.hpp>

#include <string>

/// \file
/// Charts of past runs.

namespace page {

/// How runs ended, how long they took and how late they began, over the time in which they ended:
/// a chart each, and their figures as a table. Empty if there is no run.
std::string charts(const jtimer::cluster::PastRuns& history);

}  // namespace page

// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include <jtimer/time.hpp>

#include <string>

/// \file
/// Times in HTML: how long ago or until then, and exactly, in UTC, for programs and when pointed
/// at.

namespace page {

/// `5m02s ago` or `in 3.0s`; a dash for Date::max().
std::string relative(jtimer::Date date, jtimer::Date now);

/// `2030-01-01 08:00:00.250 UTC (in 3.0s)`; a dash for Date::max().
std::string exact(jtimer::Date date, jtimer::Date now);

/// `2030-01-01 08:00:00Z`
std::string dayAndTime(jtimer::Date date);

/// `08:00:00 UTC`
std::string timeOfDay(jtimer::Date date);

}  // namespace page

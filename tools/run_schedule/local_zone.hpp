// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include <string>

/// The local time zone and what sets it: `Europe/Berlin (TZ)`, `Europe/Berlin (/etc/localtime)`, or
/// `UTC (none)`.
std::string describeLocalZone();

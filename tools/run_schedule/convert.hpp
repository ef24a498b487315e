// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "schedule_file.hpp"

#include <string>

/// A crontab as a schedule file, which does the same. Comments and variables stay as they are.
/// \param crontab of one file
std::string convert(const Schedule& crontab);

// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "options.hpp"
#include "schedule_file.hpp"

#include <jtimer/time.hpp>

#include <string>

/// Does the checks of a start that are left when the files have been read, without connecting,
/// running or writing anything, and adds notices about what people may not expect.
/// \returns a line for each entry: its name, and when it is due next
/// \throws std::invalid_argument, ScheduleError as a start does
std::string checkSchedule(Schedule& schedule, const Options& options, jtimer::Date now);

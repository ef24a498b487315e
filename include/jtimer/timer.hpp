// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

/// \file
/// jtimer::Timer with all that belongs to it, and the clocks.

#include <jtimer/clock.hpp>
#include <jtimer/cron.hpp>
#include <jtimer/exceptions.hpp>
#include <jtimer/jdk/make_task.hpp>
#include <jtimer/jdk/scoped_task.hpp>
#include <jtimer/jdk/timer.hpp>
#include <jtimer/jdk/timer_options.hpp>
#include <jtimer/jdk/timer_stats.hpp>
#include <jtimer/jdk/timer_task.hpp>
#include <jtimer/missed_runs.hpp>
#include <jtimer/rule.hpp>
#include <jtimer/time.hpp>
#include <jtimer/wait_report.hpp>
#include <jtimer/zone.hpp>

// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

/// \file
/// All of jtimer::cluster, which is a library of its own: libjtimer-cluster.

#include <jtimer/cluster/exceptions.hpp>
#include <jtimer/cluster/history.hpp>
#include <jtimer/cluster/migrate.hpp>
#include <jtimer/cluster/name_info.hpp>
#include <jtimer/cluster/node_info.hpp>
#include <jtimer/cluster/options.hpp>
#include <jtimer/cluster/pause.hpp>
#include <jtimer/cluster/run.hpp>
#include <jtimer/cluster/run_end.hpp>
#include <jtimer/cluster/schedule.hpp>
#include <jtimer/cluster/scheduler.hpp>
#include <jtimer/cluster/stats.hpp>
#include <jtimer/cluster/task_info.hpp>
#include <jtimer/cluster/task_options.hpp>
#include <jtimer/cluster/test_clock.hpp>

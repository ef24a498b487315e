// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

/// \file
/// All of jtimer::brpc, and the clocks.

#include <jtimer/brpc/scoped_timer_task.hpp>
#include <jtimer/brpc/timer_thread.hpp>
#include <jtimer/brpc/timer_thread_options.hpp>
#include <jtimer/clock.hpp>

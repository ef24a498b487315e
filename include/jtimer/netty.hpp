// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

/// \file
/// All of jtimer::netty, and the clocks.

#include <jtimer/clock.hpp>
#include <jtimer/netty/hashed_wheel_timer.hpp>
#include <jtimer/netty/hashed_wheel_timer_options.hpp>
#include <jtimer/netty/scoped_timeout.hpp>
#include <jtimer/netty/timeout.hpp>
#include <jtimer/netty/timer_task.hpp>

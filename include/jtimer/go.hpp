// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

/// \file
/// All of jtimer::go, and the clocks.

#include <jtimer/clock.hpp>
#include <jtimer/go/chan.hpp>
#include <jtimer/go/channel.hpp>
#include <jtimer/go/context.hpp>
#include <jtimer/go/event.hpp>
#include <jtimer/go/scoped_timer.hpp>
#include <jtimer/go/timer.hpp>
#include <jtimer/go/timers.hpp>

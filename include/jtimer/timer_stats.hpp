// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

/// \file
/// The former name of <jtimer/jdk/timer_stats.hpp>. Both stay valid.

#include <jtimer/jdk/timer_stats.hpp>

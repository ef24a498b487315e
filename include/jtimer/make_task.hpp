// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

/// \file
/// The former place of <jtimer/jdk/make_task.hpp>, which stays good.

#include <jtimer/jdk/make_task.hpp>

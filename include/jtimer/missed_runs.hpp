// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

/// \file
/// The former name of <jtimer/jdk/missed_runs.hpp>. Both stay valid.

#include <jtimer/jdk/missed_runs.hpp>

// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include <stdexcept>

/// A schedule that cannot be played: a line for each error, `FILE:LINE: WHAT: expected ...`.
struct ScheduleError : std::runtime_error {
    using std::runtime_error::runtime_error;
};

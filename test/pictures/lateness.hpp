// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include <iosfwd>

namespace pictures {

/// Has each of the five timers in turn run 10,000 tasks at random microseconds of ten seconds, on
/// its default clock. Prints a block of lines `share lateness` for each, in the order jtimer, netty
/// (with ticks of 1 ms), brpc, go, tokio: the share of the tasks in percent, and how many
/// microseconds they were late at most.
void recordLateness(std::ostream& out);

}  // namespace pictures

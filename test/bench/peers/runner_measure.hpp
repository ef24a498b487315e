// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "runner_results.hpp"

#include <chrono>
#include <set>
#include <string>

namespace runner {

struct Measuring {
    std::string dir;   // where the peers' programs are
    std::string java;  // the program
    int rounds = 8;
    std::chrono::seconds limit{120};  // for one process
    bool quick = false;
    std::set<std::string> workloads;  // empty: all
    std::set<std::string> peers;      // empty: all that are here
};

/// Plays every step in rounds, one process at a time, the peers by turns: what the machine does
/// meanwhile meets them all. Peers that are not here, and peers that fail, are facts of the result.
void measure(const Measuring& measuring, Recorder& recorder);

}  // namespace runner

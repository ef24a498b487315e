// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "report.hpp"

#include <string>

namespace bench {

/// How much a round measures, and where others are.
struct Settings {
    bool quick = false;
    std::string graphile;  ///< the folder with node_modules; empty: not installed
    std::string quartz;    ///< the class path
};

// Each measures one round. doc/benchmarks/cluster.md describes them.
void measureRuns(Report& report, const Settings& settings);                  // C1
void measureRunsOfNodes(Report& report, const Settings& settings);           // C2
void measureRunsBesideQueue(Report& report, const Settings& settings);       // C3
void measureScheduling(Report& report, const Settings& settings);            // C4
void measureFutureTasks(Report& report, const Settings& settings);           // C5
void measureSnapshot(Report& report, const Settings& settings);              // C6
void measureLateness(Report& report, const Settings& settings);              // C7
void measureIdleNode(Report& report, const Settings& settings);              // C8
void measureTakeOver(Report& report, const Settings& settings);              // C9
void measureLatenessBesideOthers(Report& report, const Settings& settings);  // C10
void measureHistory(Report& report, const Settings& settings);               // C11

}  // namespace bench

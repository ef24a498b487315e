// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
//
// Measures jtimer::cluster beside the bare statements of plain libpq, in alternation, on the server
// that PGHOST and the like name. `make bench-cluster` calls it with a private one.

#include "workloads.hpp"

#include <jtimer/cluster/migrate.hpp>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <iostream>
#include <string>
#include <utility>
#include <vector>

namespace {

using bench::Report;
using bench::Settings;

const std::pair<const char*, void (*)(Report&, const Settings&)> kWorkloads[] = {
    {"C1", bench::measureRuns},
    {"C2", bench::measureRunsOfNodes},
    {"C3", bench::measureRunsBesideQueue},
    {"C4", bench::measureScheduling},
    {"C5", bench::measureFutureTasks},
    {"C6", bench::measureSnapshot},
    {"C7", bench::measureLateness},
    {"C8", bench::measureIdleNode},
    {"C9", bench::measureTakeOver},
    {"C10", bench::measureLatenessBesideOthers},
    {"C11", bench::measureHistory}};

int usage() {
    std::cerr << "Usage: bench_cluster [--rounds N] [--workloads C1,C2] [--quick]\n"
                 "    [--graphile FOLDER] [--quartz CLASS_PATH]\n";
    return 2;
}

}  // namespace

int main(int argc, char** argv) {
    Settings settings;
    int rounds = 5;
    std::string workloads;
    for (int i = 1; i < argc; ++i) {
        const std::string option = argv[i];
        if (option == "--quick") {
            settings.quick = true;
            continue;
        }
        if (++i == argc) return usage();
        const std::string value = argv[i];
        if (option == "--rounds") {
            rounds = std::atoi(value.c_str());
        } else if (option == "--workloads") {
            workloads = value + ",";
        } else if (option == "--graphile") {
            settings.graphile = value;
        } else if (option == "--quartz") {
            settings.quartz = value;
        } else {
            return usage();
        }
    }
    try {
        jtimer::cluster::migrate({});
        Report report;
        for (int round = 1; round <= rounds; ++round) {
            std::cerr << "round " << round << " of " << rounds << '\n';
            for (const auto& [name, measure] : kWorkloads)
                if (workloads.empty() ||
                    workloads.find(std::string(name) + ",") != std::string::npos)
                    measure(report, settings);
        }
        report.print();
    } catch (const std::exception& exception) {
        std::cerr << "bench-cluster: " << exception.what() << '\n';
        return 1;
    }
}

// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "peers.hpp"

#include <cstdio>
#include <stdexcept>
#include <string>

namespace bench {

namespace {

/// The numbers that a command prints.
QuartzRates numbersOf(const std::string& command) {
    std::FILE* const pipe = ::popen(("timeout 120 " + command).c_str(), "r");
    if (pipe == nullptr) throw std::runtime_error(command);
    QuartzRates rates;
    const int count = std::fscanf(pipe, "%lf %lf", &rates.runs, &rates.inserts);
    if (::pclose(pipe) != 0 || count < 1) throw std::runtime_error("This failed: " + command);
    return rates;
}

}  // namespace

double graphileRate(const Settings& settings, int concurrency, int localQueue, long tasks) {
    if (settings.graphile.empty()) return 0;
    return numbersOf("env NODE_PATH='" + settings.graphile +
                     "/node_modules' NODE_ENV=production node " +
                     "test/bench/cluster/graphile.js " + std::to_string(concurrency) + ' ' +
                     std::to_string(localQueue) + ' ' + std::to_string(tasks))
        .runs;
}

QuartzRates quartzRates(const Settings& settings, long tasks) {
    if (settings.quartz.empty()) return {};
    return numbersOf("java -cp '" + settings.quartz + "' QuartzPeer " + std::to_string(tasks));
}

}  // namespace bench

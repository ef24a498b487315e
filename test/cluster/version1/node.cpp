// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
//
// A node of the stress with the library of schema version 1, compiled with its headers: see
// slow/rolling_update_test.cpp. With STRESS_FROM and STRESS_TO it schedules the tasks of these
// numbers instead, and with STRESS_MIGRATE it makes the schema.
#include "cluster/stress_node.hpp"

#include <jtimer/cluster/migrate.hpp>

#include <string>

int main() {
    using namespace test::stress;
    const auto options = optionsOf(environment("STRESS_CONNINFO"), "old scheduler");
    if (!environment("STRESS_MIGRATE").empty()) {
        cluster::migrate(options);
    } else if (!environment("STRESS_FROM").empty()) {
        cluster::Scheduler scheduler(options);
        return scheduleTasks(scheduler, std::stoi(environment("STRESS_FROM")),
                             std::stoi(environment("STRESS_TO")))
                   ? 0
                   : 3;
    } else {
        runNode();
    }
}

// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
//
// A report each night at two o'clock in Berlin, once for the whole cluster, although each process
// schedules it when it starts. Two nodes of one program stand for two machines. A TestClock lets
// three nights pass at once; in one of them, summer time ends.
#include <jtimer/cluster/scheduler.hpp>

#include <chrono>
#include <cstdio>
#include <ctime>
#include <mutex>
#include <string>
#include <vector>

using namespace std::chrono_literals;
using namespace jtimer::cluster;

namespace {

std::mutex mutex;
std::vector<std::string> reports;

void report(Run& run) {
    const std::time_t due = std::chrono::system_clock::to_time_t(run.scheduledExecutionTime());
    char text[40];
    std::tm utc{};
    std::strftime(text, sizeof text, "%Y-%m-%d %H:%M UTC", gmtime_r(&due, &utc));
    const std::lock_guard lock(mutex);
    reports.emplace_back(text);
}

}  // namespace

int main() {
    Options options;  // PGHOST and the like say where the server is
    options.schema = "nightly_report";
    migrate(options, true);
    TestClock clock(options);
    // Noon, October 23rd, 2038. Summer time ends on the 31st.
    clock.advance(jtimer::Date(std::chrono::seconds(2'171'448'000)) - clock.now());

    Scheduler one(options), other(options);
    for (Scheduler* const node : {&one, &other}) {
        node->registerTask("report", report);
        node->start();
        node->scheduleCron("report", "nightly", "0 2 * * *", "Europe/Berlin");
    }
    for (int day = 0; day < 10; ++day) clock.advance(24h);

    for (const std::string& line : reports) std::puts(line.c_str());
}

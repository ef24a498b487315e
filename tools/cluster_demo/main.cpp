// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
//
// The demo of jtimer::cluster, for `make demo-cluster`: three worker processes share ten tasks, one
// is killed while it runs a task, and another takes that over. At the end: has each one-shot had
// its effect once, and each period of the repeating tasks at most once? It expects a PostgreSQL
// server for itself where PGHOST says.
#include "database.hpp"
#include "table.hpp"
#include "worker.hpp"

#include <jtimer/cluster/scheduler.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <exception>
#include <iostream>
#include <map>
#include <string>
#include <sys/wait.h>
#include <thread>
#include <vector>

using namespace std::chrono_literals;
using namespace jtimer::cluster;
using std::chrono::steady_clock;

namespace {

constexpr auto kKillAfter = 3s;
constexpr auto kEnd = 13s;

void scheduleTasks(Scheduler& scheduler) {
    const auto mail = [&](int number, jtimer::TimeSpan delay, const char* millis) {
        scheduler.schedule("mail", "no " + std::to_string(number),
                           std::chrono::milliseconds(delay.value().millis), millis);
    };
    // At least two of these are in progress at any time between 2 and 6 seconds.
    mail(1, 500ms, "1000");
    mail(2, 1000ms, "1000");
    mail(3, 2000ms, "2500");
    mail(4, 2200ms, "2500");
    mail(5, 2400ms, "2500");
    mail(6, 7000ms, "500");
    scheduler.scheduleAtFixedRate("clean", "cache", 0, 1s, "200");
    scheduler.scheduleAtFixedRate("clean", "sessions", 500, 2s, "300");
    scheduler.scheduleAtFixedRate("clean", "logs", 0, 3s, "100");
    scheduler.scheduleWithFixedDelay("clean", "uploads", 0, 1500ms, "400");
}

/// The worker that runs the most one-shots: the one whose end hurts most.
std::string busiest(const std::vector<TaskInfo>& tasks) {
    std::map<std::string, int> runs{{"worker-1", 0}};
    for (const TaskInfo& task : tasks)
        if (task.name == "mail" && task.state == State::Running) ++runs[task.runningOn];
    return std::max_element(runs.begin(), runs.end(),
                            [](auto& a, auto& b) { return a.second < b.second; })
        ->first;
}

/// \returns whether everything is as promised
bool account(const Database& database) {
    const auto rows = database.run(
        "select name, id, count(*), count(distinct due), sum((attempt > 1)::int) from effect"
        " group by name, id order by name desc, id");
    bool asPromised = true;
    std::size_t oneShots = 0;
    std::cout << "\n  task              effects  periods  after a take-over\n";
    for (const auto& row : rows) {
        const bool isOneShot = row[0] == "mail";
        const bool isRight = row[2] == row[3] && (!isOneShot || row[2] == "1");
        if (isOneShot) ++oneShots;
        asPromised = asPromised && isRight;
        std::printf("  %-6s %-10s %7s  %7s  %s%s\n", row[0].c_str(), row[1].c_str(), row[2].c_str(),
                    row[3].c_str(), row[4] == "0" ? "" : row[4].c_str(),
                    isRight ? "" : "  NOT AS PROMISED");
    }
    asPromised = asPromised && oneShots == 6;
    std::cout << (asPromised ? "\nEach one-shot had its effect once, each period at most once.\n"
                             : "\nNOT AS PROMISED\n");
    return asPromised;
}

bool play() {
    const Database database;
    database.run("create table effect (name text, id text, due timestamptz, attempt int)");
    migrate(demoOptions("demo"));

    std::map<std::string, pid_t> workers;
    for (const char* const name : {"worker-1", "worker-2", "worker-3"})
        workers[name] = startWorker(name);

    Scheduler scheduler(demoOptions("demo"));
    scheduleTasks(scheduler);
    Table table;
    std::string killed;
    const auto begin = steady_clock::now();
    for (auto now = begin; now < begin + kEnd; now = steady_clock::now()) {
        const std::vector<TaskInfo> tasks = scheduler.list();
        std::vector<std::string> news;
        if (killed.empty() && now >= begin + kKillAfter) {
            killed = busiest(tasks);
            kill(workers[killed], SIGKILL);
            waitpid(workers[killed], nullptr, 0);
            workers.erase(killed);
            news.push_back("kill -9 " + killed);
        }
        table.show(std::chrono::duration_cast<std::chrono::milliseconds>(now - begin), tasks, news);
        std::this_thread::sleep_for(100ms);
    }
    for (const auto& worker : workers) kill(worker.second, SIGTERM);
    for (const auto& worker : workers) waitpid(worker.second, nullptr, 0);
    return account(database);
}

}  // namespace

int main() {
    try {
        return play() ? 0 : 1;
    } catch (const std::exception& exception) {
        std::cerr << "cluster_demo: " << exception.what() << '\n';
        return 1;
    }
}

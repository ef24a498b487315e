// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "worker.hpp"

#include "database.hpp"

#include <jtimer/cluster/scheduler.hpp>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <string>
#include <thread>
#include <unistd.h>

using namespace std::chrono_literals;
using jtimer::cluster::Run;

namespace {

/// Works for as many milliseconds as the payload says. The row that this writes stands for the
/// effect of the run: it is committed together with the end of the run, or not at all.
void work(Run& run) {
    std::this_thread::sleep_for(std::chrono::milliseconds(std::stoi(run.payload())));
    const Database database;
    database.run("begin");
    database.run("insert into effect (name, id, due, attempt)"
                 " values ($1, $2, to_timestamp($3::float8 / 1e6), $4)",
                 {run.name(), run.id(),
                  std::to_string(std::chrono::duration_cast<std::chrono::microseconds>(
                                     run.scheduledExecutionTime().time_since_epoch())
                                     .count()),
                  std::to_string(run.attempt())});
    run.complete(database.get());
    database.run("commit");
}

[[noreturn]] void runWorker(const std::string& name, const sigset_t& signals) {
    jtimer::cluster::Scheduler scheduler(demoOptions(name));
    scheduler.registerTask("mail", work);
    scheduler.registerTask("clean", work);
    scheduler.start();
    int signal = 0;
    sigwait(&signals, &signal);
    scheduler.stop();
    std::_Exit(0);
}

}  // namespace

jtimer::cluster::Options demoOptions(const std::string& name) {
    jtimer::cluster::Options options;
    options.name = name;
    options.concurrency = 2;
    options.lease = 2s;  // short, so that the take-over can be watched
    return options;
}

pid_t startWorker(const std::string& name) {
    // Blocked here, so that no thread of the worker dies of them before it can stop.
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGTERM);
    sigaddset(&signals, SIGINT);
    const pid_t pid = fork();
    if (pid != 0) return pid;
    pthread_sigmask(SIG_BLOCK, &signals, nullptr);
    try {
        runWorker(name, signals);
    } catch (const std::exception& exception) {
        std::cerr << name << ": " << exception.what() << '\n';
        std::_Exit(1);
    }
}

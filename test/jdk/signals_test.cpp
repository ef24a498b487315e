// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
//
// Only for POSIX: signals.
//
// Signals that are handled on the timer's own thread.
#include "support/child_process.hpp"
#include "support/gate.hpp"
#include "support/test.hpp"

#include <jtimer/timer.hpp>

#include <csignal>
#include <pthread.h>
#include <spawn.h>

using namespace std::chrono_literals;
using test::Gate;

namespace {

std::atomic<int> handled{0};

/// Handles SIGUSR1 without SA_RESTART, so that it ends system calls with EINTR.
void handleSignals() {
    struct sigaction action {};
    action.sa_handler = [](int) { handled.fetch_add(1, std::memory_order_relaxed); };
    sigaction(SIGUSR1, &action, nullptr);
}

pthread_t threadOf(jtimer::Timer& timer) {
    pthread_t thread{};
    Gate hasRun;
    timer.schedule(
        [&] {
            thread = pthread_self();
            hasRun.open();
        },
        0);
    hasRun.wait();
    return thread;
}

/// Sends signals to the timer's thread, one when the last has been handled, until `stop`.
void storm(pthread_t thread, const std::atomic<bool>& stop) {
    while (!stop) {
        const int before = handled;
        pthread_kill(thread, SIGUSR1);
        while (handled == before && !stop) boost::this_thread::yield();
    }
}

std::vector<std::shared_ptr<jtimer::Clock>> systemClocks() {
    std::vector<std::shared_ptr<jtimer::Clock>> clocks{std::make_shared<jtimer::WallClock>(),
                                                       std::make_shared<jtimer::SteadyClock>()};
#if defined(__linux__)
    clocks.push_back(std::make_shared<jtimer::BoottimeClock>());
#endif
    return clocks;
}

CHILD_PROCESS(handles_signals_on_its_timers_threads) {
    handleSignals();
    for (const auto& clock : systemClocks()) {
        jtimer::TimerOptions options;
        options.clock = clock;
        jtimer::Timer timer(options);
        const pthread_t thread = threadOf(timer);
        const int before = handled;
        std::atomic<bool> stop{false};
        boost::thread signals([&] { storm(thread, stop); });
        timer.schedule([] {}, 3'600'000);
        while (handled - before < 10) boost::this_thread::yield();
        Gate hasRun;
        std::int64_t early = 0;
        const std::int64_t due = clock->nanos() + 100'000'000;
        timer.schedule(
            [&] {
                early = std::max<std::int64_t>(due - clock->nanos(), 0);
                hasRun.open();
            },
            100);
        hasRun.wait();
        stop = true;
        signals.join();
        const auto wakeUps = timer.stats().wakeUps;
        timer.cancel();
        if (early != 0) test::print("early by " + std::to_string(early) + " ns\n");
        // For each of the three tasks, and for the deadline of the last; and for the end of a wait
        // that settles, if the last two tasks came within a millisecond.
        if (wakeUps > 5) test::print(std::to_string(wakeUps) + " wake-ups\n");
    }
    test::print("done\n");
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_signal_that_is_handled_on_the_timers_thread_ends_no_wait) {
    const auto child = test::runChild("handles_signals_on_its_timers_threads");
    BOOST_TEST(child.out == "done\n");
    BOOST_TEST(child.exitCode == 0);
}

BOOST_AUTO_TEST_CASE(a_signal_ends_a_program_that_a_task_starts) {
    jtimer::Timer timer;
    Gate started;
    pid_t program = 0;
    timer.schedule(
        [&] {
            std::string sleep = "sleep", seconds = "20";
            const std::array<char*, 3> arguments{sleep.data(), seconds.data(), nullptr};
            posix_spawnp(&program, "sleep", nullptr, nullptr, arguments.data(), environ);
            started.open();
        },
        0);
    started.wait();
    BOOST_REQUIRE(program != 0);
    kill(program, SIGTERM);
    BOOST_TEST(test::exitCodeOf(program) == -SIGTERM);
}

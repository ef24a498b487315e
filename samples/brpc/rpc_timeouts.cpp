// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
//
// Eight client threads call a slow server and give up on a call after 100 ms. Each answer removes
// its time-out, unless the time-out has fired before. The clock is a ManualClock, so the sample
// takes no time.
#include <jtimer/brpc/timer_thread.hpp>
#include <jtimer/manual_clock.hpp>

#include <array>
#include <atomic>
#include <chrono>
#include <iomanip>
#include <iostream>
#include <memory>
#include <thread>
#include <vector>

using jtimer::brpc::TaskId;
using jtimer::brpc::TimerThread;
using namespace std::chrono_literals;

struct Client {
    std::atomic<int> inTime{0};
    std::atomic<int> timedOut{0};
    std::atomic<int> tooLate{0};
};

void onTimeout(void* client) { ++static_cast<Client*>(client)->timedOut; }

int main() {
    const auto clock = std::make_shared<jtimer::ManualClock>();
    jtimer::brpc::TimerThreadOptions options;
    options.clock = clock;
    TimerThread timeouts;
    TimerThread server;  // each of its tasks is an answer that arrives
    if (timeouts.start(options) != 0 || server.start(options) != 0) return 1;

    std::array<Client, 8> clients;
    std::vector<std::thread> threads;
    threads.reserve(clients.size());
    for (Client& client : clients) {
        threads.emplace_back([&] {
            for (int call = 0; call < 1000; ++call) {
                const TaskId timeout = timeouts.schedule(onTimeout, &client, clock->now() + 100ms);
                const auto answer = [&client, &timeouts, timeout] {
                    ++(timeouts.unschedule(timeout) == 0 ? client.inTime : client.tooLate);
                };
                if (call % 2 == 0) {
                    server.schedule(answer, clock->now() + (call % 10 == 0 ? 150ms : 30ms));
                } else {
                    answer();  // the server has sent the answer at once
                }
            }
        });
    }
    for (std::thread& thread : threads) thread.join();
    clock->advance(1s);

    std::cout << "client  in time  timed out  too late\n";
    for (std::size_t i = 0; i < clients.size(); ++i) {
        std::cout << std::setw(6) << i + 1 << std::setw(9) << clients[i].inTime << std::setw(11)
                  << clients[i].timedOut << std::setw(10) << clients[i].tooLate << '\n';
    }
    const auto stats = timeouts.stats();
    std::cout << stats.scheduled << " time-outs: " << stats.unscheduled << " removed, "
              << stats.triggered << " fired, " << stats.pending << " left\n";
}

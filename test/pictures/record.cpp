// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
//
// Records what the pictures of doc/pictures show, as columns for gnuplot: `record NAME`. Everything
// but `lateness` runs on ManualClocks, so the same numbers come out each time.
#include <jtimer/manual_clock.hpp>
#include <jtimer/netty.hpp>
#include <jtimer/timer.hpp>

#include "lateness.hpp"

#include <chrono>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

using namespace std::chrono_literals;
using jtimer::MissedRuns;

namespace {

long millis(const jtimer::Clock& clock) { return static_cast<long>(clock.nanos() / 1'000'000); }

/// Its runs take 20 ms, but for the second, which takes 350. Each prints `row begin end due`.
class Stalling : public jtimer::TimerTask {
  public:
    Stalling(int row, std::shared_ptr<jtimer::ManualClock> clock)
        : row_(row), clock_(std::move(clock)) {}

    void run() override {
        const long begin = millis(*clock_);
        clock_->advance(++runs_ == 2 ? 350ms : 20ms);
        std::cout << row_ << '\t' << begin << '\t' << millis(*clock_) << '\t'
                  << scheduledExecutionTime() << '\n';
    }

  private:
    const int row_;
    const std::shared_ptr<jtimer::ManualClock> clock_;
    int runs_ = 0;
};

/// Plays such a task, which `schedule` gives a period of 100 ms.
template <class Schedule>
void playStall(int row, Schedule schedule) {
    const auto clock = std::make_shared<jtimer::ManualClock>();
    jtimer::Timer timer("stall", true, clock);
    schedule(timer, std::make_shared<Stalling>(row, clock));
    clock->advance(900ms);
}

void recordRates() {
    playStall(2, [](auto& timer, auto task) { timer.schedule(task, 0, 100); });
    playStall(1, [](auto& timer, auto task) { timer.scheduleAtFixedRate(task, 0, 100); });
}

void recordMissedRuns() {
    const auto play = [](int row, MissedRuns missedRuns) {
        playStall(row, [missedRuns](auto& timer, auto task) {
            timer.scheduleAtFixedRate(task, 0, 100, missedRuns);
        });
    };
    play(3, MissedRuns::Burst);
    play(2, MissedRuns::Skip);
    play(1, MissedRuns::Once);
}

/// 64 tasks that are due at the same millisecond: the place of each run, and of its schedule call.
void recordTies() {
    for (const jtimer::Ties ties : {jtimer::Ties::Jdk, jtimer::Ties::Fifo}) {
        const auto clock = std::make_shared<jtimer::ManualClock>();
        jtimer::TimerOptions options;
        options.clock = clock;
        options.ties = ties;
        jtimer::Timer timer(options);
        int run = 0;
        for (int call = 1; call <= 64; ++call)
            timer.schedule([&run, call] { std::cout << ++run << '\t' << call << '\n'; }, 100);
        clock->advance(100ms);
        timer.cancel();
        std::cout << "\n\n";
    }
}

/// When the time-outs of a wheel with ticks of 100 ms run, by their delay.
void recordWheel() {
    const auto clock = std::make_shared<jtimer::ManualClock>();
    jtimer::netty::HashedWheelTimerOptions options;
    options.clock = clock;
    jtimer::netty::HashedWheelTimer timer(options);
    for (int delay = 0; delay <= 500; delay += 20) {
        timer.newTimeout([&, delay] { std::cout << delay << '\t' << millis(*clock) << '\n'; },
                         std::chrono::milliseconds(delay));
    }
    clock->advance(1s);
}

}  // namespace

int main(int argc, char** argv) {
    const std::string name = argc == 2 ? argv[1] : "";
    if (name == "rates") {
        recordRates();
    } else if (name == "missed-runs") {
        recordMissedRuns();
    } else if (name == "ties") {
        recordTies();
    } else if (name == "wheel") {
        recordWheel();
    } else if (name == "lateness") {
        pictures::recordLateness(std::cout);
    } else {
        std::cerr << "record: expected rates, missed-runs, ties, wheel or lateness\n";
        return 2;
    }
}

// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
//
// What a late run does to the runs after it: with a fixed delay they are late, too; at a fixed rate
// they catch up. Both tasks have a period of 100 ms and stall in their second run, for 250 ms. They
// run on manual clocks. A task stalls by moving the time, so the program takes no time, and its
// output is exact.

#include <jtimer/clock.hpp>
#include <jtimer/timer.hpp>

#include <chrono>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

using namespace std::chrono_literals;

enum class Kind { FixedDelay, FixedRate };

/// The times of all runs until 650 ms, in milliseconds.
std::vector<long> play(Kind kind) {
    const auto clock = std::make_shared<jtimer::ManualClock>();
    jtimer::TimerOptions options;
    options.clock = clock;
    options.daemon = true;  // the destructor discards the task, which repeats for ever
    std::vector<long> times;
    jtimer::Timer timer(options);

    const auto task = [&] {
        times.push_back(static_cast<long>(clock->now().time_since_epoch() / 1ms));
        if (times.size() == 2) clock->advance(250ms);
    };
    if (kind == Kind::FixedDelay) timer.schedule(task, 0, 100ms);
    if (kind == Kind::FixedRate) timer.scheduleAtFixedRate(task, 0, 100ms);
    clock->advance(650ms);
    return times;
}

/// Ten milliseconds a column: how many runs begin in it, or # while the stalled run goes on.
void draw(const char* title, const std::vector<long>& times) {
    std::string line(66, '.');
    line.replace(11, 24, 24, '#');
    for (const long time : times) {
        char& column = line[static_cast<std::size_t>(time / 10)];
        column = column == '.' ? '1' : static_cast<char>(column + 1);
    }
    std::cout << title << line << "\n            ";
    for (const long time : times) std::cout << ' ' << time;
    std::cout << "\n\n";
}

int main() {
    std::cout << "time         0         100       200       300       400       500       600\n\n";
    draw("fixed delay  ", play(Kind::FixedDelay));
    draw("fixed rate   ", play(Kind::FixedRate));
}

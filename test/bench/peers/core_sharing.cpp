// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
//
// Whether somebody else uses the cores of this machine's processors. Two hardware threads may share
// a core, and on a virtual machine the other one may be a stranger's. Additions that do not depend
// on each other then take up to twice as long, for the core has only so many units; those that do
// take as long as ever. Prints the ratio of their times, of the processor where it is highest.

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <cstdio>
#if defined(__linux__)
#include <sched.h>
#endif

namespace {

using Word = std::uint64_t;

/// Four operations, each on the result of the one before. The compiler may not look further.
void step(Word& word) {
    word ^= 0x5555;
    word += 3;
    word ^= 0x1234;
    word += 7;
    asm volatile("" : "+r"(word));
}

template <class Run>
double timeOf(const Run& run) {
    const auto begin = std::chrono::steady_clock::now();
    run();
    const std::chrono::duration<double> time = std::chrono::steady_clock::now() - begin;
    return time.count();
}

double measure() {
    constexpr int steps = 100'000;
    const double dependent = timeOf([] {
        Word a = 1;
        for (int i = 0; i < steps; ++i) step(a);
    });
    const double independent = timeOf([] {
        Word a = 1;
        Word b = 2;
        Word c = 3;
        Word d = 4;
        for (int i = 0; i < steps; ++i) {
            step(a);
            step(b);
            step(c);
            step(d);
        }
    });
    return independent / dependent;
}

/// Of seven, since an interrupt comes in between now and then.
double median() {
    std::array<double, 7> ratios{};
    for (double& ratio : ratios) ratio = measure();
    std::nth_element(ratios.begin(), ratios.begin() + ratios.size() / 2, ratios.end());
    return ratios[ratios.size() / 2];
}

}  // namespace

int main() {
    double highest = 0;
#if defined(__linux__)
    cpu_set_t ours;
    CPU_ZERO(&ours);
    sched_getaffinity(0, sizeof ours, &ours);
    for (int processor = 0; processor < CPU_SETSIZE; ++processor) {
        if (!CPU_ISSET(processor, &ours)) continue;
        cpu_set_t one;
        CPU_ZERO(&one);
        CPU_SET(processor, &one);
        if (sched_setaffinity(0, sizeof one, &one) == 0) highest = std::max(highest, median());
    }
#endif
    if (highest == 0) highest = median();  // on whichever processor this is
    std::printf("%.2f\n", highest);
}

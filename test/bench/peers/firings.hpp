// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "peer.hpp"

#include <cstdlib>

// What runs cost and how late they are: W4, W5, W8 and W9.

namespace peers {

/// W4: SIZE tasks that are all due; MODE says how that has come.
template <class Adapter>
class Burst {
  public:
    explicit Burst(const Setup& setup) : setup_(setup), handles_(setup.count() + 1) {}

    void run() {
        std::int64_t lead = setup_.quick ? kSecond / 2 : 5 * kSecond / 2;
        while (!fillAndFire(lead)) lead *= 2;
        const Counters& all = counters();
        report(setup_, "W4", "task_ns", perItem(all.last - all.first, setup_.count() - 1));
    }

  private:
    // False: the work began before everything was scheduled, so it was not this that was measured.
    bool fillAndFire(std::int64_t lead) {
        const bool backlog = setup_.mode == "backlog";
        const bool byDelay = setup_.mode == "own-delays";
        const std::size_t size = setup_.count();
        expectRuns(size);
        Random random(42);
        // Left behind: its tasks are what it may hold on to when it is destroyed.
        auto& timer = *new Adapter;
        const std::int64_t due = now() + lead;
        std::int64_t released = backlog ? due + kSecond + 20 * kMillisecond : due;
        if (backlog)
            handles_[size] = timer.scheduleAt(due - 50 * kMillisecond, blockUntil, &released);
        for (std::size_t i = 0; i < size; ++i) {
            if (byDelay) {
                const std::int64_t left = std::max<std::int64_t>(due - now(), 0);
                handles_[i] = timer.schedule(left, countToTarget, nullptr);
            } else {
                const std::int64_t after = backlog ? random.below(kSecond) : 0;
                handles_[i] = timer.scheduleAt(due + after, countToTarget, nullptr);
            }
        }
        const bool inTime = now() < released;
        timer.waitUntilDone();
        return inTime;
    }

    static void blockUntil(void* time) { sleepFor(*static_cast<std::int64_t*>(time) - now()); }

    const Setup& setup_;
    std::vector<typename Adapter::Handle> handles_;
};

struct Lateness {
    std::int64_t due = 0;
    std::int64_t late = 0;

    static void note(void* lateness) {
        auto& mine = *static_cast<Lateness*>(lateness);
        mine.late = now() - mine.due;
        countToTarget(nullptr);
    }
    static double inMicroseconds(const Lateness& one) {
        return static_cast<double>(one.late) / 1e3;
    }
    bool operator<(const Lateness& other) const { return late < other.late; }
};

/// W5: how late SIZE tasks are that are due one by one, at random whole milliseconds.
template <class Adapter>
void measureLateness(const Setup& setup) {
    const std::size_t size = setup.count();
    const std::int64_t seconds = setup.seconds(10, 1);
    std::vector<typename Adapter::Handle> handles(size);
    std::vector<Lateness> all(size);
    Random random(42);
    expectRuns(size);
    auto& timer = *new Adapter;  // left behind, here and below
    timer.letPass(20 * kMillisecond);
    for (std::size_t i = 0; i < size; ++i) {
        const std::int64_t delay = kSecond + random.below(seconds * 1000) * kMillisecond;
        all[i].due = now() + delay;
        handles[i] = timer.schedule(delay, Lateness::note, &all[i]);
    }
    timer.waitUntilDone();
    std::sort(all.begin(), all.end());
    report(setup, "W5", "p1_us", Lateness::inMicroseconds(all[size / 100]));
    report(setup, "W5", "p50_us", Lateness::inMicroseconds(all[size / 2]));
    report(setup, "W5", "p99_us", Lateness::inMicroseconds(all[size * 99 / 100]));
    std::cout.flush();
    std::_Exit(0);
}

/// W8: SIZE tasks at a fixed rate of 10 ms.
template <class Adapter>
void measureFixedRate(const Setup& setup) {
    Random random(42);
    auto& timer = *new Adapter;
    for (std::size_t i = 0; i < setup.count(); ++i)
        timer.scheduleAtFixedRate((10 + random.below(10)) * kMillisecond, 10 * kMillisecond, count,
                                  nullptr);
    timer.letPass(kSecond / 2);
    const std::int64_t runsBefore = counters().runs;
    const std::int64_t begin = now();
    const std::int64_t cpuBefore = cpuTime();
    timer.letPass(setup.seconds(3, 1) * kSecond);
    const std::int64_t runs = counters().runs - runsBefore;
    const auto time = static_cast<double>(now() - begin);
    report(setup, "W8", "firing_cpu_ns",
           perItem(cpuTime() - cpuBefore, static_cast<std::size_t>(runs)));
    report(setup, "W8", "firings_per_s", static_cast<double>(runs) * 1e9 / time);
    std::cout.flush();
    std::_Exit(0);
}

/// W9: SIZE cancelled tasks at the head of the queue, which the first task due wakes up for. How
/// long a call waits while they are dropped, and how late a task runs that is due at once.
template <class Adapter>
class CancelledHeads {
  public:
    explicit CancelledHeads(const Setup& setup) : setup_(setup) {}

    void run() {
        play(std::min<std::size_t>(setup_.count(), 20'000), setup_.scaled(500));
        play(setup_.count(), setup_.scaled(10'000));
        report(setup_, "W9", "longest_call_us", static_cast<double>(longest_) / 1e3);
        report(setup_, "W9", "latest_run_us", latest_);
    }

  private:
    void play(std::size_t heads, std::size_t probes) {
        const auto delays = makeDelays(heads, "random");
        std::vector<Lateness> all(probes);
        expectRuns(probes);
        Adapter timer;
        schedule(timer, delays);
        longest_ = 0;
        for (Lateness& probe : all) {
            probe.due = now();
            static_cast<void>(timer.schedule(0, Lateness::note, &probe));
            longest_ = std::max(longest_, now() - probe.due);
            sleepFor(kMillisecond / 5);
        }
        timer.waitUntilDone();
        latest_ = Lateness::inMicroseconds(*std::max_element(all.begin(), all.end()));
    }

    // Nobody keeps the handles: the timer destroys the tasks when it drops them.
    static void schedule(Adapter& timer, const std::vector<std::int64_t>& delays) {
        std::vector<typename Adapter::Handle> handles;
        for (const std::int64_t delay : delays)
            handles.push_back(timer.schedule(delay, doNothing, nullptr));
        for (auto& handle : handles) timer.cancel(handle);
    }

    const Setup& setup_;
    std::int64_t longest_ = 0;
    double latest_ = 0;
};

}  // namespace peers

// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include <boost/thread/thread.hpp>

#include <atomic>
#include <cstdint>
#include <functional>
#include <random>
#include <vector>

namespace test {

/// Lets `threads` threads go on together. They spin: woken by a condition variable they would start
/// so far apart that nothing races.
class StartingLine {
  public:
    explicit StartingLine(int threads) : threads_(threads) {}

    void await() {
        const int round = round_.load();
        if (arrived_.fetch_add(1) + 1 == threads_) {
            arrived_.store(0);
            round_.store(round + 1);
            return;
        }
        while (round_.load() == round) boost::this_thread::yield();
    }

  private:
    const int threads_;
    std::atomic<int> arrived_{0};
    std::atomic<int> round_{0};
};

/// Wastes up to some microseconds, so that the rounds of a race meet in different places.
class Jitter {
  public:
    explicit Jitter(unsigned seed) : random_(seed) {}

    void operator()() {
        for (unsigned i = random_() % 512; i > 0; --i) spin_.store(i, std::memory_order_relaxed);
    }

  private:
    std::minstd_rand random_;
    std::atomic<unsigned> spin_{0};
};

using Racer = std::function<void(int round)>;

/// Each round calls every racer at about the same time, each on its own thread; `after` is called
/// when the round is over and all of them stand still.
inline void race(
    int rounds, const std::vector<Racer>& racers, const Racer& after = [](int) {}) {
    StartingLine line(static_cast<int>(racers.size()) + 1);
    boost::thread_group threads;
    for (std::size_t r = 0; r < racers.size(); ++r) {
        threads.create_thread([&, r] {
            Jitter jitter(static_cast<unsigned>(r) + 1);
            for (int round = 0; round < rounds; ++round) {
                line.await();
                jitter();
                racers[r](round);
                line.await();
            }
        });
    }
    for (int round = 0; round < rounds; ++round) {
        line.await();
        line.await();
        after(round);
    }
    threads.join_all();
}

}  // namespace test

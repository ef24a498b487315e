// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

// What every peer measures with, and the data that they all work on: Measure.java has the same.

namespace peers {

constexpr std::int64_t kMillisecond = 1'000'000;
constexpr std::int64_t kSecond = 1'000'000'000;
constexpr std::int64_t kHour = 3600 * kSecond;

// Monotonic, in nanoseconds. On Linux the steady clocks of std::chrono and Boost.Chrono and Poco's
// clock are the same.
std::int64_t now();
std::int64_t cpuTime();        // of the whole process, in nanoseconds
std::int64_t threadCpuTime();  // of the calling thread
void sleepFor(std::int64_t nanoseconds);
std::int64_t residentBytes();

/// Has malloc keep what it has got from the system until now: glibc gives the end of its heap back
/// as soon as it is free, and this keeps a little of it in use, as a server's other data would.
void keepHeap();

/// How often the process's threads have gone to sleep so far, the calling thread left out.
std::int64_t sleepsOfOtherThreads();
std::int64_t sleepsOfThisThread();

/// Wall time and the calling thread's CPU time, in nanoseconds; sums of several stretches.
class Stopwatch {
  public:
    void start();
    void stop();
    std::int64_t wall() const { return wall_; }
    std::int64_t cpu() const { return cpu_; }

  private:
    std::int64_t wall_ = 0;
    std::int64_t cpu_ = 0;
    std::int64_t wallAtStart_ = 0;
    std::int64_t cpuAtStart_ = 0;
};

/// splitmix64: a few lines that are the same in every language.
class Random {
  public:
    explicit Random(std::uint64_t seed) : state_(seed) {}
    std::int64_t below(std::int64_t bound);

  private:
    std::uint64_t state_;
};

/// In nanoseconds, whole milliseconds from one hour to two: random, ascending or descending.
std::vector<std::int64_t> makeDelays(std::size_t count, const std::string& mode,
                                     std::uint64_t seed = 42);

/// 0 .. count - 1, shuffled.
std::vector<std::uint32_t> makeOrder(std::size_t count);

}  // namespace peers

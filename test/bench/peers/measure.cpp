// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "measure.hpp"

#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <numeric>
#include <stdexcept>
#include <utility>

namespace peers {

namespace {

std::int64_t readClock(clockid_t clock) {
    timespec time{};
    clock_gettime(clock, &time);
    return time.tv_sec * kSecond + time.tv_nsec;
}

std::int64_t sleepsOf(const std::filesystem::path& thread) {
    std::ifstream status(thread / "status");
    const std::string key = "voluntary_ctxt_switches:";
    for (std::string word; status >> word;) {
        std::int64_t count = 0;
        if (word == key && status >> count) return count;
    }
    return 0;
}

}  // namespace

std::int64_t now() { return readClock(CLOCK_MONOTONIC); }

std::int64_t cpuTime() { return readClock(CLOCK_PROCESS_CPUTIME_ID); }

std::int64_t threadCpuTime() { return readClock(CLOCK_THREAD_CPUTIME_ID); }

void Stopwatch::start() {
    cpuAtStart_ = threadCpuTime();
    wallAtStart_ = now();
}

void Stopwatch::stop() {
    wall_ += now() - wallAtStart_;
    cpu_ += threadCpuTime() - cpuAtStart_;
}

void sleepFor(std::int64_t nanoseconds) {
    if (nanoseconds <= 0) return;
    timespec left{nanoseconds / kSecond, nanoseconds % kSecond};
    while (nanosleep(&left, &left) != 0) {
    }
}

std::int64_t residentBytes() {
    std::ifstream statm("/proc/self/statm");
    std::int64_t all = 0;
    std::int64_t resident = 0;
    if (!(statm >> all >> resident)) throw std::runtime_error("cannot read /proc/self/statm");
    return resident * sysconf(_SC_PAGESIZE);
}

void keepHeap() {
    thread_local std::vector<std::unique_ptr<char[]>> kept;
    kept.push_back(std::make_unique<char[]>(1024));
}

std::int64_t sleepsOfOtherThreads() {
    const std::string self = std::to_string(syscall(SYS_gettid));
    std::int64_t sum = 0;
    for (const auto& thread : std::filesystem::directory_iterator("/proc/self/task"))
        if (thread.path().filename() != self) sum += sleepsOf(thread.path());
    return sum;
}

std::int64_t sleepsOfThisThread() { return sleepsOf("/proc/thread-self"); }

std::int64_t Random::below(std::int64_t bound) {
    std::uint64_t z = (state_ += 0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return static_cast<std::int64_t>((z ^ (z >> 31)) % static_cast<std::uint64_t>(bound));
}

std::vector<std::int64_t> makeDelays(std::size_t count, const std::string& mode,
                                     std::uint64_t seed) {
    constexpr std::int64_t kHourMs = kHour / kMillisecond;
    std::vector<std::int64_t> delays(count);
    Random random(seed);
    for (std::size_t i = 0; i < count; ++i) {
        const auto step = static_cast<std::int64_t>(i) * kHourMs / static_cast<std::int64_t>(count);
        if (mode == "random")
            delays[i] = kHourMs + random.below(kHourMs);
        else if (mode == "ascending")
            delays[i] = kHourMs + step;
        else
            delays[i] = 2 * kHourMs - step;
        delays[i] *= kMillisecond;
    }
    return delays;
}

std::vector<std::uint32_t> makeOrder(std::size_t count) {
    std::vector<std::uint32_t> order(count);
    std::iota(order.begin(), order.end(), 0U);
    Random random(7);
    for (std::size_t i = count; i > 1; --i) {
        const auto other = static_cast<std::size_t>(random.below(static_cast<std::int64_t>(i)));
        std::swap(order[i - 1], order[other]);
    }
    return order;
}

}  // namespace peers

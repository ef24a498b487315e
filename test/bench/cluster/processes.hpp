// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <new>
#include <stdexcept>
#include <string>
#include <sys/mman.h>
#if defined(__linux__)
#include <sys/prctl.h>
#endif
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

namespace bench {

/// Of CLOCK_MONOTONIC, which all processes share.
inline std::int64_t nanos() {
    return std::chrono::steady_clock::now().time_since_epoch() / std::chrono::nanoseconds(1);
}

inline void pause(std::chrono::microseconds span) { std::this_thread::sleep_for(span); }

/// What a measurement's processes share.
struct Shared {
    static constexpr std::size_t kProcesses = 16, kSamples = 4096;

    std::atomic<bool> stop{false};
    std::atomic<int> ready{0};                ///< processes that have begun to work
    std::atomic<long> done[kProcesses] = {};  ///< by each process
    std::atomic<long> runs{0};                ///< that have begun
    std::atomic<long> polls{0};               ///< claims of the last process
    std::atomic<std::int64_t> begunAt{0};     ///< the last of them, by nanos()
    std::atomic<std::size_t> sampleCount{0};
    double samples[kSamples] = {};

    void add(double sample) {
        const std::size_t at = sampleCount++;
        if (at < kSamples) samples[at] = sample;
    }
    std::vector<double> allSamples() const {
        return {samples, samples + std::min(sampleCount.load(), kSamples)};
    }
    long allDone() const {
        long sum = 0;
        for (const std::atomic<long>& each : done) sum += each;
        return sum;
    }
};

/// The processes of a measurement. Each thread of the library lives in one of them, so that this
/// program can fork at any time.
class Processes {
  public:
    Processes() {
        void* const memory = ::mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE,
                                    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
        if (memory == MAP_FAILED) throw std::bad_alloc();
        shared_ = new (memory) Shared;
    }
    ~Processes() {
        end();
        ::munmap(shared_, sizeof(Shared));
    }
    Processes(const Processes&) = delete;
    Processes& operator=(const Processes&) = delete;

    Shared& shared() const { return *shared_; }

    /// Calls `work(shared, number of the process)` in a process of its own, and waits until it is
    /// ready.
    template <class Work>
    void start(const Work& work) {
        const int ready = shared_->ready;
        const pid_t pid = ::fork();
        if (pid == 0) {
#if defined(__linux__)
            ::prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
            try {
                work(*shared_, pids_.size());
                ::_exit(0);
            } catch (const std::exception& exception) {
                std::cerr << "bench-cluster: " << exception.what() << '\n';
                ::_exit(1);
            }
        }
        pids_.push_back(pid);
        await([&] { return shared_->ready > ready; });
    }

    /// Waits for a condition of this process, a minute at most.
    template <class Condition>
    static void await(const Condition& condition) {
        for (const std::int64_t end = nanos() + 60'000'000'000; !condition();) {
            if (nanos() > end) throw std::runtime_error("a process makes no progress");
            pause(std::chrono::microseconds(200));
        }
    }

    void kill(std::size_t number) const { ::kill(pids_[number], SIGKILL); }

    void end() {
        shared_->stop = true;
        for (const pid_t pid : pids_) ::waitpid(pid, nullptr, 0);
        pids_.clear();
    }

  private:
    Shared* shared_;
    std::vector<pid_t> pids_;
};

}  // namespace bench

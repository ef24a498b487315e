// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.

// A million tasks in one timer, of which some run, some are cancelled and some are given another
// time, for as long as one likes:
//
//     load ROOM SECONDS [TASKS]
//
// Prints how late the tasks ran, and fails if one was lost, ran twice or ran after its
// cancellation, or if memory has grown. A thread that does nothing but sleep measures beside it how
// long the system keeps this process from running: what was late at such a moment is explained.

#include "load/any_timer.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <fstream>
#include <memory>
#include <mutex>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include <unistd.h>

namespace {

using load::Nanos;
using load::Task;

constexpr Nanos kMillisecond = 1'000'000;
constexpr Nanos kSecond = 1'000'000'000;
constexpr Nanos kLongestDelay = 100 * kSecond;
/// Every second 50,000 of the tasks are cancelled or moved.
constexpr Nanos kVisitEvery = kSecond / 50'000;
/// Later than that, a task that has not run is lost.
constexpr Nanos kLost = 10 * kSecond;

/// Sleeps for a millisecond again and again, and remembers when that took longer.
class BareThread {
  public:
    ~BareThread() {
        isOver_ = true;
        thread_.join();
    }

    /// How long it was kept from running between the two times, or just before or after.
    Nanos stalled(Nanos from, Nanos to) {
        const std::lock_guard<std::mutex> lock(mutex_);
        Nanos sum = 0;
        for (auto stall = stalls_.rbegin(); stall != stalls_.rend() && stall->to >= from; ++stall)
            sum += std::max<Nanos>(0, std::min(to, stall->to) - std::max(from, stall->from));
        return sum;
    }
    Nanos longest() {
        const std::lock_guard<std::mutex> lock(mutex_);
        return longest_;
    }
    void forget(Nanos before) {
        const std::lock_guard<std::mutex> lock(mutex_);
        while (!stalls_.empty() && stalls_.front().to < before) stalls_.pop_front();
    }

  private:
    struct Stall {
        Nanos from, to;
    };

    void run() {
        while (!isOver_) {
            const Nanos due = load::now() + kMillisecond;
            std::this_thread::sleep_for(std::chrono::nanoseconds(kMillisecond));
            const Nanos woke = load::now();
            if (woke - due < kMillisecond) continue;
            const std::lock_guard<std::mutex> lock(mutex_);
            stalls_.push_back({due, woke});
            longest_ = std::max(longest_, woke - due);
        }
    }

    std::atomic<bool> isOver_{false};
    std::mutex mutex_;
    std::deque<Stall> stalls_;
    Nanos longest_ = 0;
    std::thread thread_{[this] { run(); }};
};

long residentKilobytes() {
    long size = 0, resident = 0;
    std::ifstream("/proc/self/statm") >> size >> resident;
    return resident * (sysconf(_SC_PAGESIZE) / 1024);
}

/// What has run late. Keeps only what is recent, so that memory stays as it is.
class Outliers {
  public:
    Outliers(load::AnyTimer& timer, BareThread& bare) : timer_(timer), bare_(bare) {}

    /// Explains those before `time`: by then, the bare thread knows of its stalls.
    void explain(Nanos time) {
        for (const load::Late& late : timer_.takeLate()) recent_.push_back(late);
        for (; !recent_.empty() && recent_.front().ran < time; recent_.pop_front()) {
            const auto [due, ran] = recent_.front();
            ++all;
            if (bare_.stalled(due, ran) < (ran - due) / 2) ++unexplained;
        }
        bare_.forget(time - kLost);
    }

    std::uint64_t all = 0, unexplained = 0;

  private:
    load::AnyTimer& timer_;
    BareThread& bare_;
    std::deque<load::Late> recent_;
};

/// The tasks of one timer.
class Load {
  public:
    Load(load::AnyTimer& timer, std::size_t tasks) : timer_(timer), tasks_(tasks) {
        for (std::size_t i = 0; i < tasks; ++i) start(i);
    }

    /// Starts again what has run, and cancels or moves some of the tasks, in turn.
    void churn(Nanos visits) {
        timer_.takeFired(fired_);
        for (const std::size_t i : fired_) start(i);
        fired_.clear();
        for (; visits > 0; --visits) {
            next_ = (next_ + 1) % tasks_.size();
            if (tasks_[next_]->state == Task::Waiting) change(next_);
        }
    }

    void end() {
        for (std::size_t i = 0; i < tasks_.size(); ++i)
            if (tasks_[i]->state == Task::Waiting) cancel(i);
    }

    std::uint64_t started = 0, cancelled = 0, moved = 0, lost = 0;

  private:
    void start(std::size_t i) {
        tasks_[i] = std::make_shared<Task>(i, load::now() + delay());
        timer_.add(tasks_[i]);
        ++started;
    }
    bool cancel(std::size_t i) {
        const std::shared_ptr<Task> task = tasks_[i];
        if (task->due + kLost < load::now()) ++lost;
        if (!timer_.cancel(i)) return false;  // it runs, or is about to
        if (task->state.exchange(Task::Cancelled) == Task::Waiting) ++cancelled;
        return true;
    }
    void change(std::size_t i) {
        if (random_() % 2 == 0) {
            if (cancel(i)) start(i);
        } else if (timer_.move(*tasks_[i], load::now() + kLost + delay())) {
            ++moved;
        }
    }
    Nanos delay() { return static_cast<Nanos>(random_() % kLongestDelay); }

    load::AnyTimer& timer_;
    std::vector<std::shared_ptr<Task>> tasks_;
    std::vector<std::size_t> fired_;
    std::size_t next_ = 0;
    std::mt19937_64 random_{1};
};

/// The most memory in the second quarter of the time, and in the last one.
class Memory {
  public:
    explicit Memory(double seconds) : seconds_(seconds) {}
    void look(double second) {
        const auto quarter = static_cast<std::size_t>(std::min(3.0, 4 * second / seconds_));
        most_[quarter] = std::max(most_[quarter], residentKilobytes());
    }
    bool hasGrown() const { return most_[3] > most_[1] + most_[1] / 50 + 1024; }
    void print() const {
        std::printf("memory         %ld, %ld, %ld, %ld MB at most in each quarter\n",
                    most_[0] / 1024, most_[1] / 1024, most_[2] / 1024, most_[3] / 1024);
    }

  private:
    const double seconds_;
    long most_[4] = {};
};

int play(load::AnyTimer& timer, double seconds, std::size_t tasks) {
    BareThread bare;
    Outliers outliers(timer, bare);
    Memory memory(seconds);
    Load load(timer, tasks);
    const Nanos begin = load::now();
    Nanos visits = 0;
    for (Nanos elapsed = 0; elapsed < static_cast<Nanos>(seconds * kSecond);) {
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
        elapsed = load::now() - begin;
        const Nanos due = elapsed / kVisitEvery - visits;
        load.churn(due);
        visits += due;
        outliers.explain(begin + elapsed - kSecond);
        memory.look(static_cast<double>(elapsed) / kSecond);
    }
    load.end();
    std::this_thread::sleep_for(std::chrono::seconds(1));
    timer.stop();

    outliers.explain(load::now());
    const load::Fired fired = timer.fired();
    const auto percentile = [&](double p) {
        return static_cast<long>(fired.lateness.percentile(p).count() / 1000);
    };
    const auto lost = load.lost + (load.started - load.cancelled - fired.lateness.count());
    std::printf("tasks          %zu, started %lu, ran %lu, cancelled %lu, given another time %lu\n",
                tasks, load.started, fired.lateness.count(), load.cancelled, load.moved);
    std::printf("late           %ld us at most by 50%%, %ld us 99%%, %ld us 99.9%%, %ld us all\n",
                percentile(50), percentile(99), percentile(99.9),
                static_cast<long>(fired.lateness.max().count() / 1000));
    std::printf("bare thread    %ld us late at most\n", static_cast<long>(bare.longest() / 1000));
    std::printf("outliers       %lu of 10 ms or more, %lu of them while the bare thread ran\n",
                outliers.all, outliers.unexplained);
    memory.print();
    std::printf("lost           %ld, ran twice or after a cancellation %lu\n",
                static_cast<long>(lost), fired.wrong);
    return lost != 0 || fired.wrong != 0 || memory.hasGrown() ? 1 : 0;
}

}  // namespace

int main(int argc, char** argv) {
    const std::unique_ptr<load::AnyTimer> timer = load::makeTimer(argc > 1 ? argv[1] : "");
    if (timer == nullptr || argc < 3) {
        std::fputs("usage: load jdk|netty|brpc|go|tokio SECONDS [TASKS]\n", stderr);
        return 2;
    }
    std::printf("%s, %s s\n", argv[1], argv[2]);
    return play(*timer, std::atof(argv[2]),
                argc > 3 ? std::strtoul(argv[3], nullptr, 10) : 1'000'000);
}

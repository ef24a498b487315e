// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "support/manual_timer.hpp"

#include <boost/version.hpp>

#if defined(__GLIBC__)
#include <gnu/libc-version.h>
#endif

#include <cstdlib>
#include <exception>
#include <iostream>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

// One operation of the timer, called on a timer with so many tasks pending, for count.sh: it runs
// this program under callgrind, and takes the instructions between countBegin() and countEnd() of
// the one thread that calls both.
//
// Two runs must agree to the instruction. So the time is a ManualClock's, the random numbers are
// those that the standard prescribes, everything the calls need is made before, and the other
// thread sleeps: nothing that is counted takes a lock which that one could hold. A round before the
// counted one makes the queue's array and malloc's lists as long as they get.

/// Callgrind starts anew on entering the one, and writes down what it has on entering the other. It
/// knows them by name, hence the C names and the bodies that no compiler can share or drop.
extern "C" {
[[gnu::noinline]] void countBegin() { asm volatile("" ::"r"(1) : "memory"); }
[[gnu::noinline]] void countEnd() { asm volatile("" ::"r"(2) : "memory"); }
}

namespace {

using jtimer::TimerTask;
using Tasks = std::vector<std::shared_ptr<TimerTask>>;
using std::chrono::hours;
using std::chrono::nanoseconds;

struct Nothing final : TimerTask {
    void run() override {}
};

/// Counts, from the first run of the tasks that share it, `calls` cycles of the timer's thread:
/// each from inside one run to inside the next.
class Runs {
  public:
    explicit Runs(std::size_t calls) : last_(calls + 1) {}

    void up() {
        if (++count_ == 1) countBegin();
        if (count_ == last_) countEnd();
    }
    bool complete() const { return count_ >= last_; }

  private:
    const std::size_t last_;
    std::size_t count_ = 0;
};

class Stage {
  public:
    explicit Stage(std::size_t pending) : size(pending), calls(pending / 10) {
        manual.timer.schedule([] {}, 1);  // the head: what is scheduled later wakes no thread
        handles.reserve(size);
    }

    /// A time in the hour that begins `from` hours ahead.
    nanoseconds delay(int from = 1) {
        return hours(from) + nanoseconds(random_() % 3'600'000'000'000);
    }
    std::vector<nanoseconds> delays() {
        std::vector<nanoseconds> result(calls);
        for (auto& each : result) each = delay();
        return result;
    }

    void fill() {
        for (std::size_t i = 0; i < size; ++i) manual.timer.schedule([] {}, delay());
    }

    /// Schedules `count` tasks more and cancels them.
    void addCancelled(std::size_t count) {
        handles.clear();
        for (std::size_t i = 0; i < count; ++i) {
            handles.push_back(manual.timer.schedule([] {}, delay()));
        }
        for (const auto& handle : handles) handle->cancel();
        handles.clear();
    }

    /// When it returns, the timer's thread has let go of the monitor, and takes it no more before
    /// the time moves.
    void settle() {
        manual.clock->waitUntilIdle();
        manual.timer.purge();
    }

    /// What is due in the next `span` becomes due at once, during a task, and runs: no wait comes
    /// between one run and the next.
    void makeDue(hours span) {
        manual.timer.schedule([this, span] { manual.clock->advance(span); }, 0);
        manual.clock->waitUntilIdle();
    }

    const std::size_t size, calls;  ///< tasks pending; calls that are counted
    test::ManualTimer manual;
    Tasks handles;

  private:
    std::mt19937_64 random_{42};
};

/// Counts `call(delay)`, for as many delays as there are calls.
template <class Call>
void countSchedule(Stage& stage, const Call& call) {
    stage.fill();
    stage.addCancelled(stage.calls);
    stage.settle();
    const auto delays = stage.delays();
    countBegin();
    for (const auto& delay : delays) call(delay);
    countEnd();
}

void scheduleCallable(Stage& stage) {
    auto& timer = stage.manual.timer;
    countSchedule(stage, [&](nanoseconds delay) { timer.schedule([] {}, delay); });
}

void scheduleTask(Stage& stage) {
    auto& timer = stage.manual.timer;
    Tasks tasks(stage.calls);
    for (auto& task : tasks) task = std::make_shared<Nothing>();
    auto next = tasks.begin();
    countSchedule(stage, [&](nanoseconds delay) { timer.schedule(*next++, delay); });
}

void scheduleFixedRate(Stage& stage) {
    auto& timer = stage.manual.timer;
    countSchedule(stage, [&](nanoseconds delay) { timer.scheduleAtFixedRate([] {}, delay, 1000); });
}

void cancel(Stage& stage) {
    stage.fill();
    for (const auto& delay : stage.delays()) {
        stage.handles.push_back(stage.manual.timer.schedule([] {}, delay));
    }
    countBegin();
    for (const auto& handle : stage.handles) handle->cancel();
    countEnd();
}

/// One purge that finds `cancelled` of the tasks to be taken out, and destroys them.
void countPurge(Stage& stage, std::size_t cancelled) {
    stage.settle();
    for (std::size_t i = 0; i < stage.size; ++i) {
        // Spread evenly over the queue, whose order is random.
        if (i * cancelled / stage.size != (i + 1) * cancelled / stage.size) {
            stage.handles.push_back(stage.manual.timer.schedule([] {}, stage.delay()));
        } else {
            stage.manual.timer.schedule([] {}, stage.delay());
        }
    }
    for (const auto& handle : stage.handles) handle->cancel();
    stage.handles.clear();
    countBegin();
    const int purged = stage.manual.timer.purge();
    countEnd();
    if (static_cast<std::size_t>(purged) != cancelled) throw std::logic_error("purge");
}

void purgeTenth(Stage& stage) { countPurge(stage, stage.size / 10); }
void purgeAll(Stage& stage) { countPurge(stage, stage.size); }

/// With `size` tasks that are not due yet.
void fireOnce(Stage& stage) {
    Runs runs(stage.calls);
    for (std::size_t i = 0; i < stage.size; ++i) {
        stage.manual.timer.schedule([] {}, stage.delay(5));
    }
    for (std::size_t i = 0; i <= stage.calls; ++i) {
        stage.manual.timer.schedule([&runs] { runs.up(); }, stage.delay());
    }
    stage.settle();
    stage.makeDue(hours(3));
    if (!runs.complete()) throw std::logic_error("too few runs");
    stage.manual.timer.cancel();
}

/// Each of `size` repeating tasks is due once.
void fireFixedRate(Stage& stage) {
    Runs runs(stage.calls);
    for (std::size_t i = 0; i < stage.size; ++i) {
        stage.manual.timer.scheduleAtFixedRate([&runs] { runs.up(); }, stage.delay(), hours(5));
    }
    stage.settle();
    stage.makeDue(hours(3));
    if (!runs.complete()) throw std::logic_error("too few runs");
    stage.manual.timer.cancel();
}

struct Operation {
    const char* name;
    void (*run)(Stage&);
    bool callsAreOne;  ///< one call in all, instead of size / 10
};

constexpr Operation kOperations[] = {
    {"schedule-callable", scheduleCallable, false},
    {"schedule-task", scheduleTask, false},
    {"schedule-fixed-rate", scheduleFixedRate, false},
    {"cancel", cancel, false},
    {"fire-once", fireOnce, false},
    {"fire-fixed-rate", fireFixedRate, false},
    {"purge-tenth", purgeTenth, true},
    {"purge-all", purgeAll, true},
};

constexpr std::size_t kSizes[] = {1'000, 100'000};

/// What the number of instructions depends on, besides the flags.
void printVersions() {
#if defined(__clang__)
    std::cout << "compiler: " << __VERSION__ << '\n';
#else
    std::cout << "compiler: g++ " << __VERSION__ << '\n';
#endif
#if defined(__GLIBC__)
    std::cout << "glibc: " << gnu_get_libc_version() << '\n';
#else
    std::cout << "glibc: none\n";
#endif
    std::cout << "boost: " << BOOST_LIB_VERSION << '\n';
}

/// One line for each run: the operation, the size, and how many calls are counted.
void printRuns() {
    for (const auto& operation : kOperations) {
        for (const std::size_t size : kSizes) {
            const std::size_t calls = operation.callsAreOne ? 1 : Stage(size).calls;
            std::cout << operation.name << ' ' << size << ' ' << calls << '\n';
        }
    }
}

int usage() {
    std::cerr << "Usage: count versions | count runs | count OPERATION SIZE\n";
    return 2;
}

}  // namespace

int main(int argc, char** argv) {
    const std::string command = argc > 1 ? argv[1] : "";
    if (argc == 2 && command == "versions") {
        printVersions();
        return 0;
    }
    if (argc == 2 && command == "runs") {
        printRuns();
        return 0;
    }
    if (argc != 3) return usage();
    for (const auto& operation : kOperations) {
        if (command != operation.name) continue;
        try {
            Stage stage(std::strtoul(argv[2], nullptr, 10));
            operation.run(stage);
        } catch (const std::exception& e) {
            std::cerr << "count: " << command << ": " << e.what() << '\n';
            return 1;
        }
        return 0;
    }
    return usage();
}

// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "lateness.hpp"

#include <jtimer/brpc.hpp>
#include <jtimer/clock.hpp>
#include <jtimer/go.hpp>
#include <jtimer/netty.hpp>
#include <jtimer/timer.hpp>
#include <jtimer/tokio.hpp>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <memory>
#include <mutex>
#include <ostream>
#include <random>
#include <utility>
#include <vector>

using namespace std::chrono_literals;

namespace pictures {
namespace {

constexpr std::size_t kTasks = 10'000;

/// The tasks of one timer. Each notes how late it runs, on the clock by which it was due.
class Load {
  public:
    explicit Load(std::shared_ptr<jtimer::Clock> clock) : clock_(std::move(clock)) {
        std::mt19937 random(42);
        std::uniform_int_distribution<int> delay(1'000'000, 11'000'000);
        const jtimer::Date now = clock_->now();
        due_.reserve(kTasks);
        for (std::size_t i = 0; i < kTasks; ++i)
            due_.push_back(now + std::chrono::microseconds(delay(random)));
        late_.reserve(kTasks);
    }

    const std::vector<jtimer::Date>& due() const { return due_; }
    std::chrono::nanoseconds delayTo(jtimer::Date due) const { return due - clock_->now(); }

    void run(jtimer::Date due) {
        const std::chrono::nanoseconds late = clock_->now() - due;
        const std::lock_guard lock(mutex_);
        late_.push_back(late);
        if (late_.size() == kTasks) allHaveRun_.notify_one();
    }

    void waitAndPrint(std::ostream& out) {
        std::unique_lock lock(mutex_);
        allHaveRun_.wait(lock, [this] { return late_.size() == kTasks; });
        std::sort(late_.begin(), late_.end());
        // Finer and finer, as the picture has the share of later ones on a logarithmic scale.
        const auto step = [](std::size_t i) {
            if (i < kTasks / 10 * 9) return kTasks / 50;
            if (i < kTasks / 100 * 99) return kTasks / 200;
            return i < kTasks / 1000 * 999 ? kTasks / 1000 : kTasks / 10'000;
        };
        for (std::size_t i = kTasks / 50; i <= kTasks; i += step(i)) {
            out << static_cast<double>(i) * 100 / static_cast<double>(kTasks) << '\t'
                << static_cast<double>(late_[i - 1].count()) / 1000 << '\n';
        }
        out << "\n\n";
    }

  private:
    const std::shared_ptr<jtimer::Clock> clock_;
    std::vector<jtimer::Date> due_;
    std::mutex mutex_;
    std::condition_variable allHaveRun_;
    std::vector<std::chrono::nanoseconds> late_;
};

void playJdk(std::ostream& out) {
    const auto clock = std::make_shared<jtimer::WallClock>();
    Load load(clock);
    jtimer::Timer timer("lateness", false, clock);
    for (const jtimer::Date due : load.due()) timer.schedule([&load, due] { load.run(due); }, due);
    load.waitAndPrint(out);
    timer.cancel();
}

void playNetty(std::ostream& out) {
    jtimer::netty::HashedWheelTimerOptions options;
    options.tickDuration = 1ms;
    jtimer::netty::HashedWheelTimer timer(options);
    Load load(timer.clock());
    for (const jtimer::Date due : load.due())
        timer.newTimeout([&load, due] { load.run(due); }, load.delayTo(due));
    load.waitAndPrint(out);
    timer.stop();
}

void playBrpc(std::ostream& out) {
    jtimer::brpc::TimerThread timer;
    timer.start();
    Load load(timer.clock());
    for (const jtimer::Date due : load.due()) timer.schedule([&load, due] { load.run(due); }, due);
    load.waitAndPrint(out);
    timer.stopAndJoin();
}

void playGo(std::ostream& out) {
    jtimer::go::Timers timers;
    Load load(timers.clock());
    std::vector<jtimer::go::Timer> all;
    all.reserve(kTasks);
    for (const jtimer::Date due : load.due())
        all.push_back(timers.afterFunc(load.delayTo(due), [&load, due] { load.run(due); }));
    load.waitAndPrint(out);
    for (jtimer::go::Timer& timer : all) timer.stopAndWait();
}

void playTokio(std::ostream& out) {
    jtimer::tokio::TimeDriver driver;
    Load load(driver.clock());
    std::vector<jtimer::tokio::Sleep> all;
    all.reserve(kTasks);
    for (const jtimer::Date due : load.due()) {
        all.push_back(driver.sleepUntil(due));
        all.back().poll([&load, due] { load.run(due); });
    }
    load.waitAndPrint(out);
}

}  // namespace

void recordLateness(std::ostream& out) {
    playJdk(out);
    playNetty(out);
    playBrpc(out);
    playGo(out);
    playTokio(out);
}

}  // namespace pictures

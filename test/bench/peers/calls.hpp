// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "peer.hpp"

#include <thread>

// What calls cost, W1 to W3, W10 and W11: cold in the first round of full size, whose memory is new
// to the process, and warm in the fifth. Each round has a timer of its own.

namespace peers {

constexpr int kRounds = 5;

/// Nothing, in the rounds between the first and the last.
inline std::string temperatureOf(int round) {
    return round == 1 ? "cold" : round == kRounds ? "warm" : "";
}

/// W1, scheduling, and W2, cancelling and purging what W1 has scheduled.
template <class Adapter>
class ScheduleAndCancel {
  public:
    explicit ScheduleAndCancel(const Setup& setup)
        : setup_(setup), delays_(makeDelays(setup.count(), setup.mode)),
          order_(makeOrder(setup.count())), smallOrder_(makeOrder(std::min(setup.count(), kSmall))),
          handles_(setup.count()) {}

    void run() {
        for (int i = 0; i < 20; ++i) round(smallOrder_);
        if (setup_.count() <= kSmall) {
            measure("warm", 100);
            return;
        }
        for (int i = 1; i <= kRounds; ++i) {
            if (temperatureOf(i).empty())
                round(order_);
            else
                measure(temperatureOf(i), 1);
        }
    }

  private:
    static constexpr std::size_t kSmall = 10'000;

    void measure(const std::string& when, int rounds) {
        schedule_ = cancel_ = purge_ = release_ = Stopwatch();
        purged_ = 0;
        for (int i = 0; i < rounds; ++i) round(order_);
        const double items = rounds * static_cast<double>(setup_.count());
        report(setup_, "W1", when, "schedule", schedule_, items);
        if (Adapter::kCancels) report(setup_, "W2", when, "cancel", cancel_, items);
        // The timer's thread may have met them before, at the head of its queue; then there is
        // nothing left to measure.
        if (Adapter::kPurges && purged_ >= items / 2)
            report(setup_, "W2", when, "purge", purge_, purged_);
        if (Adapter::kPurges) report(setup_, "W2", when, "release", release_, items);
    }

    void round(const std::vector<std::uint32_t>& order) {
        Adapter timer;
        if (Adapter::kThreaded) sleepFor(5 * kMillisecond);  // until its thread waits
        const std::size_t size = order.size();
        schedule_.start();
        for (std::size_t i = 0; i < size; ++i)
            handles_[i] = timer.schedule(delays_[i], doNothing, nullptr);
        schedule_.stop();
        keepHeap();
        if constexpr (Adapter::kCancels) {
            cancel_.start();
            for (const std::uint32_t i : order) timer.cancel(handles_[i]);
            cancel_.stop();
        }
        if constexpr (Adapter::kPurges) {
            purge_.start();
            const std::int64_t removed = timer.purge();
            purge_.stop();
            purged_ += static_cast<double>(removed);
        }
        release_.start();
        for (std::size_t i = 0; i < size; ++i) handles_[i] = typename Adapter::Handle();
        release_.stop();
    }

    const Setup& setup_;
    std::vector<std::int64_t> delays_;
    std::vector<std::uint32_t> order_;
    std::vector<std::uint32_t> smallOrder_;
    std::vector<typename Adapter::Handle> handles_;
    Stopwatch schedule_;
    Stopwatch cancel_;
    Stopwatch purge_;
    Stopwatch release_;  ///< of the handles, the last that keep the tasks: so these are destroyed
    double purged_ = 0;
};

/// W3: time-outs that never come. MODE is the number of producers, and whether they purge.
template <class Adapter>
class Producers {
  public:
    explicit Producers(const Setup& setup)
        : setup_(setup), producers_(std::stoul(setup.mode)),
          purges_(setup.mode.find("purge") != std::string::npos),
          delays_(makeDelays(setup.count(), "random")), pending_(setup.count()) {}

    void run() {
        {
            Adapter timer;
            produce(timer, 99, setup_.scaled(20'000));
        }
        for (int i = 1; i <= kRounds; ++i) round(temperatureOf(i));
    }

  private:
    void round(const std::string& when) {
        Adapter timer;
        for (std::size_t i = 0; i < delays_.size(); ++i)
            pending_[i] = timer.schedule(delays_[i], doNothing, nullptr);
        // Of a sweep through 1e7 tasks ten are enough.
        const std::size_t pairs = setup_.scaled(setup_.count() >= 10'000'000 ? 100'000 : 1'000'000);
        const std::size_t share = pairs / producers_;
        std::atomic<bool> go{false};
        std::vector<std::thread> others;
        for (std::size_t i = 1; i < producers_; ++i)
            others.emplace_back([&, i] {
                while (!go) std::this_thread::yield();
                produce(timer, i + 1, share);
            });
        timer.letPass(5 * kMillisecond);
        Stopwatch time;
        time.start();
        go = true;
        produce(timer, 1, share);
        for (std::thread& other : others) other.join();
        time.stop();
        const auto all = static_cast<double>(share * producers_);
        if (!when.empty() && producers_ == 1)
            report(setup_, "W3", when, "pair", time, all);
        else if (!when.empty())
            report(setup_, "W3", when, "pair_ns", static_cast<double>(time.wall()) / all);
        for (auto& handle : pending_) handle = typename Adapter::Handle();
    }

    void produce(Adapter& timer, std::uint64_t seed, std::size_t pairs) {
        constexpr std::size_t kDelays = 4096;
        const auto delays = makeDelays(kDelays, "random", seed);
        for (std::size_t i = 0; i < pairs; ++i) {
            auto handle = timer.schedule(delays[i % kDelays], doNothing, nullptr);
            timer.cancel(handle);
            if (purges_ && i % 10'000 == 9'999) timer.purge();
        }
        keepHeap();
    }

    const Setup& setup_;
    std::size_t producers_;
    bool purges_;
    std::vector<std::int64_t> delays_;
    std::vector<typename Adapter::Handle> pending_;
};

/// W10: SIZE tasks pending, each started anew for a time an hour later than its last.
template <class Adapter>
class Restarts {
  public:
    explicit Restarts(const Setup& setup)
        : setup_(setup), delays_(makeDelays(setup.count(), "random")),
          order_(makeOrder(setup.count())), handles_(setup.count()) {}

    void run() {
        Adapter timer;
        for (std::size_t i = 0; i < delays_.size(); ++i)
            handles_[i] = timer.schedule(delays_[i], doNothing, nullptr);
        for (int i = 1; i <= kRounds; ++i) {
            Stopwatch time;
            time.start();
            for (const std::uint32_t task : order_)
                timer.reset(handles_[task], delays_[task] + i * kHour);
            time.stop();
            const auto items = static_cast<double>(setup_.count());
            if (i == kRounds) report(setup_, "W10", "warm", "reset", time, items);
        }
        for (auto& handle : handles_) handle = typename Adapter::Handle();
    }

  private:
    const Setup& setup_;
    std::vector<std::int64_t> delays_;
    std::vector<std::uint32_t> order_;
    std::vector<typename Adapter::Handle> handles_;
};

/// W11: SIZE sleeps pending, each moved to a later time ten times; in the order in which they were
/// made, or at random.
template <class Adapter>
class Extensions {
  public:
    explicit Extensions(const Setup& setup)
        : setup_(setup), delays_(makeDelays(setup.count(), "random")),
          order_(makeOrder(setup.count())), handles_(setup.count()) {
        if (setup.mode != "random") std::sort(order_.begin(), order_.end());
    }

    void run() {
        for (int i = 1; i <= kRounds; ++i) round(temperatureOf(i));
    }

  private:
    static constexpr int kTimes = 10;

    void round(const std::string& when) {
        Adapter timer;
        for (std::size_t i = 0; i < delays_.size(); ++i)
            handles_[i] = timer.schedule(delays_[i], doNothing, nullptr);
        const std::int64_t begin = now() + 2 * kHour;
        Stopwatch time;
        time.start();
        for (int i = 1; i <= kTimes; ++i) {
            for (const std::uint32_t sleep : order_)
                timer.extend(handles_[sleep], begin + i * kSecond);
        }
        time.stop();
        const auto items = kTimes * static_cast<double>(setup_.count());
        if (!when.empty()) report(setup_, "W11", when, "extend", time, items);
        for (auto& handle : handles_) handle = typename Adapter::Handle();
    }

    const Setup& setup_;
    std::vector<std::int64_t> delays_;
    std::vector<std::uint32_t> order_;
    std::vector<typename Adapter::Handle> handles_;
};

}  // namespace peers

// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include <jtimer/go/timers.hpp>

#include <boost/test/unit_test.hpp>
#include <boost/thread/thread.hpp>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <random>
#include <vector>

namespace test {

/// Eight threads stop, reset, receive from and select over a few timers and functions that they
/// share. At the end the books must balance: of each start exactly one outcome.
class Accounting {
  public:
    /// \param rounds what each thread does so often
    void run(int rounds, unsigned shards) {
        using jtimer::go::Timers;
        jtimer::go::TimersOptions options;
        options.shards = shards;
        Timers timers(options);
        for (unsigned i = 0; i < kTimers; ++i) {
            timers_.push_back(timers.newTimer(span(i)));
            functions_.push_back(timers.afterFunc(span(i), [this] { ++runs_; }));
            channels_.push_back(timers_.back().C());
        }
        starts_ = kTimers;
        functionStarts_ = kTimers;
        boost::thread_group threads;
        for (unsigned t = 1; t <= 8; ++t)
            threads.create_thread([this, t, rounds] { work(t, rounds); });
        while (rounds_ < 8 * rounds) timers.check();
        threads.join_all();
        settle(timers);
    }

  private:
    static constexpr unsigned kTimers = 6;

    /// About what a step of a thread takes, so that everything meets everything.
    static std::chrono::nanoseconds span(unsigned long random) {
        return std::chrono::nanoseconds(random % 8 == 0 ? 1'000'000 : random % 20'000);
    }

    void work(unsigned seed, int rounds) {
        std::minstd_rand random(seed);
        for (int i = 0; i < rounds; ++i, ++rounds_) {
            const std::size_t which = random() % kTimers;
            const auto d = span(random());
            bool ended = false;
            switch (random() % 8) {
            case 0:
                ended = timers_[which].stop();
                break;
            case 1:
            case 2:
                ++starts_;
                ended = timers_[which].reset(d);
                break;
            case 3:
                ended = channels_[which].tryReceive().has_value();
                break;
            case 4:
                ended = channels_[which].receiveFor(d).has_value();
                break;
            case 5:
                ended = jtimer::go::select({channels_[which], channels_[(which + 1) % kTimers]}, d)
                            .has_value();
                break;
            case 6:
                if (functions_[which].stop()) ++functionEnds_;
                break;
            default:
                ++functionStarts_;
                if (functions_[which].reset(d)) ++functionEnds_;
            }
            if (ended) ++ends_;
        }
    }

    void settle(jtimer::go::Timers& timers) {
        for (auto& timer : timers_) ends_ += timer.stop() ? 1 : 0;
        for (auto& function : functions_) functionEnds_ += function.stop() ? 1 : 0;
        BOOST_TEST(ends_ == starts_);
        timers.check();
        BOOST_TEST(timers.stats().pending == 0U);
        // What was handed over runs soon; nothing can be handed over any more.
        while (runs_ < functionStarts_ - functionEnds_) boost::this_thread::yield();
        timers.sleep(std::chrono::milliseconds(1));
        BOOST_TEST(runs_ == functionStarts_ - functionEnds_);
    }

    std::vector<jtimer::go::Timer> timers_;
    std::vector<jtimer::go::Timer> functions_;
    std::vector<jtimer::go::Channel> channels_;
    std::atomic<int> rounds_{0};
    std::atomic<std::int64_t> starts_{0};
    std::atomic<std::int64_t> ends_{0};
    std::atomic<std::int64_t> functionStarts_{0};
    std::atomic<std::int64_t> functionEnds_{0};
    std::atomic<std::int64_t> runs_{0};
};

}  // namespace test

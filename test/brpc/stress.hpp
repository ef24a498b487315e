// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "brpc/manual_thread.hpp"
#include "support/race.hpp"

#include <jtimer/brpc/timer_thread.hpp>

#include <boost/test/unit_test.hpp>
#include <boost/thread/thread.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <random>
#include <vector>

namespace test {

/// Threads that schedule, unschedule, and ask for what is gone, as fast as they can, on the wall
/// clock, with an account of every task: it has run once, or an unschedule has answered 0, or it is
/// left at the end; and its callable, if it is one, has been destroyed.
class Stress {
  public:
    struct Settings {
        int threads = 8;
        int tasksEach = 0;
        jtimer::brpc::TimerThreadOptions options;
        /// Tasks are due within so many microseconds, before and after the call.
        int span = 300;
        /// Stops the timer when so many tasks of 100 are scheduled.
        int stopAt = 100;
    };

    explicit Stress(Settings settings) : settings_(std::move(settings)) {}

    void run() {
        accounts_ =
            std::vector<Account>(static_cast<std::size_t>(settings_.threads * settings_.tasksEach));
        BOOST_REQUIRE_EQUAL(timer_.start(settings_.options), 0);
        boost::thread_group threads;
        for (int t = 0; t < settings_.threads; ++t) threads.create_thread([this, t] { client(t); });
        threads.create_thread([this] { stopInTime(); });
        threads.join_all();
        timer_.stopAndJoin();
        checkAccounts();
    }

  private:
    struct Account {
        std::atomic<jtimer::brpc::TaskId> id{0};
        std::atomic<int> runs{0};
        std::atomic<int> removals{0};
        std::atomic<int> destroyed{0};
        bool isCallable = false;
    };

    /// A task that is a callable: it tells of its destruction.
    class Callable {
      public:
        explicit Callable(Account& account) : account_(&account) {}
        Callable(Callable&& other) noexcept : account_(std::exchange(other.account_, nullptr)) {}
        Callable& operator=(Callable&&) = delete;
        ~Callable() {
            if (account_ != nullptr) ++account_->destroyed;
        }
        void operator()() const { ++account_->runs; }

      private:
        Account* account_;
    };

    static void countRun(void* account) { ++static_cast<Account*>(account)->runs; }

    void client(int t) {
        std::minstd_rand random(static_cast<unsigned>(t) + 1);
        for (int i = 0; i < settings_.tasksEach; ++i) {
            Account& account = accounts_[static_cast<std::size_t>(t * settings_.tasksEach + i)];
            schedule(account, random);
            const auto recent = static_cast<std::size_t>(t * settings_.tasksEach + i) -
                                random() % static_cast<unsigned>(std::min(i + 1, 50));
            if (random() % 4 != 0) unschedule(accounts_[recent]);
            if (random() % 8 == 0) unschedule(accounts_[random() % accounts_.size()]);
        }
    }

    void schedule(Account& account, std::minstd_rand& random) {
        const auto span = static_cast<unsigned>(settings_.span);
        const jtimer::Date time = std::chrono::system_clock::now() +
                                  std::chrono::microseconds(random() % (2 * span)) -
                                  std::chrono::microseconds(span / 2);
        account.isCallable = random() % 2 == 0;
        account.id = account.isCallable ? timer_.schedule(Callable(account), time)
                                        : timer_.schedule(countRun, &account, time);
        ++scheduled_;
    }

    void unschedule(Account& account) {
        if (timer_.unschedule(account.id) == jtimer::brpc::kRemoved) ++account.removals;
    }

    void stopInTime() {
        const auto at = accounts_.size() * static_cast<std::size_t>(settings_.stopAt) / 100;
        while (scheduled_ < at) boost::this_thread::yield();
        timer_.stopAndJoin();
    }

    void checkAccounts() {
        std::uint64_t given = 0;
        std::uint64_t run = 0;
        std::uint64_t removed = 0;
        std::uint64_t left = 0;
        for (Account& account : accounts_) {
            const bool isLeft = timer_.unschedule(account.id) == jtimer::brpc::kRemoved;
            const int times = account.runs + account.removals + (isLeft ? 1 : 0);
            BOOST_REQUIRE_EQUAL(times, account.id == 0 ? 0 : 1);
            if (account.isCallable) BOOST_REQUIRE_EQUAL(account.destroyed, 1);
            given += account.id != 0 ? 1U : 0U;
            run += static_cast<std::uint64_t>(account.runs);
            removed += static_cast<std::uint64_t>(account.removals);
            left += isLeft ? 1U : 0U;
        }
        const auto stats = timer_.stats();
        BOOST_TEST(stats.scheduled == given);
        BOOST_TEST(stats.triggered == run);
        BOOST_TEST(stats.unscheduled == removed + left);
        BOOST_TEST(stats.pending == 0U);
    }

    const Settings settings_;
    std::vector<Account> accounts_;
    std::atomic<std::uint64_t> scheduled_{0};
    jtimer::brpc::TimerThread timer_;
};

/// Starts a timer, schedules, and stops it, beside a thread that schedules; so many times.
inline void checkCycles(int cycles) {
    jtimer::brpc::TimerThreadOptions options;
    options.numBuckets = 2;
    std::optional<jtimer::brpc::TimerThread> timer(std::in_place);
    BOOST_REQUIRE_EQUAL(timer->start(options), 0);
    std::uint64_t accounted = 0;
    const auto cycle = [&](int) {
        timer->schedule(doNothing, nullptr, jtimer::Date{});
        timer->stopAndJoin();
    };
    const auto schedule = [&](int) { timer->schedule(doNothing, nullptr, jtimer::Date{}); };
    test::race(cycles, {cycle, schedule}, [&](int) {
        const auto stats = timer->stats();
        accounted += stats.scheduled == stats.triggered + timer->takePending().size() ? 1 : 0;
        timer.emplace();
        BOOST_REQUIRE_EQUAL(timer->start(options), 0);
    });
    BOOST_TEST(accounted == static_cast<std::uint64_t>(cycles));
}

}  // namespace test

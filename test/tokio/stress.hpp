// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "support/counter.hpp"

#include <jtimer/tokio/time_driver.hpp>

#include <boost/test/unit_test.hpp>
#include <boost/thread/thread.hpp>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace test {

/// Threads that make, poll, reset, move, drop and wait for Sleeps, while the driver is turned. Each
/// Sleep belongs to one thread, and each waker to one poll; in the end the accounts must balance.
class TokioStress {
  public:
    using Sleep = jtimer::tokio::Sleep;

    explicit TokioStress(jtimer::tokio::TimeDriver& driver) : driver_(driver) {}

    void work(unsigned seed, int steps) {
        std::mt19937 random(seed);
        std::vector<Sleep> sleeps;
        for (int i = 0; i < 40; ++i) sleeps.push_back(driver_.sleep(1));
        for (int i = 0; i < steps; ++i) step(random, sleeps[random() % sleeps.size()]);
        for (Sleep& sleep : sleeps) finish(sleep);
    }

    /// When all threads have ended, and all Sleeps are gone.
    void checkAccounts() {
        driver_.check();
        BOOST_TEST(driver_.size() == 0U);
        BOOST_TEST(wakersAlive_ == 0);
        BOOST_TEST(calledTwice_ == 0);
        BOOST_TEST(early_ == 0);
        BOOST_TEST(lost_ == 0);
        BOOST_TEST(fired_ > 0);
        BOOST_TEST(called_ > 0);
        BOOST_TEST(called_ <= wakersMade_);
    }

    std::string summary() const {
        return std::to_string(wakersMade_) + " wakers, " + std::to_string(called_) + " called, " +
               std::to_string(fired_) + " fired, " + std::to_string(extended_) + " extended";
    }

  private:
    /// Counts how often it is called, and that it is destroyed.
    class Waker {
      public:
        explicit Waker(TokioStress& stress)
            : alive_(new int(0),
                     [&stress](const int* counted) {
                         delete counted;
                         --stress.wakersAlive_;
                     }),
              stress_(stress), calls_(std::make_shared<std::atomic<int>>(0)) {
            ++stress.wakersAlive_;
            ++stress.wakersMade_;
        }
        void operator()() {
            ++stress_.called_;
            if (calls_->fetch_add(1) != 0) ++stress_.calledTwice_;
            // Wakers use the driver: it deadlocks if they are called under the lock.
            if (stress_.called_ % 16 == 0) {
                Sleep other = stress_.driver_.sleep(std::chrono::microseconds(100));
                other.poll([] {});
            }
        }

      private:
        std::shared_ptr<int> alive_;
        TokioStress& stress_;
        std::shared_ptr<std::atomic<int>> calls_;
    };

    void step(std::mt19937& random, Sleep& sleep) {
        const std::chrono::microseconds span(random() % 4000);
        switch (random() % 8) {
        case 0:
            sleep = driver_.sleep(span);
            break;
        case 1:
        case 2:
            poll(sleep);
            break;
        case 3:
            sleep.reset(sleep.deadline() + span);
            ++extended_;
            break;
        case 4:
            sleep.resetAfter(span);
            break;
        case 5:
            moveAbout(sleep);
            break;
        case 6:
            if (sleep.isElapsed()) checkFired(sleep);
            break;
        default:
            if (random() % 8 == 0) {
                sleep.resetAfter(span / 4);
                sleep.wait();
                checkFired(sleep);
            }
        }
    }
    void poll(Sleep& sleep) {
        if (sleep.poll(Waker(*this))) checkFired(sleep);
    }
    static void moveAbout(Sleep& sleep) {
        Sleep moved(std::move(sleep));
        sleep = std::move(moved);
    }
    void checkFired(const Sleep& sleep) {
        ++fired_;
        if (driver_.now() < sleep.deadline()) ++early_;
    }
    /// Waits for the last time: then the waker has been called, if one was left.
    void finish(Sleep& sleep) {
        sleep.resetAfter(std::chrono::microseconds(500));
        const auto kept = std::make_shared<Counter>();
        if (!sleep.poll([kept] { kept->up(); }) && !kept->reaches(1)) ++lost_;
        if (!sleep.isElapsed()) ++lost_;
        checkFired(sleep);
    }

    jtimer::tokio::TimeDriver& driver_;
    std::atomic<int> wakersMade_{0}, wakersAlive_{0}, called_{0}, calledTwice_{0};
    std::atomic<int> fired_{0}, extended_{0}, early_{0}, lost_{0};
};

/// Runs `threads` threads of the stress beside `turn`, which is called until they have ended.
template <class Turn>
void stressTokio(jtimer::tokio::TimeDriver& driver, int threads, int steps, const Turn& turn) {
    TokioStress stress(driver);
    std::atomic<int> running{threads};
    boost::thread_group workers;
    for (int i = 0; i < threads; ++i) {
        workers.create_thread([&, i] {
            stress.work(static_cast<unsigned>(i) + 1, steps);
            --running;
        });
    }
    while (running != 0) turn();
    workers.join_all();
    // Wakers are called one after the other: when this one has been, all are done.
    const auto last = std::make_shared<Counter>();
    jtimer::tokio::Sleep sleep = driver.sleep(1);
    sleep.poll([last] { last->up(); });
    while (last->get() == 0) turn();
    stress.checkAccounts();
    BOOST_TEST_MESSAGE(stress.summary());
}

}  // namespace test

// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "interleave/simulation/world.hpp"

#include <jtimer/tokio/delay_queue.hpp>
#include <jtimer/tokio/notify.hpp>
#include <jtimer/tokio/time_driver.hpp>

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <chrono>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace {

using explore::check;
using jtimer::Date;
using jtimer::tokio::DelayQueue;
using jtimer::tokio::Notify;
using jtimer::tokio::Sleep;
using jtimer::tokio::TimeDriver;
using jtimer::tokio::TimeDriverOptions;
using simulation::any;
using simulation::attempt;
using simulation::nanosOf;
using simulation::oneIn;
using simulation::SetClock;

constexpr int kStep = 10;  // milliseconds

/// A driver with a thread, or one that the threads turn; sleeps and queues of each thread, and a
/// sleep that one of them resets while others wait for it.
class World {
  public:
    void play();

  private:
    class Waker;

    TimeDriverOptions options();
    void playThread(std::shared_ptr<TimeDriver> driver, bool ownsShared);
    void actInWaker();
    void useSleep(TimeDriver& driver);
    void useQueue(TimeDriver& driver);
    void waitForShared();
    void resetShared();
    void fork(TimeDriver& driver);
    void turn(TimeDriver& driver);
    void checkFired(const Sleep& sleep) const;
    Date someTime() const { return clock_->now() + std::chrono::milliseconds(any(4) * kStep); }

    const std::shared_ptr<SetClock> clock_ = std::make_shared<SetClock>();
    simulation::Book book_;
    simulation::Secret live_;  ///< wakers
    bool polled_ = false;
    std::shared_ptr<TimeDriver> driver_;
    std::weak_ptr<TimeDriver> known_;
    std::optional<Sleep> shared_;
    simulation::Secret sharedDue_;  ///< the earliest deadline that it has had
    std::optional<Notify> notify_;
};

/// Counts its calls. It and its destructor use the driver.
class World::Waker {
  public:
    explicit Waker(World& world, simulation::Secret* calls = nullptr)
        : world_(&world), calls_(calls) {
        world.live_.add(1);
    }
    Waker(const Waker& other) : Waker(*other.world_, other.calls_) {}
    Waker& operator=(const Waker&) = delete;
    ~Waker() {
        simulation::userCode("a destructor");
        world_->live_.add(-1);
        if (oneIn(6)) world_->actInWaker();
    }
    void operator()() const {
        simulation::userRun("a waker");
        if (calls_ != nullptr) calls_->add(1);
        if (world_->book_.has(world_->book_.isDraining)) return;
        if (oneIn(6)) {
            world_->book_.count(world_->book_.thrown);
            throw simulation::Oops();
        }
        if (oneIn(3)) world_->actInWaker();
    }

  private:
    World* world_;
    simulation::Secret* calls_;
};

TimeDriverOptions World::options() {
    TimeDriverOptions drawn;
    drawn.clock = clock_;
    drawn.name = "x";
    drawn.polled = polled_;
    if (oneIn(2)) drawn.unpark = [] { simulation::userCode("unpark"); };
    drawn.uncaughtExceptionHandler = [this](const std::string&, const std::exception_ptr&) {
        simulation::userCode("a handler");
        book_.count(book_.reported);
    };
    return drawn;
}

void World::checkFired(const Sleep& sleep) const {
    check(clock_->latest() >= nanosOf(sleep.deadline()), "fired early");
}

void World::actInWaker() {
    if (book_.has(book_.isDraining)) return;
    const auto driver = known_.lock();
    if (driver == nullptr) return;
    switch (any(8)) {
    case 0:
        return driver->shutdown();
    case 1:
    case 2:
        return void(attempt([&] { static_cast<void>(driver->sleep(kStep).poll()); }));
    case 3:
        return void(attempt([&] { static_cast<void>(driver->nextWake()); }));
    case 4:
        return notify_->notifyOne();
    case 5:
        return oneIn(2) ? turn(*driver) : fork(*driver);
    default:
        return void(attempt([&] { static_cast<void>(driver->stats()); }));
    }
}

void World::turn(TimeDriver& driver) {
    attempt([&] { driver.turn(); });
}

void World::useSleep(TimeDriver& driver) {
    simulation::Secret calls;
    attempt([&] {
        Sleep sleep = driver.sleepUntil(someTime());
        for (unsigned i = 1 + any(4); i != 0; --i) {
            if (sleep.poll(Waker(*this, &calls))) checkFired(sleep);
            if (oneIn(3)) explore::yield();
            if (oneIn(3)) sleep.reset(someTime());
        }
        if (oneIn(3)) {
            sleep.wait();
            checkFired(sleep);
            check(sleep.isElapsed(), "a wait that ended before it fired");
        }
        Sleep moved = std::move(sleep);
        if (moved.isElapsed()) checkFired(moved);
    });
}

void World::useQueue(TimeDriver& driver) {
    attempt([&] {
        DelayQueue<std::shared_ptr<int>> queue(driver);
        const auto first = queue.insertAt(std::make_shared<int>(1), someTime());
        const auto second = queue.insertAt(std::make_shared<int>(2), someTime());
        if (oneIn(3)) queue.resetAt(first, someTime());
        unsigned left = 2;
        if (oneIn(3) && queue.tryRemove(second)) --left;
        while (left != 0) {
            auto expired = oneIn(2) ? queue.next() : queue.pollExpired(Waker(*this));
            if (!expired && oneIn(3)) break;
            if (!expired) {
                explore::yield();
                continue;
            }
            --left;
            check(expired->value.use_count() == 1, "a value in two places");
            check(clock_->latest() >= nanosOf(expired->deadline), "expired early");
        }
        queue.check();
        check(queue.len() == left, "lost");
    });
}

void World::waitForShared() {
    attempt([&] {
        shared_->wait();
        check(clock_->latest() >= sharedDue_.get(), "woken early");
    });
}

void World::resetShared() {
    const Date due = someTime() + std::chrono::milliseconds(2 * kStep);
    sharedDue_.set(std::min(sharedDue_.get(), nanosOf(due)));
    attempt([&] { shared_->reset(due); });
}

void World::fork(TimeDriver& driver) {
    simulation::fork(book_, [&] {
        attempt([&] { static_cast<void>(driver.sleep(kStep).poll()); });
        attempt([&] { static_cast<void>(driver.nextWake()); });
        attempt([&] { driver.sleep(kStep).wait(); });
        if (oneIn(2)) shared_.reset();
        driver.~TimeDriver();
        shared_.reset();
        notify_.reset();
        simulation::useOwn([](const auto& clock, auto&& run) {
            TimeDriverOptions options;
            options.clock = clock;
            TimeDriver own(options);
            Sleep sleep = own.sleep(kStep);
            {
                Sleep dropped = own.sleep(kStep);
                dropped.poll(run);
            }
            sleep.poll(run);
            clock->advance(kStep);
            check(sleep.isElapsed(), "not elapsed");
        });
    });
}

void World::playThread(std::shared_ptr<TimeDriver> driver, bool ownsShared) {
    for (unsigned i = 1 + any(4); i != 0; --i) {
        switch (any(12)) {
        case 0:
            waitForShared();
            break;
        case 1:
            if (oneIn(3)) driver->shutdown();
            break;
        case 2:
        case 3:
            useQueue(*driver);
            break;
        case 4:
            attempt([&] {
                auto notified = notify_->notified();
                notified.poll(Waker(*this));
                if (oneIn(2)) notify_->notifyOne();
                explore::yield();
            });
            break;
        case 5:
            if (polled_) turn(*driver);
            break;
        case 7:
            fork(*driver);
            break;
        case 6:
            if (ownsShared) resetShared();
            break;
        default:
            useSleep(*driver);
        }
    }
}

void World::play() {
    simulation::drawPace();
    polled_ = oneIn(2);
    driver_ = std::make_shared<TimeDriver>(options());
    known_ = driver_;
    notify_.emplace(*driver_);
    shared_ = driver_->sleepUntil(Date{} + std::chrono::milliseconds(2 * kStep));
    sharedDue_.set(2 * kStep * simulation::kMillis);
    shared_->poll(Waker(*this));
    std::vector<std::function<void()>> threads;
    for (unsigned i = 2 + any(2); i != 0; --i)
        threads.emplace_back([this, copy = driver_, isFirst = threads.empty()]() mutable {
            playThread(std::move(copy), isFirst);
        });
    if (polled_)
        threads.emplace_back([this, copy = driver_] {
            // Until every wait can end.
            for (int i = 0; i < 20 * kStep && !copy->isShutdown(); i += kStep) {
                turn(*copy);
                explore::yield();
            }
            copy->shutdown();
        });
    if (oneIn(3)) driver_.reset();
    simulation::togetherWhileTimePasses(std::move(threads), *clock_, kStep);
    simulation::endFaults();
    book_.set(book_.isDraining);
    clock_->advanceToEnd(20 * kStep);
    if (driver_ != nullptr && polled_ && !driver_->isShutdown()) driver_->turn();
    if (driver_ != nullptr) driver_->check();
    shared_.reset();
    if (driver_ != nullptr) check(driver_->size() == 0, "left in the wheel");
    notify_.reset();
    driver_.reset();
    explore::joinAll();
    check(live_.get() == 0, "a waker is left over");
    check(book_.reported == book_.thrown, "not reported");
}

}  // namespace

BOOST_AUTO_TEST_SUITE(tokio)

BOOST_AUTO_TEST_CASE(each_sleep_of_a_driver_fires_in_time_whatever_its_threads_do) {
    simulation::simulate("tokio", [] { World().play(); });
}

BOOST_AUTO_TEST_CASE(a_seed_makes_the_same_steps_again) {
    simulation::simulateTwice([] { World().play(); });
}

BOOST_AUTO_TEST_SUITE_END()

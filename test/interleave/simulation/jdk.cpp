// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "interleave/simulation/world.hpp"

#include <jtimer/timer.hpp>

#include <boost/test/unit_test.hpp>

#include <array>
#include <chrono>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

namespace {

using explore::check;
using jtimer::Date;
using jtimer::Timer;
using jtimer::TimerOptions;
using simulation::any;
using simulation::attempt;
using simulation::nanosOf;
using simulation::oneIn;
using simulation::SetClock;
using simulation::timeOf;

constexpr int kStep = 10;  // milliseconds
constexpr unsigned kTasks = 4;

class World {
  public:
    World();
    void play();

  private:
    class Task;

    TimerOptions options();
    void playThread(std::shared_ptr<Timer> timer);
    void actOn(Timer& timer, const std::shared_ptr<Task>& task);
    void actInTask(const std::shared_ptr<Task>& task);
    void schedule(Timer& timer, const std::shared_ptr<Task>& task);
    void shutDown(Timer& timer);
    void fork(Timer& timer);
    void drain();

    const std::shared_ptr<SetClock> clock_ = std::make_shared<SetClock>();
    simulation::Book book_;
    TimerOptions options_;
    const bool dropsEarly_;
    std::shared_ptr<Timer> timer_;
    std::weak_ptr<Timer> known_;
    std::array<std::shared_ptr<Task>, kTasks> tasks_;
};

class World::Task : public jtimer::TimerTask {
  public:
    explicit Task(World& world) : world_(world), period(oneIn(3) ? kStep : 0) {
        if (period != 0) account.repeat(period * simulation::kMillis, atFixedRate);
    }
    ~Task() override {
        simulation::userCode("a destructor");
        check(written_ == 1, "destroyed twice");
        written_ = 2;
        if (world_.book_.has(world_.book_.isDraining) || !oneIn(4)) return;
        if (const auto timer = world_.known_.lock()) attempt([&] { timer->purge(); });
    }

    void run() override {
        const simulation::Running running(account, world_.book_, *world_.clock_);
        check(written_ == 1, "not seen");
        if (world_.book_.has(world_.book_.isDraining) || oneIn(2)) return;
        world_.actInTask(world_.tasks_[any(kTasks)]);
    }

    simulation::Account account;

  private:
    World& world_;
    int written_ = 1;

  public:
    /// Some are due just after the clock's steps.
    const Date due =
        Date{} + std::chrono::milliseconds(any(4) * kStep) + std::chrono::nanoseconds(any(2));
    const bool atFixedRate = oneIn(2);
    const int period;
};

World::World() : options_(options()), dropsEarly_(oneIn(3)) {
    for (auto& each : tasks_) each = std::make_shared<Task>(*this);
    tasks_[0]->setName("x");  // the table of names stays for ever: made while warming up
}

TimerOptions World::options() {
    TimerOptions drawn;
    drawn.clock = clock_;
    drawn.name = "x";
    drawn.daemon = oneIn(3);
    drawn.removeOnCancel = oneIn(2);
    drawn.ties = oneIn(2) ? jtimer::Ties::Fifo : jtimer::Ties::Jdk;
    drawn.onException = static_cast<jtimer::OnException>(any(3));
    if (oneIn(4)) drawn.maxPending = 2;
    if (oneIn(4)) drawn.tolerance = kStep / 2;
    const auto handle = [this] {
        simulation::userCode("a handler");
        book_.count(book_.reported);
    };
    drawn.uncaughtExceptionHandler = [=](const std::string&, const std::exception_ptr&) {
        handle();
    };
    if (oneIn(3)) drawn.taskExceptionHandler = [=](const jtimer::TaskException&) { handle(); };
    return drawn;
}

void World::schedule(Timer& timer, const std::shared_ptr<Task>& task) {
    task->account.offer(*clock_, nanosOf(task->due),
                        options_.tolerance.value().millis * simulation::kMillis);
    const bool isAccepted = attempt([&] {
        if (task->period == 0) {
            timer.schedule(task, task->due);
        } else if (task->atFixedRate) {
            timer.scheduleAtFixedRate(task, task->due, task->period);
        } else {
            timer.schedule(task, task->due, task->period);
        }
    });
    if (isAccepted) {
        task->account.accept(timeOf(*clock_));
    } else {
        task->account.refuse();
    }
}

void World::shutDown(Timer& timer) {
    attempt([&] {
        for (const auto& each : timer.shutdownNow()) static_cast<Task&>(*each).account.leave();
    });
}

void World::actOn(Timer& timer, const std::shared_ptr<Task>& task) {
    switch (any(16)) {
    case 3:
    case 4:
        return task->cancel() ? task->account.cancel() : void();
    case 5:
        return void(attempt([&] { timer.purge(); }));
    case 6:
        return void(attempt([&] { static_cast<void>(timer.stats()); }));
    case 7:
        return shutDown(timer);
    case 8:
        book_.set(book_.mayDiscard);
        return timer.cancel();
    case 9:
        return void(attempt([&] { task->setName("y"); }));
    case 10:
        return fork(timer);
    default:
        return schedule(timer, task);
    }
}

void World::actInTask(const std::shared_ptr<Task>& task) {
    const auto timer = known_.lock();
    switch (any(8)) {
    case 0:
        book_.count(book_.thrown);
        if (options_.onException == jtimer::OnException::StopTimer) book_.set(book_.mayDiscard);
        throw simulation::Oops();
    case 1:
        book_.set(book_.isUnpunctual);
        return void(attempt([&] { clock_->advance(kStep); }));
    case 2:
        return task->cancelAndWait() ? task->account.cancel() : void();
    default:
        if (timer != nullptr) actOn(*timer, task);
    }
}

void World::playThread(std::shared_ptr<Timer> timer) {
    for (unsigned i = 1 + any(4); i != 0; --i) {
        const auto& task = tasks_[any(kTasks)];
        const unsigned action = any(20);
        if (action < 3) {
            attempt([&] { clock_->advance(kStep); });
        } else if (action == 3) {
            if (task->cancelAndWait()) task->account.cancel();
            task->account.checkOver();
        } else {
            actOn(*timer, task);
        }
    }
    timer.reset();
    if (oneIn(3)) attempt([&] { clock_->advance(kStep); });
}

void World::fork(Timer& timer) {
    simulation::fork(book_, [&] {
        for (const auto& each : tasks_)
            static_cast<void>(oneIn(2) ? each->cancel() : each->cancelAndWait());
        timer.~Timer();
        tasks_ = {};
        simulation::useOwn([](const auto& clock, auto&& run) {
            TimerOptions options;
            options.clock = clock;
            Timer own(options);
            own.schedule(run, kStep);
            check(own.schedule(run, kStep)->cancel(), "not cancelled");
            clock->advance(kStep);
        });
    });
}

void World::drain() {
    simulation::endFaults();
    book_.set(book_.isDraining);
    clock_->advanceToEnd(20 * kStep);
    for (const auto& each : tasks_)
        if (each->cancel()) each->account.cancel();
    timer_.reset();
    explore::joinAll();
    for (const auto& each : tasks_)
        each->account.settle(!options_.daemon && !book_.has(book_.mayDiscard));
    check(book_.reported == book_.thrown, "not reported");
    tasks_ = {};
    check(known_.expired(), "the timer lives");
}

void World::play() {
    simulation::drawPace();
    simulation::drawFaults();
    attempt([&] { timer_ = std::make_shared<Timer>(options_); });
    simulation::endFaults();
    if (timer_ == nullptr) return;
    known_ = timer_;
    auto threads = simulation::drawThreads(
        timer_, [this](std::shared_ptr<Timer> timer) { playThread(std::move(timer)); });
    if (dropsEarly_) {
        if (!options_.daemon) timer_->detach();
        timer_.reset();
    }
    simulation::together(std::move(threads));
    drain();
}

}  // namespace

BOOST_AUTO_TEST_SUITE(jdk)

BOOST_AUTO_TEST_CASE(each_task_of_a_timer_is_accounted_for_whatever_its_threads_do) {
    simulation::simulate("jdk", [] { World().play(); });
}

BOOST_AUTO_TEST_CASE(a_seed_makes_the_same_steps_again) {
    simulation::simulateTwice([] { World().play(); });
}

BOOST_AUTO_TEST_SUITE_END()

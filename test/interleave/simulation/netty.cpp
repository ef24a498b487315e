// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "interleave/simulation/world.hpp"

#include <jtimer/netty/hashed_wheel_timer.hpp>

#include <boost/test/unit_test.hpp>

#include <array>
#include <exception>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace {

using explore::check;
using jtimer::Date;
using jtimer::netty::HashedWheelTimer;
using jtimer::netty::HashedWheelTimerOptions;
using jtimer::netty::Timeout;
using simulation::any;
using simulation::attempt;
using simulation::oneIn;
using simulation::SetClock;
using simulation::timeOf;

constexpr int kTick = 10;  // milliseconds
constexpr unsigned kTasks = 6;

class World {
  public:
    void play();

  private:
    class Task;

    HashedWheelTimerOptions options();
    void playThread(std::shared_ptr<HashedWheelTimer> timer);
    void actInTask(Timeout& self);
    void add(HashedWheelTimer& timer, bool isInTask);
    void cancel(Timeout& timeout, bool waits);
    void stop(HashedWheelTimer& timer);
    void fork(HashedWheelTimer& timer);
    void drain();

    const std::shared_ptr<SetClock> clock_ = std::make_shared<SetClock>();
    simulation::Book book_;
    bool hasExecutor_ = false;
    std::shared_ptr<HashedWheelTimer> timer_;
    std::weak_ptr<HashedWheelTimer> known_;
    std::array<std::shared_ptr<Task>, kTasks> tasks_;
    /// Those of the first tasks, which main() has added.
    std::vector<std::shared_ptr<Timeout>> shared_;
};

/// A task of one timeout.
class World::Task : public jtimer::netty::TimerTask {
  public:
    explicit Task(World& world) : world_(world) {}
    ~Task() override {
        simulation::userCode("a destructor");
        check(written_ == 1, "destroyed twice");
        written_ = 2;
    }

    void run(const std::shared_ptr<Timeout>& timeout) override {
        const simulation::Running running(account, world_.book_, *world_.clock_);
        check(written_ == 1 && timeout->isExpired() && !timeout->isCancelled(), "in a run");
        act(*timeout);
    }
    void cancelled(const std::shared_ptr<Timeout>& timeout) override {
        simulation::userCode("cancelled()");
        account.cancel();
        check(written_ == 1 && timeout->isCancelled() && !timeout->isExpired(), "cancelled");
        act(*timeout);
    }

    simulation::Account account;
    /// What calls have said of it.
    simulation::Account told;

  private:
    void act(Timeout& timeout) {
        if (!world_.book_.has(world_.book_.isDraining) && oneIn(2)) world_.actInTask(timeout);
    }

    World& world_;
    int written_ = 1;
};

HashedWheelTimerOptions World::options() {
    HashedWheelTimerOptions drawn;
    drawn.clock = clock_;
    drawn.name = "x";
    drawn.tickDuration = kTick;
    drawn.ticksPerWheel = 4;
    if (oneIn(4)) drawn.maxPending = 3;
    drawn.uncaughtExceptionHandler = [this](const std::string&, const std::exception_ptr&) {
        simulation::userCode("a handler");
        book_.count(book_.reported);
    };
    hasExecutor_ = oneIn(3);
    if (hasExecutor_)
        drawn.executor = [](const std::function<void()>& run) {
            simulation::userCode("an executor");
            run();
        };
    return drawn;
}

/// Adds the next task.
void World::add(HashedWheelTimer& timer, bool isInTask) {
    for (const auto& task : tasks_) {
        if (!task->account.claim()) continue;
        const int delay = static_cast<int>(any(6)) * kTick;
        const simulation::Nanos nanos = delay * simulation::kMillis;
        const SetClock::Held held(*clock_);
        // Where the clock has been set back, the next tick is that much further away.
        task->account.offer(*clock_, clock_->nanos() + nanos,
                            (isInTask ? 2 : 1) * kTick * simulation::kMillis + clock_->setBack());
        std::shared_ptr<Timeout> timeout;
        if (!attempt([&] { timeout = timer.newTimeout(task, delay); }))
            return task->account.refuse();
        task->account.accept(timeOf(*clock_) + nanos);
        if (oneIn(3)) cancel(*timeout, oneIn(3));
        return;
    }
}

void World::cancel(Timeout& timeout, bool waits) {
    const auto task = std::static_pointer_cast<Task>(timeout.task());
    if (waits ? timeout.cancelAndWait() : timeout.cancel()) task->told.cancel();
}

void World::stop(HashedWheelTimer& timer) {
    attempt([&] {
        for (const auto& each : timer.stop()) {
            const auto task = std::static_pointer_cast<Task>(each->task());
            task->told.leave();
            check(task->account.isOver(), "stopped without a call of cancelled()");
        }
    });
}

void World::actInTask(Timeout& self) {
    const auto timer = known_.lock();
    switch (any(8)) {
    case 0:
        book_.count(book_.thrown);
        throw simulation::Oops();
    case 1:
        book_.set(book_.isUnpunctual);
        return void(attempt([&] { clock_->advance(kTick); }));
    case 2:
        return check(!self.cancel(), "cancelled in its run");
    case 3:
        if (timer != nullptr && oneIn(2)) return fork(*timer);
        if (timer != nullptr && attempt([&] { timer->stop(); })) explore::fail("stopped");
        return;
    case 4:
        return cancel(*shared_[any(static_cast<unsigned>(shared_.size()))], oneIn(2));
    default:
        if (timer != nullptr) add(*timer, true);
    }
}

void World::playThread(std::shared_ptr<HashedWheelTimer> timer) {
    for (unsigned i = 1 + any(4); i != 0; --i) {
        const auto& timeout = shared_[any(static_cast<unsigned>(shared_.size()))];
        switch (any(12)) {
        case 0:
        case 1:
        case 2:
            attempt([&] { clock_->advance(kTick); });
            break;
        case 3:
        case 4:
            cancel(*timeout, false);
            break;
        case 5:
            cancel(*timeout, true);
            std::static_pointer_cast<Task>(timeout->task())->account.checkOver();
            break;
        case 6:
            stop(*timer);
            break;
        case 7:
            check(timer->pendingTimeouts() >= 0, "pending");
            if (oneIn(2)) fork(*timer);
            break;
        default:
            add(*timer, false);
        }
    }
    timer.reset();
    if (oneIn(3)) attempt([&] { clock_->advance(kTick); });
}

void World::fork(HashedWheelTimer& timer) {
    simulation::fork(book_, [&] {
        for (const auto& each : shared_) cancel(*each, oneIn(2));
        check(timer.stop().empty(), "stopped");
        check(!attempt([&] { timer.newTimeout([] {}, 0); }), "accepted");
        check(timer.pendingTimeouts() >= 0, "pending");
        timer.~HashedWheelTimer();
        shared_.clear();
        simulation::useOwn([](const auto& clock, auto&& run) {
            HashedWheelTimerOptions options;
            options.clock = clock;
            options.tickDuration = kTick;
            HashedWheelTimer own(options);
            own.newTimeout(run, 0);
            check(own.newTimeout(run, 0)->cancel(), "not cancelled");
            clock->advance(kTick);
            check(own.stop().empty(), "left");
        });
    });
}

void World::drain() {
    simulation::endFaults();
    book_.set(book_.isDraining);
    clock_->advanceToEnd(20 * kTick);
    if (timer_ != nullptr) {
        check(timer_->pendingTimeouts() == 0, "pending in the end");
        timer_.reset();
    }
    explore::joinAll();
    unsigned lost = 0;
    for (const auto& each : tasks_) {
        each->account.settle(!hasExecutor_);
        if (each->account.isLost()) ++lost;
        if (each->told.isOver()) check(each->account.runs() == 0, "not as it said");
    }
    // Without memory to hand it to the executor, a run is lost, which is reported.
    check(book_.reported == book_.thrown + lost, "not reported");
    shared_.clear();
    tasks_ = {};
}

void World::play() {
    simulation::drawPace();
    for (auto& each : tasks_) each = std::make_shared<Task>(*this);
    timer_ = std::make_shared<HashedWheelTimer>(options());
    known_ = timer_;
    for (int i = 0; i < 2; ++i) {
        const auto& task = tasks_[static_cast<unsigned>(i)];
        task->account.claim();
        task->account.offer(*clock_, i * kTick * simulation::kMillis, kTick * simulation::kMillis);
        shared_.push_back(timer_->newTimeout(task, i * kTick));
        task->account.accept(0);
    }
    auto threads = simulation::drawThreads(
        timer_, [this](std::shared_ptr<HashedWheelTimer> timer) { playThread(std::move(timer)); });
    if (oneIn(3)) timer_.reset();
    simulation::together(std::move(threads));
    drain();
}

}  // namespace

BOOST_AUTO_TEST_SUITE(netty)

BOOST_AUTO_TEST_CASE(each_timeout_of_a_wheel_is_accounted_for_whatever_its_threads_do) {
    simulation::simulate("netty", [] { World().play(); });
}

BOOST_AUTO_TEST_CASE(a_seed_makes_the_same_steps_again) {
    simulation::simulateTwice([] { World().play(); });
}

BOOST_AUTO_TEST_SUITE_END()

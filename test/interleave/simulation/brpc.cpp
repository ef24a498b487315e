// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "interleave/simulation/world.hpp"

#include <jtimer/brpc/timer_thread.hpp>

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <exception>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace {

using explore::check;
using jtimer::Date;
using jtimer::brpc::TaskId;
using jtimer::brpc::TimerThread;
using jtimer::brpc::TimerThreadOptions;
using simulation::any;
using simulation::attempt;
using simulation::nanosOf;
using simulation::oneIn;
using simulation::SetClock;
using simulation::timeOf;

constexpr int kStep = 10;  // milliseconds
constexpr unsigned kTasks = 6;

class World {
  public:
    void play();

  private:
    struct Task;
    class Callable;

    TimerThreadOptions options();
    void start(TimerThread& timer);
    void playThread(std::shared_ptr<TimerThread> timer);
    void actInTask();
    void schedule(TimerThread& timer);
    void unschedule(TimerThread& timer, Task& task, bool waits);
    void fork(TimerThread& timer);
    void drain();

    const std::shared_ptr<SetClock> clock_ = std::make_shared<SetClock>();
    simulation::Book book_;
    simulation::Secret live_;   ///< callables
    simulation::Secret calls_;  ///< of schedule(), in progress
    TimerThreadOptions options_;
    std::shared_ptr<TimerThread> timer_;
    std::weak_ptr<TimerThread> known_;
    std::array<std::unique_ptr<Task>, kTasks> tasks_;
};

struct World::Task {
    simulation::Account account;
    simulation::Secret id;
    int written = 0;
};

/// What runs. Its destructor uses the timer, too.
class World::Callable {
  public:
    Callable(World& world, Task& task) : world_(&world), task_(&task) { world.live_.add(1); }
    Callable(Callable&& other) noexcept
        : world_(std::exchange(other.world_, nullptr)), task_(other.task_) {}
    Callable(const Callable&) = delete;
    Callable& operator=(const Callable&) = delete;
    ~Callable() {
        if (world_ == nullptr) return;
        simulation::userCode("a destructor");
        world_->live_.add(-1);
        if (oneIn(6)) world_->actInTask();
    }

    void operator()() {
        const simulation::Running running(task_->account, world_->book_, *world_->clock_);
        check(task_->written == 1, "not seen");
        if (!world_->book_.has(world_->book_.isDraining) && oneIn(8)) {
            world_->book_.count(world_->book_.thrown);
            throw simulation::Oops();
        }
        if (oneIn(3)) world_->actInTask();
    }

  private:
    World* world_;
    Task* task_;
};

TimerThreadOptions World::options() {
    TimerThreadOptions drawn;
    drawn.clock = clock_;
    drawn.name = "x";
    drawn.numBuckets = 1 + any(2);
    drawn.sweepMinSize = 1 + any(4);
    if (oneIn(3)) drawn.maxWakeupInterval = kStep / 2;
    drawn.uncaughtExceptionHandler = [this](const std::string&, const std::exception_ptr&) {
        simulation::userCode("a handler");
        book_.count(book_.reported);
    };
    return drawn;
}

/// Schedules the next task.
void World::schedule(TimerThread& timer) {
    for (const auto& task : tasks_) {
        if (!task->account.claim()) continue;
        const Date due = Date{} + std::chrono::milliseconds(any(4) * kStep);
        task->account.offer(*clock_, nanosOf(due));
        task->written = 1;
        calls_.add(1);
        const TaskId id = timer.schedule(Callable(*this, *task), due);
        calls_.add(-1);
        if (id == jtimer::brpc::kInvalidTaskId) return task->account.refuse();
        task->id.set(static_cast<std::int64_t>(id));
        // Another thread may have added an earlier task to the same list, and not announced it yet.
        task->account.accept(calls_.get() == 0 ? timeOf(*clock_) : simulation::kNever);
        return;
    }
}

void World::unschedule(TimerThread& timer, Task& task, bool waits) {
    const auto id = static_cast<TaskId>(task.id.get());
    const int result = waits ? timer.unscheduleAndWait(id) : timer.unschedule(id);
    if (result == jtimer::brpc::kRemoved) task.account.cancel();
}

void World::actInTask() {
    if (book_.has(book_.isDraining)) return;
    const auto timer = known_.lock();
    if (timer == nullptr) return;
    switch (any(8)) {
    case 0:
        book_.set(book_.isUnpunctual);
        return void(attempt([&] { clock_->advance(kStep); }));
    case 1:
        return oneIn(2) ? timer->stopAndJoin() : fork(*timer);
    case 2:
    case 3:
        return unschedule(*timer, *tasks_[any(kTasks)], true);
    case 4:
        return static_cast<void>(timer->stats());
    default:
        return schedule(*timer);
    }
}

void World::playThread(std::shared_ptr<TimerThread> timer) {
    for (unsigned i = 1 + any(5); i != 0; --i) {
        Task& task = *tasks_[any(kTasks)];
        switch (any(20)) {
        case 0:
        case 1:
        case 2:
            attempt([&] { clock_->advance(kStep); });
            break;
        case 3:
        case 4:
        case 5:
            unschedule(*timer, task, false);
            break;
        case 6:
            if (task.id.get() == 0) break;
            unschedule(*timer, task, true);
            task.account.checkOver();
            break;
        case 7:
            timer->stopAndJoin();
            break;
        case 8:
            attempt([&] { static_cast<void>(timer->stats()); });
            break;
        case 9:
            timer->start(options_);
            break;
        case 10:
            fork(*timer);
            break;
        default:
            schedule(*timer);
        }
    }
    timer.reset();
    if (oneIn(3)) attempt([&] { clock_->advance(kStep); });
}

void World::fork(TimerThread& timer) {
    simulation::fork(book_, [&] {
        for (const auto& each : tasks_) unschedule(timer, *each, oneIn(2));
        check(timer.schedule([] {}, Date{}) == jtimer::brpc::kInvalidTaskId, "accepted");
        // Otherwise a thread that is not there may be in a start(), which nothing can end.
        if (timer.clock() != nullptr) {
            check(timer.start(options_) != 0, "started");
            timer.stopAndJoin();
            timer.takePending();
            timer.~TimerThread();
        }
        simulation::useOwn([](const auto& clock, auto&& run) {
            TimerThreadOptions options;
            options.clock = clock;
            TimerThread own;
            own.start(options);
            const Date due = Date{} + std::chrono::milliseconds(kStep);
            own.schedule(run, due);
            check(own.unschedule(own.schedule(run, due)) == 0, "not unscheduled");
            clock->advance(kStep);
            own.stopAndJoin();
        });
    });
}

void World::drain() {
    simulation::endFaults();
    book_.set(book_.isDraining);
    clock_->advanceToEnd(20 * kStep);
    const bool isOurs = timer_ != nullptr;
    if (isOurs) {
        timer_->stopAndJoin();
        for (const auto& left : timer_->takePending()) {
            const auto found = std::find_if(tasks_.begin(), tasks_.end(), [&](const auto& each) {
                return static_cast<TaskId>(each->id.get()) == left.id;
            });
            check(found != tasks_.end(), "an unknown task is left");
            (*found)->account.leave();
        }
        timer_.reset();
    }
    explore::joinAll();
    for (const auto& each : tasks_) each->account.settle(isOurs);
    check(live_.get() == 0, "a callable is left over");
    check(book_.reported == book_.thrown, "not reported");
}

void World::play() {
    simulation::drawPace();
    for (auto& each : tasks_) each = std::make_unique<Task>();
    options_ = options();
    timer_ = std::make_shared<TimerThread>();
    known_ = timer_;
    if (!oneIn(3)) timer_->start(options_);
    auto threads = simulation::drawThreads(
        timer_, [this](std::shared_ptr<TimerThread> timer) { playThread(std::move(timer)); });
    if (oneIn(3)) timer_.reset();
    simulation::together(std::move(threads));
    drain();
}

}  // namespace

BOOST_AUTO_TEST_SUITE(brpc)

BOOST_AUTO_TEST_CASE(each_task_of_a_timer_thread_is_accounted_for_whatever_its_threads_do) {
    simulation::simulate("brpc", [] { World().play(); });
}

BOOST_AUTO_TEST_CASE(a_seed_makes_the_same_steps_again) {
    simulation::simulateTwice([] { World().play(); });
}

BOOST_AUTO_TEST_SUITE_END()

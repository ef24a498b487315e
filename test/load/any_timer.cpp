// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "load/any_timer.hpp"

#include <jtimer/brpc.hpp>
#include <jtimer/go.hpp>
#include <jtimer/netty.hpp>
#include <jtimer/timer.hpp>
#include <jtimer/tokio.hpp>

#include <functional>
#include <unordered_map>

namespace load {

namespace {

jtimer::TimeSpan in(const Task& task) { return std::chrono::nanoseconds(task.due - now()); }

template <class Handle>
class Handles : public AnyTimer {
  protected:
    std::unordered_map<std::size_t, Handle> handles_;
};

class Jdk final : public Handles<std::shared_ptr<jtimer::TimerTask>> {
    void add(const std::shared_ptr<Task>& task) override {
        handles_[task->number] = timer_.schedule([this, task] { ran(*task); }, dateOf(task->due));
    }
    bool cancel(std::size_t task) override { return handles_[task]->cancel(); }
    void stop() override { timer_.cancel(); }

    static jtimer::TimerOptions options() {
        jtimer::TimerOptions options;
        options.clock = clock();
        options.daemon = true;
        options.removeOnCancel = true;
        return options;
    }
    jtimer::Timer timer_{options()};
};

class Netty final : public Handles<std::shared_ptr<jtimer::netty::Timeout>> {
  public:
    Netty() { allowance_ = 10'000'000; }

  private:
    void add(const std::shared_ptr<Task>& task) override {
        handles_[task->number] = timer_.newTimeout([this, task] { ran(*task); }, in(*task));
    }
    bool cancel(std::size_t task) override { return handles_[task]->cancel(); }
    void stop() override { timer_.stop(); }

    static jtimer::netty::HashedWheelTimerOptions options() {
        jtimer::netty::HashedWheelTimerOptions options;
        options.clock = clock();
        options.tickDuration = 10;
        options.ticksPerWheel = 16384;
        return options;
    }
    jtimer::netty::HashedWheelTimer timer_{options()};
};

class Brpc final : public Handles<jtimer::brpc::TaskId> {
  public:
    Brpc() {
        jtimer::brpc::TimerThreadOptions options;
        options.clock = clock();
        timer_.start(options);
    }

  private:
    void add(const std::shared_ptr<Task>& task) override {
        handles_[task->number] = timer_.schedule([this, task] { ran(*task); }, dateOf(task->due));
    }
    bool cancel(std::size_t task) override {
        return timer_.unschedule(handles_[task]) == jtimer::brpc::kRemoved;
    }
    void stop() override { timer_.stopAndJoin(); }

    jtimer::brpc::TimerThread timer_;
};

class Go final : public Handles<jtimer::go::Timer> {
    void add(const std::shared_ptr<Task>& task) override {
        handles_[task->number] = timers_->afterFunc(in(*task), [this, task] { ran(*task); });
    }
    bool cancel(std::size_t task) override { return handles_[task].stop(); }
    bool move(Task& task, Nanos due) override {
        task.setDue(due);
        const bool moved = handles_[task.number].reset(in(task));
        // If not, it has run, and would run again.
        moved ? task.setDue(due) : static_cast<void>(handles_[task.number].stop());
        return moved;
    }
    void stop() override { timers_.reset(); }

    static jtimer::go::TimersOptions options() {
        jtimer::go::TimersOptions options;
        options.clock = clock();
        options.executor = [](const std::function<void()>& function) { function(); };
        return options;
    }
    std::unique_ptr<jtimer::go::Timers> timers_ = std::make_unique<jtimer::go::Timers>(options());
};

/// A Sleep that has fired says so before its waker has been called: then it is left to that.
class Tokio final : public Handles<jtimer::tokio::Sleep> {
  public:
    Tokio() {
        allowance_ = 1'000'000;
        cancelsExactly_ = false;
    }

  private:
    void add(const std::shared_ptr<Task>& task) override {
        const auto placed =
            handles_.insert_or_assign(task->number, driver_->sleepUntil(dateOf(task->due)));
        if (placed.first->second.poll([this, task] { ran(*task); })) ran(*task);
    }
    bool cancel(std::size_t task) override {
        const auto found = handles_.find(task);
        if (found->second.isElapsed()) return false;
        handles_.erase(found);
        return true;
    }
    bool move(Task& task, Nanos due) override {
        jtimer::tokio::Sleep& sleep = handles_.at(task.number);
        if (sleep.isElapsed()) return false;
        task.setDue(due);
        sleep.reset(dateOf(due));
        return true;
    }
    void stop() override {
        handles_.clear();
        driver_.reset();
    }

    static jtimer::tokio::TimeDriverOptions options() {
        jtimer::tokio::TimeDriverOptions options;
        options.clock = clock();
        return options;
    }
    std::unique_ptr<jtimer::tokio::TimeDriver> driver_ =
        std::make_unique<jtimer::tokio::TimeDriver>(options());
};

}  // namespace

std::unique_ptr<AnyTimer> makeTimer(const std::string& name) {
    if (name == "jdk") return std::make_unique<Jdk>();
    if (name == "netty") return std::make_unique<Netty>();
    if (name == "brpc") return std::make_unique<Brpc>();
    if (name == "go") return std::make_unique<Go>();
    if (name == "tokio") return std::make_unique<Tokio>();
    return nullptr;
}

}  // namespace load

// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
//
// A scheduler with start() and stop(), and a map from each job to its task, ported line by line
// from JobScheduler.java. What differs:
//
// - The timer is the last field: it is destroyed first, while a running job can still use the map.
// - `timer = null` under the lock would wait for a running job, which may want the lock for
//   unschedule(). The pointer moves into a local variable that is declared before the guard.
// - A Runnable is a class held by std::shared_ptr. Two such pointers are equal if they point to the
//   same object, as two Runnables are in Java. A std::function cannot be compared.
// - The map holds std::shared_ptr<TimerTask>, not ScopedTask: to erase a ScopedTask waits for a
//   run, and that run may want the lock.

#include <jtimer/timer.hpp>

#include <exception>
#include <future>
#include <iostream>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <unordered_map>
#include <utility>

using jtimer::Timer;
using jtimer::TimerTask;

class Runnable {
  public:
    virtual ~Runnable() = default;
    virtual void run() = 0;
};

class JobScheduler {
    std::mutex monitor;
    std::unordered_map<std::shared_ptr<Runnable>, std::shared_ptr<TimerTask>> tasks;
    std::unique_ptr<Timer> timer;

  public:
    void start() {
        const std::lock_guard lock(monitor);
        if (timer != nullptr) return;
        timer = std::make_unique<Timer>("jobs", true);
        std::cout << "started\n";
    }

    void stop() {
        std::unique_ptr<Timer> dropped;  // destroyed after the lock is released
        const std::lock_guard lock(monitor);
        if (timer == nullptr) return;
        timer->cancel();
        dropped = std::move(timer);
        std::cout << "stopped, jobs left: " << tasks.size() << '\n';
        tasks.clear();
    }

    void schedule(const std::shared_ptr<Runnable>& job, long period) {
        const std::lock_guard lock(monitor);
        if (timer == nullptr) throw jtimer::IllegalStateException("not started");
        const auto run = [job] {
            try {
                job->run();
            } catch (const std::exception& e) {
                std::cout << "failed: " << e.what() << '\n';
            }
        };
        auto task = timer->schedule(run, 0, period);
        const auto former = std::exchange(tasks[job], std::move(task));
        if (former != nullptr) former->cancel();
    }

    bool unschedule(const std::shared_ptr<Runnable>& job) {
        const std::lock_guard lock(monitor);
        const auto found = tasks.find(job);
        if (found == tasks.end()) return false;
        const auto task = std::move(found->second);
        tasks.erase(found);
        return task->cancel();
    }
};

class Countdown : public Runnable, public std::enable_shared_from_this<Countdown> {
    JobScheduler& scheduler;
    std::promise<void>& done;
    int left = 3;

  public:
    Countdown(JobScheduler& in, std::promise<void>& atEnd) : scheduler(in), done(atEnd) {}

    void run() override {
        std::cout << "countdown: " << left << '\n';
        if (--left > 0) return;
        const bool unscheduled = scheduler.unschedule(shared_from_this());
        std::cout << "unscheduled: " << (unscheduled ? "true" : "false") << '\n';
        done.set_value();
    }
};

class Backup : public Runnable {
    std::promise<void>& done;
    int runs = 0;

  public:
    explicit Backup(std::promise<void>& atEnd) : done(atEnd) {}

    void run() override {
        ++runs;
        if (runs == 1) throw std::runtime_error("the disk is full");
        if (runs > 2) return;
        std::cout << "backed up\n";
        done.set_value();
    }
};

class Never : public Runnable {
    void run() override { std::cout << "never printed\n"; }
};

int main() {
    std::promise<void> done, backedUp;  // the jobs use them, so they outlive the scheduler
    JobScheduler scheduler;
    const auto never = std::make_shared<Never>();
    try {
        scheduler.schedule(never, 20);
    } catch (const jtimer::IllegalStateException& e) {
        std::cout << e.what() << '\n';
    }

    scheduler.start();
    scheduler.schedule(std::make_shared<Countdown>(scheduler, done), 20);
    done.get_future().wait();
    std::cout << "unscheduled: " << (scheduler.unschedule(never) ? "true" : "false") << '\n';
    scheduler.stop();

    scheduler.start();
    scheduler.schedule(std::make_shared<Backup>(backedUp), 20);
    backedUp.get_future().wait();
    scheduler.stop();
}

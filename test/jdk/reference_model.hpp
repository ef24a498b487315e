// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "support/choices.hpp"
#include "support/manual_timer.hpp"
#include "support/reference_timer.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

// Programs of steps, which a Timer and the reference must run to the letter.

namespace test {

/// What a task does in each of its runs, beside writing down that it ran.
struct Behaviour {
    int stall = 0;        // moves the time
    int runsToLive = -1;  // cancels itself in that run
    int cancels = -1;     // that task, if it exists already
    bool purges = false;
    int schedulesIn = -1;  // one more task, that many milliseconds from now
};

inline Behaviour behaviourOf(Choices& choices, int tasks) {
    Behaviour b;
    if (choices.oneIn(4)) b.stall = choices.below(30);
    // At a fixed rate, a task that always takes longer than its period would keep the time from
    // standing.
    if (b.stall > 0 || choices.oneIn(3)) b.runsToLive = 1 + choices.below(5);
    if (choices.oneIn(6)) b.cancels = choices.below(tasks + 1);
    b.purges = choices.oneIn(12);
    if (choices.oneIn(8)) b.schedulesIn = choices.below(20);
    return b;
}

/// The timer under test and the reference with the same face, so that one script drives either.
/// Each keeps a protocol of everything that can be seen.
class Protocol {
  public:
    std::string text;

    virtual ~Protocol() = default;
    virtual void schedule(const Behaviour& behaviour, std::int64_t time, std::int64_t period) = 0;
    virtual bool cancel(int task) = 0;
    virtual int purge() = 0;
    virtual std::int64_t now() = 0;
    virtual std::int64_t scheduled(int task) = 0;
    virtual void stall(int millis) = 0;
    virtual void advance(int millis) = 0;
    virtual int size() const = 0;

    void ran(int task, const Behaviour& b, int runs) {
        write("run", task, now());
        write("scheduled", task, scheduled(task));
        if (b.stall > 0) stall(b.stall);
        if (b.cancels >= 0 && b.cancels < size()) write("cancel", b.cancels, cancel(b.cancels));
        if (b.runsToLive == runs) write("self", task, cancel(task));
        if (b.purges) write("purge", task, purge());
        if (b.schedulesIn >= 0 && size() < 400) schedule({}, now() + b.schedulesIn, 0);
    }
    void write(const char* what, int task, std::int64_t value) {
        text += std::string(what) + ' ' + std::to_string(task) + ' ' + std::to_string(value) + '\n';
    }
};

class TestedProtocol final : public Protocol {
  public:
    void schedule(const Behaviour& behaviour, std::int64_t time, std::int64_t period) override {
        const int number = size();
        auto body = [this, number, behaviour, runs = 0]() mutable {
            ran(number, behaviour, ++runs);
        };
        const auto task = makeTask(body);
        tasks_.push_back(task);
        const jtimer::Date first = at(time);
        if (period == 0) manual_.timer.schedule(task, first);
        if (period < 0) manual_.timer.schedule(task, first, -period);
        if (period > 0) manual_.timer.scheduleAtFixedRate(task, first, period);
    }
    bool cancel(int task) override { return tasks_[static_cast<std::size_t>(task)]->cancel(); }
    int purge() override { return manual_.timer.purge(); }
    std::int64_t now() override { return manual_.now(); }
    std::int64_t scheduled(int task) override {
        return manual_.scheduled(*tasks_[static_cast<std::size_t>(task)]);
    }
    void stall(int millis) override { manual_.clock->advance(millis); }
    void advance(int millis) override { manual_.clock->advance(millis); }
    void settle() { manual_.clock->waitUntilIdle(); }
    jtimer::TimerStats stats() const { return manual_.timer.stats(); }
    void end() { manual_.timer.cancel(); }
    int size() const override { return static_cast<int>(tasks_.size()); }

  private:
    std::vector<std::shared_ptr<jtimer::TimerTask>> tasks_;
    ManualTimer manual_;
};

class ReferenceProtocol final : public Protocol {
  public:
    void schedule(const Behaviour& behaviour, std::int64_t time, std::int64_t period) override {
        const int number = size();
        timer_.tasks.emplace_back();
        timer_.tasks.back().run = [this, number, behaviour, runs = 0]() mutable {
            ran(number, behaviour, ++runs);
        };
        timer_.schedule(number, time, period);
    }
    bool cancel(int task) override { return timer_.cancel(task); }
    int purge() override { return timer_.purge(); }
    std::int64_t now() override { return timer_.now; }
    std::int64_t scheduled(int task) override { return timer_.scheduledExecutionTime(task); }
    void stall(int millis) override { timer_.now += millis; }
    void advance(int millis) override { timer_.advanceTo(timer_.now + millis); }
    int size() const override { return static_cast<int>(timer_.tasks.size()); }

  private:
    ReferenceTimer timer_;
};

/// One step of a program.
inline void step(Protocol& p, Choices& choices) {
    const int kind = choices.below(100);
    if (kind < 55 && p.size() < 300) {
        const Behaviour behaviour = behaviourOf(choices, p.size());
        const std::int64_t time =
            p.now() - 20 + 5 * choices.below(20);  // many ties, some of them overdue
        const int sign = choices.oneIn(2) ? 1 : -1;
        const std::int64_t period = choices.oneIn(3) ? sign * 10 * (1 + choices.below(6)) : 0;
        p.schedule(behaviour, time, period);
    } else if (kind < 75 && p.size() > 0) {
        const int task = choices.below(p.size());
        p.write("scheduled", task, p.scheduled(task));
        p.write("cancel", task, p.cancel(task));
    } else if (kind < 82) {
        p.write("purge", -1, p.purge());
    } else {
        p.advance(choices.below(25));
    }
}

}  // namespace test

// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include <jtimer/clock.hpp>
#include <jtimer/stats.hpp>
#include <jtimer/time.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace load {

using Nanos = std::int64_t;

/// The clock of all timers.
inline const std::shared_ptr<jtimer::Clock>& clock() {
    static const std::shared_ptr<jtimer::Clock> clock = std::make_shared<jtimer::SteadyClock>();
    return clock;
}
inline Nanos now() { return clock()->nanos(); }
inline jtimer::Date dateOf(Nanos nanos) { return jtimer::detail::toDate<jtimer::Date>(nanos); }

/// One start of one of the tasks.
struct Task {
    enum State { Waiting, Ran, Cancelled };

    Task(std::size_t task, Nanos when) : number(task), due(when), former(when) {}

    /// For a move, during which it may run for its former time or for the new one.
    void setDue(Nanos when) {
        former = due.load();
        due = when;
    }

    const std::size_t number;
    std::atomic<Nanos> due, former;
    std::atomic<State> state{Waiting};
};

struct Late {
    Nanos due, ran;
};

/// What has run.
struct Fired {
    jtimer::LatenessHistogram lateness;
    std::uint64_t wrong = 0;
};

/// A timer on a SteadyClock. One thread makes the calls, and the timer's own calls ran().
class AnyTimer {
  public:
    AnyTimer() = default;
    AnyTimer(const AnyTimer&) = delete;
    AnyTimer& operator=(const AnyTimer&) = delete;
    virtual ~AnyTimer() = default;

    /// Has ran() called at `task->due`.
    virtual void add(const std::shared_ptr<Task>& task) = 0;
    /// \returns false if it runs or has run
    virtual bool cancel(std::size_t task) = 0;
    /// Gives it a time that is some seconds away. \returns false if it has run, or this timer cannot
    virtual bool move(Task&, Nanos) { return false; }
    virtual void stop() = 0;

    /// The tasks that have run since the last call.
    void takeFired(std::vector<std::size_t>& tasks) {
        const std::lock_guard<std::mutex> lock(mutex_);
        tasks.swap(again_);
    }
    /// Those of them that have run late since the last call.
    std::vector<Late> takeLate() {
        const std::lock_guard<std::mutex> lock(mutex_);
        return std::exchange(late_, {});
    }
    const Fired& fired() const { return fired_; }

  protected:
    void ran(Task& task) {
        const Nanos time = now();
        const Nanos due = time < task.due ? task.former : task.due;
        const Task::State before = task.state.exchange(Task::Ran);
        if (before == Task::Cancelled && !cancelsExactly_) return;
        const std::lock_guard<std::mutex> lock(mutex_);
        if (time < due || before != Task::Waiting) ++fired_.wrong;
        fired_.lateness.add(std::chrono::nanoseconds(std::max<Nanos>(0, time - due)));
        if (time - due > allowance_ + 10'000'000) late_.push_back({due, time});
        again_.push_back(task.number);
    }
    /// How late a run may be by design.
    Nanos allowance_ = 0;
    /// Whether a task that cancel() has cancelled cannot be on its way any more.
    bool cancelsExactly_ = true;

  private:
    std::mutex mutex_;
    std::vector<std::size_t> again_;
    std::vector<Late> late_;
    Fired fired_;
};

/// \returns null if there is none of that name
std::unique_ptr<AnyTimer> makeTimer(const std::string& name);

}  // namespace load

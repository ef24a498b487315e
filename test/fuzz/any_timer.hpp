// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "fuzz/target.hpp"
#include "support/manual_timer.hpp"

#include <jtimer/stats.hpp>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <utility>

namespace fuzz {

/// A timer on a manual clock, and a book of its tasks, by number: each begins exactly when the book
/// says, and is accounted for exactly once.
class AnyTimer {
  public:
    AnyTimer() = default;
    AnyTimer(const AnyTimer&) = delete;
    AnyTimer& operator=(const AnyTimer&) = delete;
    virtual ~AnyTimer() = default;

    void play(Choices choices) {
        while (!choices.ended()) {
            const auto moves = step(choices);
            if (moves > 0) clock_->advance(std::chrono::nanoseconds(moves));
            clock_->waitUntilIdle();
            compare();
        }
        const Lock lock(mutex_);
        for (int task = 1; task <= last_; task += 2) cancelBoth(task);
    }

    /// Lets everything run that is left. The timer must then have nothing.
    void end() {
        clock_->advance(std::chrono::hours(24));
        compare();
        MODEL_REQUIRE(due_.empty());
        MODEL_REQUIRE(stats().pending == 0);
        MODEL_REQUIRE(stats().cancelled == cancelled_);
    }

  protected:
    using Nanos = std::int64_t;
    /// The least time between two Dates: a microsecond with libc++.
    static constexpr Nanos kLeast = std::chrono::nanoseconds(jtimer::Date::duration(1)).count();

    const std::shared_ptr<jtimer::ManualClock> clock_ =
        std::make_shared<jtimer::ManualClock>(test::kStart);

    Nanos now() const { return clock_->nanos(); }
    static jtimer::Date date(Nanos nanos) { return jtimer::detail::toDate<jtimer::Date>(nanos); }

    /// What the timer must do, and call began() for the task when it does. The lock is held.
    virtual void add(int task, Nanos span) = 0;
    virtual bool cancel(int task) = 0;
    /// Only if a timer can be given another time.
    virtual bool move(int task, Nanos span) = 0;
    virtual Nanos dueIn(Nanos span) const { return now() + span; }
    virtual jtimer::CommonStats stats() const = 0;
    virtual bool countsCancelledAtOnce() const { return true; }
    virtual bool moves() const { return true; }

    /// By the timer's thread, or by a call that finds the task due.
    void began(int task) {
        const Lock lock(mutex_);
        const auto due = due_.find(task);
        MODEL_REQUIRE(due != due_.end());
        MODEL_REQUIRE(due->second == now());
        due_.erase(due);
        ++executed_;
        act(std::exchange(actions_[task], {}));  // once, or two could move each other for ever
    }

  private:
    using Lock = std::unique_lock<std::mutex>;

    /// What a task does to another one.
    struct Action {
        int kind = 0;
        int task = 0;
        Nanos span = 0;
    };

    /// A time span of any magnitude up to some hours, often a round one.
    static Nanos spanOf(Choices& choices) {
        const auto any = static_cast<Nanos>(choices.bits(1 + choices.below(43)));
        const Nanos unit = choices.oneIn(2) ? kLeast : 1'000'000;
        return any / unit * unit;
    }

    /// \returns how far the time then moves
    Nanos step(Choices& choices) {
        const Lock lock(mutex_);
        const int kind = choices.below(16);
        const Nanos span = spanOf(choices);
        const int task = 1 + choices.below(std::max(last_, 1));
        if (kind < 7 || last_ == 0) {
            addBoth(span, {choices.below(8), task, spanOf(choices)});
        } else if (kind < 10) {
            cancelBoth(task);
        } else if (kind < 12) {
            moveBoth(task, span);
        } else {
            return span;
        }
        return 0;
    }

    void act(const Action& action) {
        if (action.kind == 1) addBoth(action.span, {});
        if (action.kind == 2) cancelBoth(action.task);
        if (action.kind == 3) moveBoth(action.task, action.span);
    }

    void addBoth(Nanos span, const Action& action) {
        const int task = ++last_;
        due_[task] = dueIn(span);
        actions_[task] = action;
        add(task, span);
    }
    void cancelBoth(int task) {
        const bool pending = due_.erase(task) == 1;
        MODEL_REQUIRE(cancel(task) == pending);
        if (pending) ++cancelled_;
    }
    void moveBoth(int task, Nanos span) {
        if (!moves()) return;
        const bool pending = due_.count(task) == 1;
        due_[task] = dueIn(span + kLeast);
        MODEL_REQUIRE(move(task, span + kLeast) == pending);
    }

    void compare() const {
        for (const auto& [task, due] : due_) MODEL_REQUIRE(due > now());
        const jtimer::CommonStats stats = this->stats();
        MODEL_REQUIRE(stats.executed == executed_);
        MODEL_REQUIRE(stats.lateness.count() == executed_);
        MODEL_REQUIRE(stats.lateness.max().count() == 0);
        MODEL_REQUIRE(stats.failed == 0);
        if (!countsCancelledAtOnce()) return;
        MODEL_REQUIRE(stats.cancelled == cancelled_);
        MODEL_REQUIRE(stats.pending == due_.size());
    }

    /// Held for a whole step, and for a whole run, which may begin during the step that adds it.
    std::mutex mutex_;
    std::map<int, Nanos> due_;
    std::map<int, Action> actions_;
    int last_ = 0;
    std::uint64_t executed_ = 0;
    std::uint64_t cancelled_ = 0;
};

template <class R>
void playTimer(Choices choices) {
    R timer;
    timer.play(choices);
    timer.end();
}

}  // namespace fuzz

// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "support/manual_timer.hpp"

#include <boost/mpl/list.hpp>
#include <boost/test/unit_test.hpp>
#include <boost/thread/mutex.hpp>
#include <boost/thread/thread.hpp>

#include <atomic>
#include <memory>
#include <random>
#include <vector>

using namespace std::chrono_literals;
using jtimer::IllegalStateException;
using jtimer::Timer;
using jtimer::TimerTask;

// Several threads and the tasks themselves do to several timers, in random order, all that can be
// done to them. In the end what was counted must add up, and the sanitizers must have nothing to
// say.

namespace {

class Random {
  public:
    explicit Random(unsigned seed) : random_(seed) {}
    int below(int n) { return static_cast<int>(random_() % static_cast<unsigned>(n)); }
    bool oneIn(int n) { return below(n) == 0; }
    std::chrono::microseconds micros(int n) { return std::chrono::microseconds(below(n)); }

  private:
    std::mt19937 random_;
};

class StressTask;

/// The timers, and the tally of all tasks.
class Stress {
  public:
    using Handles = std::vector<std::shared_ptr<StressTask>>;

    std::atomic<int> alive{0}, runs{0}, prevented{0}, purged{0}, refused{0}, wrong{0};

    /// \param timersAreCancelled now and then; what is queued there is lost
    Stress(std::shared_ptr<jtimer::Clock> clock, bool timersAreCancelled)
        : clock_(std::move(clock)), manual_(dynamic_cast<jtimer::ManualClock*>(clock_.get())),
          timersAreCancelled_(timersAreCancelled) {
        for (int i = 0; i < kTimers; ++i) addTimer();
    }

    bool timersAreCancelled() const { return timersAreCancelled_; }

    /// One thing that anybody may do, a task or the destructor of a task too.
    void act(Random& random, Handles& handles);
    void work(unsigned seed);
    void moveTime(unsigned seed, const std::atomic<bool>& stop);
    void finish();

    /// What tasks do to the timers happens inside of one of these, and nothing after finish() has
    /// begun.
    class Visit {
      public:
        explicit Visit(Stress& stress) : stress_(stress) { ++stress_.visits_; }
        ~Visit() { --stress_.visits_; }
        explicit operator bool() const { return !stress_.closed_; }

      private:
        Stress& stress_;
    };

  private:
    static constexpr int kTimers = 3;

    void addTimer() {
        auto timer = std::make_unique<Timer>(test::onClock(clock_, false));
        const boost::unique_lock<boost::mutex> lock(mutex_);
        timers_.push_back(std::move(timer));
    }
    /// One of the youngest three, which have not been cancelled, or only just.
    Timer& anyTimer(Random& random) {
        const boost::unique_lock<boost::mutex> lock(mutex_);
        return *timers_[timers_.size() - 1 - static_cast<std::size_t>(random.below(kTimers))];
    }
    std::shared_ptr<StressTask> schedule(Random& random, Timer& timer);
    void useTimerOfItsOwn(Random& random);

    const std::shared_ptr<jtimer::Clock> clock_;
    jtimer::ManualClock* const manual_;
    const bool timersAreCancelled_;
    boost::mutex mutex_;
    std::vector<std::unique_ptr<Timer>> timers_;  // guarded by mutex_; none goes before finish()
    std::atomic<bool> closed_{false};
    std::atomic<int> visits_{0};
};

/// Judges at the end of its life whether that was one which a task may have.
class StressTask : public TimerTask {
  public:
    StressTask(Stress& stress, int seed, bool repeats)
        : stress_(stress), random_(static_cast<unsigned>(seed)), repeats_(repeats),
          runsToLive_(1 + random_.below(10)) {
        ++stress_.alive;
    }

    ~StressTask() override {
        if (const Stress::Visit visit(stress_); visit && random_.oneIn(10)) {
            Stress::Handles none;
            stress_.act(random_, none);  // deadlocks if the library holds a lock
        }
        const int endings = prevented_ + (repeats_ ? 0 : runs_.load());
        if (refused_ && (runs_ != 0 || endings != 0)) ++stress_.wrong;
        if (endings > 1) ++stress_.wrong;
        if (!refused_ && !stress_.timersAreCancelled() && endings != 1) ++stress_.wrong;
        --stress_.alive;
    }

    void run() override {
        ++runs_;
        ++stress_.runs;
        if (inside_.exchange(true)) ++stress_.wrong;
        if (scheduledExecutionTime() <= 0) ++stress_.wrong;
        if (repeats_ && runs_ >= runsToLive_) cancel();
        if (const Stress::Visit visit(stress_); visit && random_.oneIn(3)) {
            Stress::Handles handles;
            for (int i = 0; i < 3; ++i) stress_.act(random_, handles);
        }
        inside_ = false;
    }

    bool cancel() override {
        const bool prevented = TimerTask::cancel();
        prevented_ += prevented;
        stress_.prevented += prevented;
        return prevented;
    }

    void refused() { refused_ = true; }

  private:
    Stress& stress_;
    Random random_;  // the timer's thread's, then the destructor's
    const bool repeats_;
    const int runsToLive_;
    bool refused_ = false;
    std::atomic<bool> inside_{false};
    std::atomic<int> runs_{0}, prevented_{0};
};

std::shared_ptr<StressTask> Stress::schedule(Random& random, Timer& timer) {
    const int kind = random.below(6);
    const auto task = std::make_shared<StressTask>(*this, random.below(1 << 30), kind < 2);
    const auto delay = random.micros(2000);
    try {
        if (kind == 0) timer.schedule(task, delay, 100us + random.micros(1000));
        if (kind == 1) timer.scheduleAtFixedRate(task, delay, 100us + random.micros(1000));
        if (kind >= 2) timer.schedule(task, kind == 2 ? 0us : delay);
    } catch (const IllegalStateException&) {
        task->refused();
        ++refused;
    }
    return task;
}

void Stress::act(Random& random, Handles& handles) {
    const int what = random.below(100);
    if (what < 45) {
        handles.push_back(schedule(random, anyTimer(random)));
    } else if (what < 80) {
        if (handles.empty()) return;
        const auto i = static_cast<std::size_t>(random.below(static_cast<int>(handles.size())));
        handles[i]->cancel();
        handles[i] = handles.back();
        handles.pop_back();
    } else if (what < 90) {
        purged += anyTimer(random).purge();
    } else if (what < 94) {
        for (const auto& task : handles) static_cast<void>(task->scheduledExecutionTime());
        if (manual_ != nullptr && random.oneIn(3)) manual_->advance(random.micros(300));
    } else if (timersAreCancelled_ && random.oneIn(40)) {
        anyTimer(random).cancel();
        addTimer();
    }
}

/// A short life: as a daemon, tasks are discarded.
void Stress::useTimerOfItsOwn(Random& random) {
    Handles handles;
    Timer timer(test::onClock(clock_, timersAreCancelled_));
    for (int i = random.below(5); i > 0; --i) handles.push_back(schedule(random, timer));
}

void Stress::work(unsigned seed) {
    Random random(seed);
    Handles handles;
    for (int i = 0; i < 4000; ++i) {
        act(random, handles);
        if (random.oneIn(100)) useTimerOfItsOwn(random);
        if (handles.size() > 100) handles.clear();
    }
}

void Stress::moveTime(unsigned seed, const std::atomic<bool>& stop) {
    Random random(seed);
    while (!stop) {
        if (random.oneIn(3)) manual_->advanceToNext();
        if (random.oneIn(3)) manual_->advance(random.micros(500));
        if (random.oneIn(10)) manual_->waitUntilIdle();
        manual_->check();
    }
}

/// Lets every task come to its end, and the timers too.
void Stress::finish() {
    closed_ = true;
    if (manual_ != nullptr) {
        while (manual_->advanceToNext()) manual_->check();
    }
    while (visits_ != 0) boost::this_thread::yield();
    timers_.clear();
}

void stress(const std::shared_ptr<jtimer::Clock>& clock, bool timersAreCancelled) {
    Stress stress(clock, timersAreCancelled);
    boost::thread_group workers, movers;
    std::atomic<bool> stop{false};
    for (unsigned seed = 1; seed <= 4; ++seed) {
        workers.create_thread([&stress, seed] { stress.work(seed); });
    }
    if (std::dynamic_pointer_cast<jtimer::ManualClock>(clock)) {
        for (unsigned seed = 5; seed <= 6; ++seed) {
            movers.create_thread([&, seed] { stress.moveTime(seed, stop); });
        }
    }
    workers.join_all();
    stop = true;
    movers.join_all();
    stress.finish();

    BOOST_TEST(stress.wrong == 0);
    BOOST_TEST(stress.alive == 0);
    BOOST_TEST(stress.runs > 1000);
    BOOST_TEST(stress.purged > 0);
    BOOST_TEST(stress.purged <= stress.prevented);
    BOOST_TEST((stress.refused > 0) == timersAreCancelled);
}

using Clocks = boost::mpl::list<jtimer::WallClock, jtimer::SteadyClock,
#if defined(__linux__)
                                jtimer::BoottimeClock,
#endif
                                jtimer::ManualClock>;

template <class ClockType>
std::shared_ptr<jtimer::Clock> make() {
    if constexpr (std::is_same_v<ClockType, jtimer::ManualClock>) {
        return std::make_shared<jtimer::ManualClock>(test::kStart);
    } else {
        return std::make_shared<ClockType>();
    }
}

}  // namespace

BOOST_AUTO_TEST_CASE_TEMPLATE(j141_every_one_shot_runs_or_is_cancelled_and_every_task_is_released,
                              ClockType, Clocks) {
    stress(make<ClockType>(), false);
}

BOOST_AUTO_TEST_CASE_TEMPLATE(j47_j141_no_one_shot_runs_and_is_cancelled_while_timers_are_cancelled,
                              ClockType, Clocks) {
    stress(make<ClockType>(), true);
}

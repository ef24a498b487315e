// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "clock/waiter.hpp"
#include "interleave/explored.hpp"
#include "sync/lock.hpp"

#include <jtimer/manual_clock.hpp>
#include <jtimer/timer.hpp>

#include <chrono>
#include <cstdint>
#include <exception>
#include <memory>
#include <string>

namespace {

using explore::check;
using explore::together;
using jtimer::Date;
using jtimer::ManualClock;
using jtimer::Timer;
using jtimer::TimerOptions;
using jtimer::detail::Lock;
using jtimer::detail::Nanos;
using jtimer::detail::WaiterOwner;

constexpr explore::Bounds kBounds{2, 1, 0, 10'000, 1'000};
constexpr explore::Bounds kWholeTimer{1, 1, 0, 4'000, 1'000};

TimerOptions on(const std::shared_ptr<ManualClock>& clock) {
    TimerOptions options;
    options.clock = clock;
    options.name = "x";
    return options;
}

struct Task : jtimer::TimerTask {
    void run() override { ++runs; }
    int runs = 0;
};

/// A manual clock that tells whose thread waits on it.
class OwnedClock final : public jtimer::Clock {
  public:
    std::int64_t nanos() const override { return manual_.nanos(); }
    const std::shared_ptr<WaiterOwner>& owner() const { return owner_; }
    /// Before the end of the timer.
    void forget() { owner_ = nullptr; }

  private:
    class Waiter final : public jtimer::detail::Waiter {
      public:
        explicit Waiter(const OwnedClock& clock)
            : clock_(clock), manual_(jtimer::detail::makeWaiter(clock.manual_)) {}
        void begin() override { manual_->begin(); }
        void setOwner(const std::weak_ptr<WaiterOwner>& owner) override {
            clock_.owner_ = owner.lock();
        }
        void waitUntil(Lock& lock, Nanos deadline, Nanos now) override {
            manual_->waitUntil(lock, deadline, now);
        }
        void announce() override { manual_->announce(); }
        void notify() override { manual_->notify(); }
        void end() override { manual_->end(); }

      private:
        const OwnedClock& clock_;
        const std::shared_ptr<jtimer::detail::Waiter> manual_;
    };

    std::shared_ptr<jtimer::detail::Waiter> makeWaiter() const override {
        return std::make_shared<Waiter>(*this);
    }

    ManualClock manual_{Date{}};
    mutable std::shared_ptr<WaiterOwner> owner_;
};

/// Writes the milliseconds of its runs, which its timer's thread makes.
struct Written : jtimer::TimerTask {
    explicit Written(const ManualClock& ofTimer) : clock(ofTimer) {}
    void run() override {
        runs += ' ' + std::to_string(clock.now().time_since_epoch() / std::chrono::milliseconds(1));
    }
    const ManualClock& clock;
    std::string runs;
};

/// Plays `body` with a task that keeps its period in its own word, and with one that has a link.
template <class Body>
void withAndWithoutLinks(const Body& body) {
    for (const bool removeOnCancel : {false, true}) {
        everyInterleaving(kWholeTimer, [&] {
            auto clock = std::make_shared<ManualClock>(Date{});
            TimerOptions options = on(clock);
            options.removeOnCancel = removeOnCancel;
            body(options, clock, std::make_shared<Written>(*clock));
        });
    }
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_cancel_and_a_schedule_of_one_task_agree) {
    everyInterleaving(kWholeTimer, [] {
        auto clock = std::make_shared<ManualClock>(Date{});
        Timer timer(on(clock));
        const auto task = std::make_shared<Task>();
        bool cancelled = false;
        together({[&] {
                      try {
                          timer.schedule(task, 10);
                      } catch (const jtimer::IllegalStateException&) {
                      }
                  },
                  [&] { cancelled = task->cancel(); }});
        clock->advance(20);
        timer.cancel();
        clock->waitUntilIdle();
        check(!cancelled || task->runs == 0, "it ran although it was cancelled");
    });
}

BOOST_AUTO_TEST_CASE(a_task_runs_or_its_cancel_answers_that_it_will_not) {
    for (const bool repeats : {false, true}) {
        everyInterleaving(kWholeTimer, [repeats] {
            auto clock = std::make_shared<ManualClock>(Date{});
            Timer timer(on(clock));
            const auto task = std::make_shared<Task>();
            repeats ? timer.schedule(task, 10, 10) : timer.schedule(task, 10);
            bool cancelled = false;
            together({[&] { clock->advance(10); }, [&] { cancelled = task->cancel(); }});
            check(repeats ? cancelled && task->runs <= 1 : cancelled == (task->runs == 0),
                  "the answer is wrong");
        });
    }
}

BOOST_AUTO_TEST_CASE(what_a_thread_wrote_before_a_cancel_is_seen_where_the_task_is_destroyed) {
    struct Written : jtimer::TimerTask {
        void run() override {}
        ~Written() override { *data += 1; }
        int* data = nullptr;
    };
    everyInterleaving(kWholeTimer, [] {
        int data = 0;
        auto clock = std::make_shared<ManualClock>(Date{});
        auto task = std::make_shared<Written>();
        task->data = &data;
        jtimer::TimerTask* const plain = task.get();
        Timer timer(on(clock));
        timer.schedule(std::move(task), 10);
        together({[&] {
                      data = 1;
                      plain->cancel();
                  },
                  [&] { timer.purge(); }});
        clock->advance(20);
        timer.shutdownNow();
        clock->waitUntilIdle();
    });
}

BOOST_AUTO_TEST_CASE(a_linked_task_is_cancelled_beside_its_runs_and_the_end_of_its_timer) {
    everyInterleaving(kWholeTimer, [] {
        auto clock = std::make_shared<ManualClock>(Date{});
        const auto task = std::make_shared<Task>();
        {
            TimerOptions options = on(clock);
            options.removeOnCancel = true;
            Timer timer(options);
            timer.scheduleAtFixedRate(task, 10, 10);
            together({[&] { clock->advance(20); }, [&] { task->cancelAndWait(); }});
            timer.cancel();
        }
        check(task->runs <= 2, "too often");
    });
}

BOOST_AUTO_TEST_CASE(a56_a_task_by_a_rule_is_cancelled_beside_its_runs_and_what_its_rule_is_asked) {
    for (const bool removeOnCancel : {false, true}) {
        everyInterleaving(kWholeTimer, [removeOnCancel] {
            auto clock = std::make_shared<ManualClock>(Date{});
            const auto task = std::make_shared<Task>();
            auto asked = std::make_unique<int>(0);
            TimerOptions options = on(clock);
            options.removeOnCancel = removeOnCancel;
            Timer timer(options);
            timer.scheduleBy(task, [&asked](Date after) {
                ++*asked;
                return after + std::chrono::milliseconds(10);
            });
            together({[&] { clock->advance(20); },
                      [&] {
                          task->cancelAndWait();
                          asked.reset();  // no rule may use it now
                      }});
            timer.cancel();
            clock->waitUntilIdle();
            check(task->runs <= 2, "too often");
        });
    }
}

BOOST_AUTO_TEST_CASE(a_cancel_beside_the_schedule_of_a_linked_task_finds_a_whole_link) {
    everyInterleaving(kWholeTimer, [] {
        auto clock = std::make_shared<ManualClock>(Date{});
        TimerOptions options = on(clock);
        options.removeOnCancel = true;
        Timer timer(options);
        const auto task = std::make_shared<Task>();
        together({[&] {
                      try {
                          timer.schedule(task, 10);
                      } catch (const jtimer::IllegalStateException&) {
                      }
                  },
                  [&] { task->cancel(); }});
        clock->advance(10);
        check(task->runs == 0, "it ran although it was cancelled");
    });
}

BOOST_AUTO_TEST_CASE(a_linked_task_is_cancelled_while_its_timer_is_destroyed) {
    everyInterleaving(kWholeTimer, [] {
        auto clock = std::make_shared<ManualClock>(Date{});
        TimerOptions options = on(clock);
        options.removeOnCancel = true;
        options.daemon = true;
        auto timer = std::make_unique<Timer>(options);
        const auto task = std::make_shared<Task>();
        timer->schedule(task, 10);
        together({[&] { timer.reset(); }, [&] { task->cancel(); }, [&] { clock->advance(10); }});
        check(task->runs <= 1, "too often");
    });
}

BOOST_AUTO_TEST_CASE(two_tasks_get_and_lose_their_names_on_two_threads) {
    everyInterleaving(kBounds, [] {
        const auto name = [](const char* text) {
            return [=] {
                Task task;
                task.setName(text);
                check(task.name() == text, "another name");
            };
        };
        together({name("a"), name("b")});
    });
}

BOOST_AUTO_TEST_CASE(the_name_of_a_task_is_read_while_another_task_gets_one) {
    everyInterleaving(kBounds, [] {
        Task first;
        Task second;
        first.setName("a");
        together(
            {[&] { check(first.name() == "a", "another name"); }, [&] { second.setName("b"); }});
    });
}

BOOST_AUTO_TEST_CASE(a_named_task_throws_while_another_task_gets_a_name) {
    struct alignas(256) Aligned : Task {};  // so that their names are in one table
    struct Throwing : Aligned {
        void run() override { throw 1; }
    };
    everyInterleaving(kWholeTimer, [] {
        auto clock = std::make_shared<ManualClock>(Date{});
        TimerOptions options = on(clock);
        options.uncaughtExceptionHandler = [](const std::string&, const std::exception_ptr&) {};
        Timer timer(options);
        const auto task = std::make_shared<Throwing>();
        task->setName("a");
        timer.schedule(task, 10);
        together({[&] { clock->advance(10); },
                  [] {
                      Aligned another;
                      another.setName("b");
                  }});
        timer.shutdownNow();
    });
}

BOOST_AUTO_TEST_CASE(a_named_task_is_cancelled_twice_and_keeps_its_name) {
    everyInterleaving(kBounds, [] {
        Task task;
        task.setName("a");
        together({[&] { task.cancel(); }, [&] { task.cancel(); }});
        check(task.isCancelled() && task.name() == "a", "lost");
    });
}

BOOST_AUTO_TEST_CASE(a_second_cancel_hides_from_no_thread_that_the_callable_is_destroyed) {
    everyInterleaving(kWholeTimer, [] {
        TimerOptions options = on(std::make_shared<ManualClock>());
        options.daemon = true;
        options.removeOnCancel = true;
        Timer timer(options);
        int runs = 0;
        const auto task = timer.schedule([&runs] { ++runs; }, 10);
        task->cancel();
        together({[&] { task->cancel(); }, [&] { task->run(); }});
        check(runs == 0, "a destroyed callable was called");
    });
}

BOOST_AUTO_TEST_CASE(a78_beside_the_begin_of_a_run_a_period_counts_from_that_run_or_from_the_next) {
    withAndWithoutLinks([](const auto& options, const auto& clock, const auto& task) {
        Timer timer(options);
        timer.scheduleAtFixedRate(task, 10, 10);
        together({[&] { clock->advance(10); }, [&] { task->setPeriod(4); }});
        clock->advance(14);
        task->cancel();
        check(task->runs == " 10 14 18 22" || task->runs == " 10 20 24", "other runs");
    });
}

BOOST_AUTO_TEST_CASE(a78_of_two_calls_the_last_one_wins) {
    withAndWithoutLinks([](const auto& options, const auto& clock, const auto& task) {
        Timer timer(options);
        timer.schedule(task, 10, 10);
        together({[&] {
                      task->setPeriod(3);
                      task->setPeriod(4);
                  },
                  [&] { task->setPeriod(7); }});
        clock->advance(20);
        task->cancel();
        check(task->runs == " 10 14 18" || task->runs == " 10 17", "other runs");
    });
}

BOOST_AUTO_TEST_CASE(a77_beside_a_cancel_a_period_has_no_effect_and_changes_no_answer) {
    withAndWithoutLinks([](const auto& options, const auto& clock, const auto& task) {
        Timer timer(options);
        timer.schedule(task, 10, 10);
        bool cancelled = false;
        together({[&] { cancelled = task->cancelAndWait(); }, [&] { task->setPeriod(4); }});
        clock->advance(20);
        timer.purge();
        check(cancelled && task->isCancelled() && task->runs.empty(), "not cancelled");
        check(task.use_count() == 1, "still in the queue");
    });
}

BOOST_AUTO_TEST_CASE(a78_a_period_is_set_beside_a_cancel_and_the_end_of_the_timer) {
    withAndWithoutLinks([](auto options, const auto& clock, const auto& task) {
        options.daemon = true;
        auto timer = std::make_unique<Timer>(options);
        timer->scheduleAtFixedRate(task, 10, 10);
        together({[&] {
                      task->setPeriod(4);
                      clock->advance(10);
                  },
                  [&] { task->cancel(); }, [&] { timer.reset(); }});
        check(task->runs.empty() || task->runs == " 10", "other runs");
    });
}

BOOST_AUTO_TEST_CASE(a79_beside_the_thread_that_links_the_task_a_period_is_not_lost) {
    withAndWithoutLinks([](const auto& options, const auto& clock, const auto& task) {
        auto timer = std::make_unique<Timer>(options);
        timer->scheduleAtFixedRate(task, 10, 10);
        together({[&] { timer.reset(); },  // its thread links the task, and waits for the cancel
                  [&] {
                      task->setPeriod(4);
                      clock->advance(18);
                      check(task->runs == " 10 14 18", "other runs");
                      task->cancel();
                  }});
    });
}

BOOST_AUTO_TEST_CASE(a79_the_link_of_a_task_outlives_the_cancel_whose_task_is_destroyed_meanwhile) {
    everyInterleaving(kWholeTimer, [] {
        auto clock = std::make_shared<ManualClock>(Date{});
        TimerOptions options = on(clock);
        options.daemon = true;
        options.taskExceptionHandler = [](const jtimer::TaskException&) {};
        Timer timer(options);
        auto task = std::make_shared<Task>();
        jtimer::TimerTask* const plain = task.get();
        timer.schedule(std::move(task), 10, 10);
        together({[&] { plain->cancel(); }, [&] { timer.purge(); }});
    });
}

BOOST_AUTO_TEST_CASE(a77_beside_its_only_run_a_linked_task_is_refused_a_period) {
    withAndWithoutLinks([](const auto& options, const auto& clock, const auto& task) {
        Timer timer(options);
        timer.schedule(task, 10);
        bool isRefused = false;
        together({[&] { clock->advance(10); },
                  [&] {
                      try {
                          task->setPeriod(4);
                      } catch (const jtimer::IllegalStateException&) {
                          isRefused = true;
                      }
                  }});
        check(isRefused && task->runs == " 10", "it has a period");
    });
}

BOOST_AUTO_TEST_CASE(a33_a_report_beside_a_run_names_its_task_or_none) {
    everyInterleaving(kWholeTimer, [] {
        const auto clock = std::make_shared<OwnedClock>();
        TimerOptions options;
        options.clock = clock;
        Timer timer(options);
        const auto task = std::make_shared<Task>();
        task->setName("x");
        std::string running;
        together(
            {[&] { running = clock->owner()->runningTask(); }, [&] { timer.schedule(task, 0); }});
        check(running == "a task" || running == "task \"x\"", "another task");
        clock->forget();
    });
}

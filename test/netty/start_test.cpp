// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "support/abilities.hpp"
#include "support/counter.hpp"
#include "support/forked_child.hpp"
#include "support/gate.hpp"
#include "support/manual_wheel.hpp"
#include "support/race.hpp"
#include "support/scripted_clock.hpp"
#include "support/system_threads.hpp"
#include "support/test.hpp"
#include "support/thread_start.hpp"
#include "support/throws.hpp"

#include <system_error>

using namespace std::chrono_literals;
using jtimer::IllegalStateException;
using jtimer::ManualClock;
using jtimer::netty::HashedWheelTimer;

namespace {

/// See support/thread_start.hpp. Started by start(), or else by the first newTimeout.
template <bool kByStart>
class Started {
  public:
    static constexpr const char* kOptions = "HashedWheelTimerOptions";

    Started(std::shared_ptr<ManualClock> clock, std::function<void()> onThreadStart)
        : clock_(std::move(clock)), timer_(options(clock_, std::move(onThreadStart))) {}
    void start() {
        if (kByStart) {
            timer_.start();
        } else {
            timer_.newTimeout([this] { ++runs_; }, 0);
        }
    }
    bool runsATask() {
        if (kByStart) timer_.newTimeout([this] { ++runs_; }, 0);
        BOOST_TEST(timer_.pendingTimeouts() == 1);
        clock_->advance(1000);
        return runs_ == 1;
    }

  private:
    static auto options(std::shared_ptr<jtimer::Clock> clock, std::function<void()> hook) {
        auto options = test::wheelOn(std::move(clock));
        options.onThreadStart = std::move(hook);
        return options;
    }

    const std::shared_ptr<ManualClock> clock_;
    int runs_ = 0;
    HashedWheelTimer timer_;
};

struct Fixture : test::LoggedClock {
    HashedWheelTimer timer{test::wheelOn(clock)};
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(start, Fixture)

BOOST_AUTO_TEST_CASE(n11_n14_start_fixes_the_origin_of_the_ticks) {
    clock->advance(30);
    timer.start();
    clock->advance(50);
    timer.newTimeout(log.entry("a"), 0);
    clock->advance(1000);
    BOOST_TEST(log.take() == "a@130");
}

BOOST_AUTO_TEST_CASE(n11_on_a_started_timer_start_does_nothing) {
    timer.start();
    clock->advance(50);
    timer.start();
    timer.newTimeout(log.entry("a"), 0);
    const auto threads = test::numberOfThreads();
    timer.start();
    BOOST_TEST(test::numberOfThreads() == threads);
    clock->advance(1000);
    BOOST_TEST(log.take() == "a@100");
}

BOOST_AUTO_TEST_CASE(n11_of_several_threads_that_start_a_timer_one_does) {
    for (int round = 0; round < 100; ++round) {
        HashedWheelTimer raced(test::wheelOn(clock));
        boost::thread_group threads;
        for (int i = 0; i < 3; ++i) threads.create_thread([&] { raced.start(); });
        threads.join_all();
        raced.newTimeout(log.entry("a"), 0);
        clock->advance(1000);
        BOOST_TEST(log.take() == "a@" + std::to_string(1000 * round + 100));
    }
}

BOOST_AUTO_TEST_CASE(n12_newTimeout_starts_the_timer) {
    clock->advance(30);
    timer.newTimeout(log.entry("a"), 0);
    clock->advance(1000);
    BOOST_TEST(log.take() == "a@130");
}

BOOST_AUTO_TEST_CASE(n12_a_newTimeout_that_is_refused_does_not_start_it) {
    const auto threads = test::numberOfThreads();
    CHECK_THROWS(timer.newTimeout(nullptr, 0), jtimer::NullPointerException, "task");
    BOOST_TEST(test::numberOfThreads() == threads);
    clock->advance(30);
    timer.newTimeout(log.entry("a"), 0);
    clock->advance(1000);
    BOOST_TEST(log.take() == "a@130");
}

BOOST_AUTO_TEST_CASE(n13_a_stopped_timer_cannot_be_started) {
    timer.start();
    timer.stop();
    CHECK_THROWS(timer.start(), IllegalStateException, "cannot be started once stopped");
    CHECK_THROWS(timer.newTimeout([] {}, 0), IllegalStateException,
                 "cannot be started once stopped");
}

BOOST_AUTO_TEST_CASE(n13_a_timer_stopped_before_its_start_cannot_be_started) {
    timer.stop();
    const auto threads = test::numberOfThreads();
    CHECK_THROWS(timer.start(), IllegalStateException, "cannot be started once stopped");
    CHECK_THROWS(timer.newTimeout([] {}, 0), IllegalStateException,
                 "cannot be started once stopped");
    BOOST_TEST(test::numberOfThreads() == threads);
}

BOOST_AUTO_TEST_CASE(n14_neither_the_first_timeout_nor_an_idle_time_moves_the_origin) {
    timer.start();
    clock->advance(70);
    timer.newTimeout(log.entry("a"), 0);
    clock->advance(1h + 70ms);
    timer.newTimeout(log.entry("b"), 0);
    clock->advance(1000);
    BOOST_TEST(log.take() == "a@100 b@3600200");
}

BOOST_AUTO_TEST_CASE(n60_the_worker_takes_part_in_its_clock_from_start_to_its_end) {
    timer.start();
    BOOST_TEST(!clock->advanceToNext());  // it has nothing to wait for
    timer.newTimeout(log.entry("a"), 150);
    BOOST_TEST(clock->advanceToNext());
    BOOST_TEST(clock->nanos() == (test::kStartMillis + 100) * 1'000'000);
    BOOST_TEST(clock->advanceToNext());
    BOOST_TEST(log.take() == "a@200");
    BOOST_TEST(!clock->advanceToNext());
    timer.newTimeout(log.entry("b"), 150);
    timer.stop();
    BOOST_TEST(!clock->advanceToNext());
    clock->check();
}

BOOST_AUTO_TEST_CASE(n60_all_that_is_added_before_the_clock_moves_is_handled_at_its_exact_time) {
    for (int i = 0; i < 1000; ++i) {
        HashedWheelTimer fresh(test::wheelOn(clock));
        fresh.newTimeout(log.entry("a"), 99);
        clock->advance(100);  // at once, while the thread is starting
        BOOST_TEST(log.take() == "a@" + std::to_string(100 * (i + 1)));
    }
}

BOOST_AUTO_TEST_CASE(n61_the_worker_carries_the_first_15_bytes_of_the_name) {
    const auto shown = [&](const std::string& name) {
        auto options = test::wheelOn(clock);
        options.name = name;
        HashedWheelTimer named(options);
        std::string seen;
        named.newTimeout([&] { seen = test::currentThreadName(); }, 0);
        clock->advance(100);
        return seen;
    };
    BOOST_TEST(shown("wheel") == "wheel");
    BOOST_TEST(shown("") == "");
    BOOST_TEST(shown("exactly15bytes.") == "exactly15bytes.");
    BOOST_TEST(shown("sixteen bytes...") == "sixteen bytes..");
}

BOOST_AUTO_TEST_CASE(n62_without_a_thread_the_timer_is_as_before_and_can_be_started_later) {
    test::needThreadLimit();
    const auto references = clock.use_count();
    {
        const test::NoMoreThreads scarcity;
        BOOST_CHECK_THROW(timer.start(), std::system_error);
        BOOST_CHECK_EXCEPTION(timer.newTimeout(log.entry("lost"), 0), std::system_error,
                              [](const std::system_error& e) {
                                  return e.code() == std::errc::resource_unavailable_try_again &&
                                         std::string(e.what()).find("\"test\"") !=
                                             std::string::npos;
                              });
        BOOST_TEST(timer.pendingTimeouts() == 0);
    }
    BOOST_TEST(clock.use_count() == references);
    clock->advance(30);  // nobody takes part in the clock
    timer.newTimeout(log.entry("a"), 0);
    clock->advance(100);
    BOOST_TEST(log.take() == "a@130");
}

BOOST_AUTO_TEST_CASE(n62_a_timer_that_could_not_be_started_can_be_stopped) {
    test::needThreadLimit();
    {
        const test::NoMoreThreads scarcity;
        BOOST_CHECK_THROW(timer.start(), std::system_error);
    }
    BOOST_TEST(timer.stop().empty());
    CHECK_THROWS(timer.start(), IllegalStateException, "cannot be started once stopped");
}

BOOST_AUTO_TEST_CASE(a80_start_and_the_first_newTimeout_wait_for_on_thread_start) {
    test::ThreadStart<Started<true>>::check();
    test::ThreadStart<Started<false>>::check();
}

BOOST_AUTO_TEST_CASE(a80_of_several_calls_that_start_a_timer_each_waits_for_on_thread_start) {
    for (int round = 0; round < 100; ++round) {
        std::atomic<int> calls{0}, tooEarly{0};
        auto options = test::wheelOn(clock);
        options.onThreadStart = [&] {
            boost::this_thread::yield();
            ++calls;
        };
        HashedWheelTimer raced(options);
        boost::thread_group threads;
        for (int i = 0; i < 3; ++i) {
            threads.create_thread([&, i] {
                if (i == 0) raced.start();
                if (i != 0) raced.newTimeout([] {}, 0);
                if (calls == 0) ++tooEarly;
            });
        }
        threads.join_all();
        BOOST_TEST(tooEarly == 0);
        BOOST_TEST(calls == 1);
    }
}

BOOST_AUTO_TEST_CASE(a80_in_on_thread_start_the_timer_can_be_neither_started_nor_stopped) {
    HashedWheelTimer* odd = nullptr;
    auto options = test::wheelOn(clock);
    options.onThreadStart = [&] {
        CHECK_THROWS(odd->start(), IllegalStateException, "cannot be used in onThreadStart");
        CHECK_THROWS(odd->newTimeout([] {}, 0), IllegalStateException,
                     "cannot be used in onThreadStart");
        CHECK_THROWS(odd->stop(), IllegalStateException,
                     "HashedWheelTimer.stop() cannot be called from TimerTask");
        BOOST_TEST(odd->pendingTimeouts() == 0);
    };
    HashedWheelTimer made(options);
    odd = &made;
    made.start();
    made.newTimeout(log.entry("a"), 0);
    clock->advance(100);
    BOOST_TEST(log.take() == "a@100");
}

BOOST_AUTO_TEST_CASE(a80_a_stop_comes_before_a_start_or_after_it) {
    for (int round = 0; round < 100; ++round) {
        const auto threads = test::numberOfThreads();
        int calls = 0;
        auto options = test::wheelOn(clock);
        options.onThreadStart = [&] {
            if (++calls == 1) throw std::runtime_error("not yet");
        };
        HashedWheelTimer raced(options);
        BOOST_CHECK_THROW(raced.start(), std::runtime_error);
        std::size_t returned = 0;
        boost::thread stopping([&] { returned = raced.stop().size(); });
        try {
            raced.start();
            BOOST_TEST(calls == 2);
        } catch (const IllegalStateException&) {
            BOOST_TEST(calls == 1);
        }
        stopping.join();
        BOOST_TEST(returned == 0U);
        CHECK_THROWS(raced.start(), IllegalStateException, "cannot be started once stopped");
        BOOST_TEST(test::numberOfThreads() == threads);
    }
}

BOOST_AUTO_TEST_CASE(a80_a_child_forked_during_on_thread_start_cannot_use_the_timer) {
    test::needFork();
    HashedWheelTimer* odd = nullptr;
    test::Gate running, done;
    auto options = test::wheelOn(clock);
    options.onThreadStart = [&] {
        running.open();
        done.wait();
    };
    HashedWheelTimer made(options);
    odd = &made;
    boost::thread starting([&] { made.start(); });
    running.wait();
    const int exitCode = test::inForkedChild([&] {
        try {
            odd->newTimeout([] {}, 0);
            return 1;
        } catch (const IllegalStateException&) {
            return odd->stop().empty() ? 0 : 2;
        }
    });
    done.open();
    starting.join();
    BOOST_TEST(exitCode == 0);
}

BOOST_AUTO_TEST_CASE(n71_no_start_time_is_special) {
    for (const std::int64_t millis :
         {std::int64_t{0}, std::int64_t{-1}, std::int64_t{-50}, std::int64_t{-100},
          std::int64_t{-86'400'000}, std::int64_t{-9'000'000'000'000}}) {
        const jtimer::Date begin{std::chrono::milliseconds(millis)};
        const auto other = std::make_shared<ManualClock>(begin);
        HashedWheelTimer odd(test::wheelOn(other));
        std::vector<std::int64_t> runs;
        const auto note = [&] { runs.push_back(other->nanos() / 1'000'000 - millis); };
        odd.newTimeout(note, 0);
        odd.newTimeout(note, 99);
        odd.newTimeout(note, 100);
        odd.newTimeout(note, 250);
        const auto never = odd.newTimeout(note, std::chrono::nanoseconds::max());
        other->advance(1h);
        const std::vector<std::int64_t> expected{100, 100, 200, 300};
        BOOST_TEST(runs == expected, boost::test_tools::per_element());
        BOOST_TEST(never->cancel());
    }
}

BOOST_AUTO_TEST_CASE(n71_n17_what_is_292_years_ahead_never_comes_even_on_a_clock_that_gets_there) {
    const jtimer::Date begin = jtimer::Date::min();
    const auto other = std::make_shared<ManualClock>(begin);
    HashedWheelTimer odd(test::wheelOn(other, 8, 24h * 365));
    int runs = 0;
    odd.newTimeout([&] { ++runs; }, std::chrono::nanoseconds::max());
    odd.newTimeout([&] { ++runs; }, 24h * 365 * 100);
    other->advanceTo(jtimer::Date::max());
    BOOST_TEST(runs == 1);
    BOOST_TEST(odd.pendingTimeouts() == 1);
}

BOOST_AUTO_TEST_CASE(a_clock_that_throws_when_the_timer_is_started_leaves_it_as_it_was) {
    struct Broken final : jtimer::WallClock {
        std::int64_t nanos() const override {
            if (broken) throw std::runtime_error("no time");
            return 0;
        }
        std::atomic<bool> broken{true};
    };
    const auto broken = std::make_shared<Broken>();
    HashedWheelTimer odd(test::wheelOn(broken));
    CHECK_THROWS(odd.newTimeout([] {}, 0), std::runtime_error, "no time");
    BOOST_TEST(odd.pendingTimeouts() == 0);
    broken->broken = false;
    odd.newTimeout([] {}, 0);
    BOOST_TEST(odd.pendingTimeouts() == 1);
}

BOOST_AUTO_TEST_CASE(the_first_new_timeout_reads_the_clock_once_so_it_cannot_throw_when_started) {
    struct Brittle final : jtimer::WallClock {
        std::int64_t nanos() const override {
            if (boost::this_thread::get_id() == caller && readingsLeft-- == 0) {
                throw std::runtime_error("no time");
            }
            return 0;
        }
        const boost::thread::id caller = boost::this_thread::get_id();
        mutable int readingsLeft = 0;
    };
    const auto brittle = std::make_shared<Brittle>();
    HashedWheelTimer odd(test::wheelOn(brittle));
    const auto threads = test::numberOfThreads();
    CHECK_THROWS(odd.newTimeout([] {}, 0), std::runtime_error, "no time");
    BOOST_TEST(test::numberOfThreads() == threads);
    brittle->readingsLeft = 1;
    odd.newTimeout([] {}, 0);
    BOOST_TEST(odd.pendingTimeouts() == 1);
}

BOOST_AUTO_TEST_SUITE_END()

// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "interleave/explored.hpp"

#include <jtimer/manual_clock.hpp>
#include <jtimer/tokio/block_on.hpp>
#include <jtimer/tokio/completion.hpp>
#include <jtimer/tokio/delay_queue.hpp>
#include <jtimer/tokio/detail/marked_wait.hpp>
#include <jtimer/tokio/notify.hpp>
#include <jtimer/tokio/select.hpp>
#include <jtimer/tokio/time_driver.hpp>

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <utility>

namespace {

using explore::check;
using explore::together;
using jtimer::Date;
using jtimer::ManualClock;
using jtimer::tokio::Sleep;
using jtimer::tokio::TimeDriver;
using jtimer::tokio::TimeDriverOptions;

constexpr explore::Bounds kBounds{2, 1, 0, 10'000, 1'000};
constexpr explore::Bounds kWholeTimer{1, 1, 0, 4'000, 1'000};

Date at(int millis) { return Date{} + std::chrono::milliseconds(millis); }

TimeDriverOptions on(const std::shared_ptr<ManualClock>& clock, bool polled = true) {
    TimeDriverOptions options;
    options.clock = clock;
    options.polled = polled;
    return options;
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_turn_that_finds_an_extension_sees_what_came_before_it) {
    everyInterleaving(kBounds, [] {
        auto clock = std::make_shared<ManualClock>(Date{});
        TimeDriver driver(on(clock));
        Sleep sleep = driver.sleepUntil(at(10));
        sleep.poll([] {});
        int data = 0;
        together({[&] {
                      if (driver.turn(at(10)) == 0) check(data == 1, "not seen");
                  },
                  [&] {
                      data = 1;
                      sleep.reset(at(20));
                  }});
    });
}

BOOST_AUTO_TEST_CASE(an_extension_is_never_lost) {
    everyInterleaving(kBounds, [] {
        auto clock = std::make_shared<ManualClock>(Date{});
        TimeDriver driver(on(clock));
        Sleep sleep = driver.sleepUntil(at(10));
        sleep.poll([] {});
        together({[&] { driver.turn(at(10)); }, [&] { sleep.reset(at(20)); }});
        check(!sleep.isElapsed(), "fired at its old time");
        driver.turn(at(19));
        check(!sleep.isElapsed(), "fired early");
        driver.turn(at(20));
        check(sleep.isElapsed(), "never fired");
        driver.check();
    });
}

BOOST_AUTO_TEST_CASE(a_sleep_that_is_seen_to_have_fired_may_be_destroyed) {
    everyInterleaving(kBounds, [] {
        auto clock = std::make_shared<ManualClock>(Date{});
        TimeDriver driver(on(clock));
        std::optional<Sleep> sleep(driver.sleepUntil(at(10)));
        sleep->poll();
        together({[&] { driver.turn(at(10)); },
                  [&] {
                      if (sleep->isElapsed()) sleep.reset();
                  }});
    });
}

BOOST_AUTO_TEST_CASE(a_sleep_is_destroyed_beside_a_turn) {
    everyInterleaving(kBounds, [] {
        auto clock = std::make_shared<ManualClock>(Date{});
        TimeDriver driver(on(clock));
        std::optional<Sleep> sleep(driver.sleepUntil(at(10)));
        const auto kept = std::make_shared<int>(0);
        sleep->poll([kept] { ++*kept; });
        together({[&] { driver.turn(at(10)); }, [&] { sleep.reset(); }});
        driver.check();
        check(driver.size() == 0, "left in the wheel");
    });
}

BOOST_AUTO_TEST_CASE(a_poll_is_given_up_beside_a_turn) {
    everyInterleaving(kBounds, [] {
        auto clock = std::make_shared<ManualClock>(Date{});
        TimeDriver driver(on(clock));
        Sleep sleep = driver.sleepUntil(at(10));
        sleep.poll([] {});
        together({[&] { driver.turn(at(10)); }, [&] { sleep.dropWaker(); }});
        driver.check();
        check(driver.size() == 0, "left in the wheel");
    });
}

BOOST_AUTO_TEST_CASE(an_earlier_entry_of_a_delay_queue_is_inserted_beside_a_turn) {
    everyInterleaving(kBounds, [] {
        auto clock = std::make_shared<ManualClock>(Date{});
        TimeDriver driver(on(clock));
        jtimer::tokio::DelayQueue<int> queue(driver);
        int wakes = 0;
        queue.insertAt(1, at(10));
        static_cast<void>(queue.pollExpired([&] { ++wakes; }));
        together({[&] { driver.turn(at(10)); }, [&] { queue.insertAt(2, at(5)); }});
        driver.check();
        driver.turn(at(10));
        check(wakes == 1 && driver.size() == 0, "not once");
    });
}

BOOST_AUTO_TEST_CASE(a_wait_that_begins_beside_a_turn_ends) {
    everyInterleaving(kBounds, [] {
        auto clock = std::make_shared<ManualClock>(Date{});
        TimeDriver driver(on(clock));
        Sleep sleep = driver.sleepUntil(at(10));
        sleep.poll([] {});
        together({[&] { driver.turn(at(10)); }, [&] { sleep.wait(); }});
    });
}

BOOST_AUTO_TEST_CASE(a_wait_ends_when_it_fires_is_reset_or_shut_down) {
    everyInterleaving(kWholeTimer, [] {
        auto clock = std::make_shared<ManualClock>(Date{});
        int ended = 0;
        {
            TimeDriver driver(on(clock, false));
            Sleep sleep = driver.sleepUntil(at(10));
            together({[&] {
                          try {
                              sleep.wait();
                              ended = 1;
                          } catch (const jtimer::IllegalStateException&) {
                              ended = 2;
                          }
                      },
                      [&] { clock->advance(10); }, [&] { driver.shutdown(); }});
        }
        check(ended != 0, "it goes on");
    });
}

BOOST_AUTO_TEST_CASE(two_turns_exclude_each_other) {
    everyInterleaving(kBounds, [] {
        auto clock = std::make_shared<ManualClock>(Date{});
        TimeDriver driver(on(clock));
        Sleep sleep = driver.sleepUntil(at(10));
        int wakes = 0;
        sleep.poll([&] { ++wakes; });
        const auto turn = [&] {
            try {
                driver.turn(at(10));
            } catch (const jtimer::IllegalStateException&) {
            }
        };
        together({turn, turn});
        check(wakes == 1, "not once");
    });
}

BOOST_AUTO_TEST_CASE(a13_wakers_of_a_turn_and_of_two_shutdowns_run_one_at_a_time) {
    everyInterleaving(kBounds, [] {
        auto clock = std::make_shared<ManualClock>(Date{});
        TimeDriver driver(on(clock));
        int woken = 0;  // plain: two wakers at a time would be a race
        Sleep first = driver.sleepUntil(at(10)), second = driver.sleepUntil(at(20));
        first.poll([&] { ++woken; });
        second.poll([&] { ++woken; });
        const auto set = [&] {
            try {
                second.resetAfter(0);
            } catch (const jtimer::IllegalStateException&) {
            }
        };
        together({set, [&] { driver.turn(at(10)); }, [&] { driver.shutdown(); }});
        check(woken == 2, "not each once");
        check(driver.size() == 0, "left in the wheel");
        driver.check();
    });
}

BOOST_AUTO_TEST_CASE(a13_a_shutdown_inside_a_waker_and_one_beside_it_both_end) {
    everyInterleaving(kWholeTimer, [] {
        auto clock = std::make_shared<ManualClock>(Date{});
        int woken = 0;
        {
            TimeDriver driver(on(clock, false));
            Sleep first = driver.sleepUntil(at(10)), second = driver.sleepUntil(at(20));
            first.poll([&] {
                ++woken;
                driver.shutdown();
            });
            second.poll([&] { ++woken; });
            together({[&] { clock->advance(10); }, [&] { driver.shutdown(); }});
            check(woken == 2, "not each once");
        }
    });
}

namespace {

using jtimer::tokio::blockOn;
using jtimer::tokio::Completion;
using jtimer::tokio::DriverShutdown;
using jtimer::tokio::select;
using jtimer::tokio::detail::MarkedWait;

/// What co_await of until(driver, completion) does, without a coroutine: a function for what it
/// goes on with. Its data are plain, so that two threads at a time would be a race.
struct Waiting {
    Waiting(TimeDriver& on, Completion<int> waitsFor)
        : completion(std::move(waitsFor)), wait(jtimer::tokio::detail::driverOf(on)) {}

    void begin() {
        if (poll() || wait.begin(&pollAgain, this, true) || poll()) return;
        wait.begin(&pollAgain, this, false);
    }
    bool poll() {
        const auto value = completion(wait.waker());
        if (value) ++resumed;
        return value.has_value();
    }
    static void pollAgain(void* self) {
        auto& waiting = *static_cast<Waiting*>(self);
        try {
            if (!waiting.poll()) waiting.wait.begin(&pollAgain, self, false);
        } catch (const DriverShutdown&) {
            ++waiting.ended;
        }
    }

    const Completion<int> completion;
    MarkedWait wait;
    int resumed = 0;
    int ended = 0;
};

}  // namespace

BOOST_AUTO_TEST_CASE(a17_a_selection_that_is_given_up_beside_a_wake_has_lost_nothing) {
    everyInterleaving(kBounds, [] {
        auto clock = std::make_shared<ManualClock>(Date{});
        TimeDriver driver(on(clock));
        const Completion<int> completion;
        auto selection = select(driver.sleepUntil(at(10)), completion);
        const auto woken = std::make_shared<int>(0);
        check(!selection([woken] { ++*woken; }), "ready");
        together({[&] { completion.set(5); }, [&] { selection.dropWaker(); }});
        check(driver.size() == 0, "left in the wheel");
        check(woken.use_count() == 1, "the waker was not withdrawn");
        const auto chosen = selection({});
        check(chosen && std::get<1>(*chosen) == 5, "lost");
    });
}

BOOST_AUTO_TEST_CASE(a20_what_a_select_beside_two_wakes_does_not_choose_is_left) {
    everyInterleaving(kBounds, [] {
        auto clock = std::make_shared<ManualClock>(Date{});
        TimeDriver driver(on(clock));
        const jtimer::tokio::Notify notify(driver);
        auto notified = notify.notified();
        Completion<int> completion;
        std::size_t chosen = 2;
        together({[&] {
                      const auto both = select(std::ref(notified), std::ref(completion));
                      chosen = blockOn(driver, both).index();
                  },
                  [&] {
                      notify.notifyOne();
                      driver.turn();
                  },
                  [&] { completion.set(5); }});
        if (chosen == 0) {
            check(completion({}) == 5, "the value is lost");
        } else {
            check(notified.poll(), "the notification is lost");
        }
        check(driver.turn() == 0 && driver.size() == 0, "left in the driver");
        driver.check();
    });
}

BOOST_AUTO_TEST_CASE(a20_a_select_of_a_sleep_and_a_value_ends_beside_both) {
    everyInterleaving(kWholeTimer, [] {
        auto clock = std::make_shared<ManualClock>(Date{});
        TimeDriver driver(on(clock, false));
        const Completion<int> completion;
        std::size_t chosen = 2;
        together({[&] {
                      chosen =
                          blockOn(driver, select(driver.sleepUntil(at(10)), completion)).index();
                  },
                  [&] { clock->advance(10); }, [&] { completion.set(5); }});
        check(chosen < 2, "it goes on");
        check(driver.size() == 0, "left in the driver");
    });
}

BOOST_AUTO_TEST_CASE(a21_a_shutdown_ends_a_thread_in_blockOn) {
    everyInterleaving(kBounds, [] {
        auto clock = std::make_shared<ManualClock>(Date{});
        TimeDriver driver(on(clock));
        bool ended = false;
        together({[&] {
                      try {
                          blockOn(driver, Completion<int>());
                      } catch (const DriverShutdown&) {
                          ended = true;
                      }
                  },
                  [&] { driver.shutdown(); }});
        check(ended, "it has a value");
        driver.check();
    });
}

BOOST_AUTO_TEST_CASE(a21_a_value_that_comes_beside_a_shutdown_is_returned_or_left) {
    everyInterleaving(kBounds, [] {
        auto clock = std::make_shared<ManualClock>(Date{});
        TimeDriver driver(on(clock));
        const Completion<int> completion;
        int value = 0;
        together({[&] {
                      try {
                          value = blockOn(driver, completion);
                      } catch (const DriverShutdown&) {
                      }
                  },
                  [&] { completion.set(5); }, [&] { driver.shutdown(); }});
        check(value + completion({}).value_or(0) == 5, "lost or doubled");
        check(driver.size() == 0, "left in the driver");
    });
}

BOOST_AUTO_TEST_CASE(a24_a26_a_wait_is_resumed_once_beside_a_set_a_turn_and_a_shutdown) {
    everyInterleaving(kBounds, [] {
        auto clock = std::make_shared<ManualClock>(Date{});
        TimeDriver driver(on(clock));
        const Completion<int> completion;
        Waiting waiting(driver, completion);
        waiting.begin();
        together({[&] { completion.set(5); }, [&] { driver.turn(); }, [&] { driver.shutdown(); }});
        check(waiting.resumed + waiting.ended == 1, "not once");
        driver.check();
    });
}

BOOST_AUTO_TEST_CASE(a24_a_waker_beside_the_end_of_the_wait_does_nothing) {
    everyInterleaving(kBounds, [] {
        auto clock = std::make_shared<ManualClock>(Date{});
        TimeDriver driver(on(clock));
        const Completion<int> completion;
        std::optional<Waiting> waiting(std::in_place, driver, completion);
        waiting->begin();
        together({[&] { completion.set(5); }, [&] { waiting.reset(); }});
        check(driver.turn() == 0 && driver.size() == 0, "left in the driver");
        driver.check();
    });
}

BOOST_AUTO_TEST_CASE(a25_a_wait_that_begins_beside_a_set_and_a_turn_is_resumed) {
    everyInterleaving(kBounds, [] {
        auto clock = std::make_shared<ManualClock>(Date{});
        TimeDriver driver(on(clock));
        const Completion<int> completion;
        Waiting waiting(driver, completion);
        together({[&] { waiting.begin(); }, [&] { completion.set(5); }, [&] { driver.turn(); }});
        driver.turn();
        check(waiting.resumed == 1 && waiting.ended == 0, "not once");
        check(driver.size() == 0, "left in the driver");
    });
}

BOOST_AUTO_TEST_CASE(what_came_before_a_shutdown_is_seen_by_who_sees_it) {
    everyInterleaving(kBounds, [] {
        auto clock = std::make_shared<ManualClock>(Date{});
        TimeDriver driver(on(clock));
        int data = 0;
        together({[&] {
                      data = 1;
                      driver.shutdown();
                  },
                  [&] {
                      if (driver.isShutdown()) check(data == 1, "not seen");
                  }});
    });
}

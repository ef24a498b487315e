// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "clock/default_clocks.hpp"
#include "interleave/explored.hpp"

#include <jtimer/go/chan.hpp>
#include <jtimer/go/context.hpp>
#include <jtimer/go/event.hpp>
#include <jtimer/go/timers.hpp>
#include <jtimer/manual_clock.hpp>

#include <functional>
#include <memory>
#include <optional>
#include <utility>

namespace {

using explore::check;
using explore::together;
using jtimer::Date;
using jtimer::ManualClock;
using jtimer::go::Timer;
using jtimer::go::Timers;
using jtimer::go::TimersOptions;

constexpr explore::Bounds kWholeTimer{1, 1, 0, 4'000, 1'000};

/// The functions run on the poller.
TimersOptions on(const std::shared_ptr<ManualClock>& clock) {
    TimersOptions options;
    options.clock = clock;
    options.shards = 1;
    options.executor = [](const std::function<void()>& function) { function(); };
    return options;
}

/// Writes when it is destroyed.
struct Writing {
    explicit Writing(int& written) : data(&written) {}
    Writing(Writing&& other) noexcept : data(std::exchange(other.data, nullptr)) {}
    Writing(const Writing&) = delete;
    Writing& operator=(const Writing&) = delete;
    ~Writing() {
        if (data != nullptr) *data += 1;
    }
    int* data;
};

}  // namespace

BOOST_AUTO_TEST_CASE(a_function_runs_or_is_stopped_and_a_wait_sees_its_run) {
    everyInterleaving(kWholeTimer, [] {
        auto clock = std::make_shared<ManualClock>(Date{});
        Timers timers(on(clock));
        int runs = 0;
        Timer timer = timers.afterFunc(10, [&runs] { ++runs; });
        together({[&] { clock->advance(10); },
                  [&] {
                      const bool stopped = timer.stopAndWait();
                      check(runs == (stopped ? 0 : 1), "not seen");
                  }});
    });
}

BOOST_AUTO_TEST_CASE(a_function_is_destroyed_once_after_its_run_the_handle_and_the_end) {
    everyInterleaving(kWholeTimer, [] {
        auto clock = std::make_shared<ManualClock>(Date{});
        auto timers = std::make_unique<Timers>(on(clock));
        auto data = std::make_shared<int>(0);
        Timer timer = timers->afterFunc(10, [data] { ++*data; });
        data.reset();
        together({[&] { clock->advance(10); }, [&] { timer = Timer(); }});
        timer = Timer();
        timers.reset();
    });
}

BOOST_AUTO_TEST_CASE(a_handle_is_dropped_while_the_timers_end) {
    everyInterleaving(kWholeTimer, [] {
        auto clock = std::make_shared<ManualClock>(Date{});
        auto timers = std::make_unique<Timers>(on(clock));
        auto data = std::make_shared<int>(0);
        Timer timer = timers->afterFunc(10, [data] { ++*data; });
        data.reset();
        together({[&] { timers.reset(); }, [&] { timer = Timer(); }});
    });
}

BOOST_AUTO_TEST_CASE(a_context_gets_a_deadline_or_throws_while_its_timers_end) {
    everyInterleaving(kWholeTimer, [] {
        auto timers = std::make_unique<Timers>(on(std::make_shared<ManualClock>(Date{})));
        const auto root = background(*timers);
        together({[&] { timers.reset(); },
                  [&] {
                      try {
                          const auto child = withTimeout(root, 10);
                      } catch (const jtimer::go::TimersDestroyed&) {
                      }
                  }});
    });
}

BOOST_AUTO_TEST_CASE(a_timer_moves_to_another_shard_or_throws_while_its_timers_end) {
    everyInterleaving(kWholeTimer, [] {
        TimersOptions options = on(std::make_shared<ManualClock>(Date{}));
        options.shards = 2;
        auto timers = std::make_unique<Timers>(options);
        Timer timer = timers->newTimer(10);
        const auto reset = [&timer] {
            try {
                timer.reset(20);
            } catch (const jtimer::go::TimersDestroyed&) {
            }
        };
        together({[&] { timers.reset(); }, reset});
        reset();
    });
}

BOOST_AUTO_TEST_CASE(a_run_given_to_another_thread_ends_before_a_wait_for_it_does) {
    for (const int before : {0, 1}) {
        everyInterleaving(kWholeTimer, [before] {
            auto clock = std::make_shared<ManualClock>(Date{});
            TimersOptions options = on(clock);
            std::function<void()> handed;
            options.executor = [&](std::function<void()> run) { handed = std::move(run); };
            Timers timers(options);
            int runs = 0;
            Timer timer = timers.afterFunc(10, [&runs] { ++runs; });
            clock->advance(10);
            if (before == 1) {
                handed();
                handed = nullptr;
                timer.reset(10);
                clock->advance(10);
            }
            together({[&] {
                          handed();
                          if (explore::choose(2) == 0) handed = nullptr;
                      },
                      [&] { check(!timer.stopAndWait() && runs == before + 1, "not seen"); }});
        });
    }
}

BOOST_AUTO_TEST_CASE(the_end_destroys_a_started_function_after_its_last_run) {
    everyInterleaving({1, 0, 0, 2'000, 300}, [] {
        auto clock = std::make_shared<ManualClock>(Date{});
        TimersOptions options = on(clock);
        options.executor = nullptr;
        auto timers = std::make_unique<Timers>(options);
        int data = 0;
        Timer timer;
        timer = timers->afterFunc(10, [&timer, written = Writing(data)] {
            timer.reset(10);
            *written.data = 1;
        });
        together({[&] { clock->advance(10); }, [&] { timers.reset(); }});
        timer = Timer();
        check(data == 1 || data == 2, "not destroyed once");
    });
}

BOOST_AUTO_TEST_CASE(a_reset_beside_the_poller_fires_once_for_each_start_that_was_not_stopped) {
    everyInterleaving(kWholeTimer, [] {
        auto clock = std::make_shared<ManualClock>(Date{});
        Timers timers(on(clock));
        int runs = 0;
        Timer timer = timers.afterFunc(10, [&runs] { ++runs; });
        bool wasRunning = false;
        together({[&] { clock->advance(10); }, [&] { wasRunning = timer.reset(10); }});
        clock->advance(20);
        timer.stopAndWait();
        check(runs == (wasRunning ? 1 : 2), "not once for each start");
    });
}

BOOST_AUTO_TEST_CASE(a_move_of_the_clock_runs_what_was_started_before_beside_another_start) {
    everyInterleaving(kWholeTimer, [] {
        auto clock = std::make_shared<ManualClock>(Date{});
        Timers timers(on(clock));
        clock->waitUntilIdle();
        int runs = 0;
        together({[&] { timers.afterFunc(10, [] {}); },
                  [&] {
                      timers.afterFunc(5, [&runs] { ++runs; });
                      clock->advance(5);
                      check(runs == 1, "the call returned before the run");
                  }});
    });
}

BOOST_AUTO_TEST_CASE(a_value_is_received_once_by_one_of_two_threads) {
    everyInterleaving(kWholeTimer, [] {
        auto clock = std::make_shared<ManualClock>(Date{});
        Timers timers(on(clock));
        const auto channel = timers.after(10);
        int received = 0;
        int receivedToo = 0;
        together({[&] { received = channel.tryReceive() ? 1 : 0; },
                  [&] { receivedToo = channel.tryReceive() ? 1 : 0; },
                  [&] { clock->advance(10); }});
        const int rest = channel.tryReceive() ? 1 : 0;
        check(received + receivedToo + rest == 1, "not once");
    });
}

BOOST_AUTO_TEST_CASE(a_call_that_waits_for_a_value_ends_while_its_timers_do) {
    jtimer::detail::defaultClock<jtimer::SteadyClock>();  // is made once
    everyInterleaving({2, 1, 0, 4'000, 1'000}, [] {
        auto timers = std::make_unique<Timers>(on(std::make_shared<ManualClock>(Date{})));
        const auto channel = timers->after(10);
        const auto receive = [&channel] {
            try {
                channel.receive();
            } catch (const jtimer::go::TimersDestroyed&) {
                return;
            }
            check(false, "received something");
        };
        together({[&] { timers.reset(); }, receive});
    });
}

BOOST_AUTO_TEST_CASE(of_two_values_that_come_at_once_one_is_left) {
    jtimer::detail::defaultClock<jtimer::SteadyClock>();  // is made once
    everyInterleaving(kWholeTimer, [] {
        auto clock = std::make_shared<ManualClock>(Date{});
        auto another = std::make_shared<ManualClock>(Date{});
        Timers timers(on(clock)), others(on(another));
        const auto channel = timers.after(10), other = others.after(10);
        together({[&] { clock->advance(10); }, [&] { another->advance(10); },
                  [&] {
                      jtimer::go::select({channel, other});
                  }});
        check(channel.tryReceive().has_value() != other.tryReceive().has_value(), "not one");
    });
}

BOOST_AUTO_TEST_CASE(two_selects_beside_a_set_receive_the_value_and_the_event) {
    everyInterleaving(kWholeTimer, [] {
        auto clock = std::make_shared<ManualClock>(Date{});
        Timers timers(on(clock));
        const Timer timer = timers.newTimer(0);
        const jtimer::go::Event event;
        together({[&] { event.set(); },
                  [&] {
                      const auto one = jtimer::go::select({timer.C(), event}).index;
                      const auto other = jtimer::go::select({timer.C(), event}).index;
                      check(one + other == 1, "not one of each");
                  }});
    });
}

BOOST_AUTO_TEST_CASE(functions_run_on_function_threads_and_all_of_them_end) {
    everyInterleaving({1, 0, 0, 1'000, 300}, [] {
        auto clock = std::make_shared<ManualClock>(Date{});
        TimersOptions options = on(clock);
        options.executor = nullptr;
        int runs = 0;
        {
            Timers timers(options);
            Timer timer = timers.afterFunc(10, [&runs] { ++runs; });
            clock->advance(10);
            timer.stopAndWait();
        }
        check(runs == 1, "not once");
    });
}

BOOST_AUTO_TEST_CASE(the_only_function_thread_to_be_had_runs_one_function_after_another) {
    // No exhaustive search: there the start of a thread does not fail.
    everyInterleaving({1, 0, 0, 0, 300}, [] {
        auto clock = std::make_shared<ManualClock>(Date{});
        TimersOptions options = on(clock);
        options.executor = nullptr;
        int runs = 0;
        Timers timers(options);
        Timer first = timers.afterFunc(10, [&runs] { ++runs; });
        explore::failThreadStarts(1);
        Timer second = timers.afterFunc(10, [&runs] { ++runs; });
        clock->advance(10);
        first.stopAndWait();
        second.stopAndWait();
        check(runs == 2, "not once");
    });
}

BOOST_AUTO_TEST_CASE(a69_two_threads_send_and_receive_one_value_each_way) {
    for (const std::size_t capacity : {0U, 1U}) {
        everyInterleaving({2, 1, 0, 4'000, 1'000}, [capacity] {
            const auto c = jtimer::go::makeChan<int>(capacity);
            int sum = 0, before = 0;
            together({[&] {
                          before = 1;
                          c.send(1);
                          c.send(2);
                      },
                      [&] {
                          sum += c.receive().value();
                          check(before == 1, "not seen");
                          sum += 10 * c.receive().value();
                      }});
            check(sum == 21 && c.len() == 0, "not once in order");
        });
    }
}

BOOST_AUTO_TEST_CASE(a70_a_close_beside_a_send_and_a_receive_loses_nothing) {
    everyInterleaving({2, 1, 0, 4'000, 1'000}, [] {
        const auto c = jtimer::go::makeChan<int>(0);
        int sent = 0, received = 0;
        together({[&] {
                      try {
                          c.send(1);
                          sent = 1;
                      } catch (const jtimer::IllegalStateException&) {
                      }
                  },
                  [&] { received = c.receive().value_or(0); }, [&] { c.close(); }});
        check(sent == received, "lost or doubled");
    });
}

BOOST_AUTO_TEST_CASE(a70_a_close_beside_a_send_ends_it) {
    everyInterleaving({2, 1, 0, 4'000, 1'000}, [] {
        const auto c = jtimer::go::makeChan<int>(0);
        bool ended = false;
        together({[&] {
                      try {
                          c.send(1);
                      } catch (const jtimer::IllegalStateException&) {
                          ended = true;
                      }
                  },
                  [&] { c.close(); }});
        check(ended, "sent to nobody");
    });
}

BOOST_AUTO_TEST_CASE(a71_two_selects_meet_in_one_of_two_chans) {
    everyInterleaving({2, 1, 0, 4'000, 1'000}, [] {
        const auto a = jtimer::go::makeChan<int>(), b = jtimer::go::makeChan<int>();
        int toA = 1, toB = 2;
        std::optional<int> fromA, fromB;
        together({[&] {
                      jtimer::go::select({a.sendFrom(toA), b.receiveInto(fromB)});
                  },
                  [&] {
                      jtimer::go::select({b.sendFrom(toB), a.receiveInto(fromA)});
                  }});
        check(fromA.has_value() != fromB.has_value(), "not one value");
        check(fromA.value_or(1) == 1 && fromB.value_or(2) == 2, "another value");
    });
}

BOOST_AUTO_TEST_CASE(a71_a_value_beside_an_event_is_received_or_left) {
    everyInterleaving({2, 1, 0, 4'000, 1'000}, [] {
        const auto c = jtimer::go::makeChan<int>(1);
        const jtimer::go::Event event;
        std::optional<int> value;
        together({[&] { c.send(1); }, [&] { event.set(); },
                  [&] {
                      jtimer::go::select({event, c.receiveInto(value)});
                  }});
        check((value ? 1 : 0) + c.len() == 1, "lost or doubled");
    });
}

BOOST_AUTO_TEST_CASE(a71_a_select_whose_partner_an_event_ends_has_sent_to_it_or_not) {
    everyInterleaving({2, 1, 0, 4'000, 1'000}, [] {
        const auto c = jtimer::go::makeChan<int>();
        const jtimer::go::Event event;
        int value = 1;
        bool sent = false;
        std::optional<int> received;
        together({[&] { event.set(); },
                  [&] { sent = jtimer::go::select({c.sendFrom(value)}, 0).has_value(); },
                  [&] {
                      jtimer::go::select({event, c.receiveInto(received)});
                  }});
        check(sent == received.has_value(), "lost or doubled");
    });
}

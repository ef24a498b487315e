// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "interleave/explored.hpp"
#include "netty/node_stock.hpp"

#include <jtimer/manual_clock.hpp>
#include <jtimer/netty/hashed_wheel_timer.hpp>

#include <array>
#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <utility>

namespace {

using explore::check;
using explore::together;
using jtimer::Date;
using jtimer::ManualClock;
using jtimer::netty::HashedWheelTimer;
using jtimer::netty::HashedWheelTimerOptions;
using jtimer::netty::Timeout;
using jtimer::netty::detail::NodeStock;

constexpr explore::Bounds kBounds{2, 1, 0, 10'000, 500};
constexpr explore::Bounds kWholeTimer{1, 1, 0, 4'000, 1'000};

HashedWheelTimerOptions on(const std::shared_ptr<ManualClock>& clock) {
    HashedWheelTimerOptions options;
    options.clock = clock;
    options.tickDuration = 10;
    options.ticksPerWheel = 4;
    return options;
}

struct Task : jtimer::netty::TimerTask {
    void run(const std::shared_ptr<Timeout>&) override { ++runs; }
    void cancelled(const std::shared_ptr<Timeout>&) override { ++cancels; }
    int runs = 0;
    int cancels = 0;
};

}  // namespace

BOOST_AUTO_TEST_CASE(a_timeout_runs_or_is_cancelled_and_is_told_of_it_once) {
    everyInterleaving(kWholeTimer, [] {
        auto clock = std::make_shared<ManualClock>(Date{});
        const auto task = std::make_shared<Task>();
        bool cancelled = false;
        bool cancelledToo = false;
        {
            HashedWheelTimer timer(on(clock));
            const auto timeout = timer.newTimeout(task, 10);
            together({[&] { cancelled = timeout->cancel(); },
                      [&] { cancelledToo = timeout->cancel(); }, [&] { clock->advance(30); }});
            clock->advance(30);
            check(timer.pendingTimeouts() == 0, "pending");
        }
        check(!(cancelled && cancelledToo), "cancelled twice");
        check(task->runs + task->cancels == 1, "not once");
        check((cancelled || cancelledToo) == (task->cancels == 1), "not as it said");
    });
}

BOOST_AUTO_TEST_CASE(cancellations_of_two_threads_reach_the_worker_with_what_they_wrote) {
    struct Reading : jtimer::netty::TimerTask {
        void run(const std::shared_ptr<Timeout>&) override {}
        void cancelled(const std::shared_ptr<Timeout>&) override { check(data == 1, "not seen"); }
        int data = 0;
    };
    everyInterleaving(kWholeTimer, [] {
        auto clock = std::make_shared<ManualClock>(Date{});
        HashedWheelTimer timer(on(clock));
        const auto cancelOne = [&](std::shared_ptr<Timeout> timeout, Reading& task) {
            return [timeout = std::move(timeout), &task]() mutable {
                task.data = 1;
                timeout->cancel();
                timeout.reset();
            };
        };
        const auto a = std::make_shared<Reading>();
        const auto b = std::make_shared<Reading>();
        together({cancelOne(timer.newTimeout(a, 100), *a), cancelOne(timer.newTimeout(b, 100), *b),
                  [&] { clock->advance(20); }});
        timer.stop();
    });
}

BOOST_AUTO_TEST_CASE(a_stop_returns_what_neither_ran_nor_was_cancelled) {
    everyInterleaving(kWholeTimer, [] {
        auto clock = std::make_shared<ManualClock>(Date{});
        const auto task = std::make_shared<Task>();
        HashedWheelTimer timer(on(clock));
        const auto timeout = timer.newTimeout(task, 10);
        bool cancelled = false;
        std::size_t left = 0;
        together({[&] { left = timer.stop().size(); }, [&] { cancelled = timeout->cancel(); },
                  [&] { clock->advance(20); }});
        check(task->runs + (cancelled ? 1 : 0) + static_cast<int>(left) == 1, "not once");
    });
}

BOOST_AUTO_TEST_CASE(a_cancel_that_waits_returns_after_the_run_on_an_executor) {
    everyInterleaving(kBounds, [] {
        auto clock = std::make_shared<ManualClock>(Date{});
        HashedWheelTimerOptions options = on(clock);
        std::function<void()> handed;
        options.taskExecutor = [&](std::function<void()> run) { handed = std::move(run); };
        int data = 0;
        HashedWheelTimer timer(options);
        const auto timeout = timer.newTimeout([&] { data = 1; }, 10);
        clock->advance(20);
        together({[&] {
                      handed();
                      handed = nullptr;
                  },
                  [&] { check(!timeout->cancelAndWait() && data == 1, "not seen"); }});
    });
}

BOOST_AUTO_TEST_CASE(a_timeout_that_outlives_its_timer_knows_it_or_none) {
    everyInterleaving(kWholeTimer, [] {
        auto clock = std::make_shared<ManualClock>(Date{});
        auto timer = std::make_unique<HashedWheelTimer>(on(clock));
        auto timeout = timer->newTimeout([] {}, 10);
        together({[&] { timer.reset(); },
                  [&, mine = timeout]() mutable {
                      static_cast<void>(mine->timer());
                      mine.reset();
                  }});
        check(timeout->timer() == nullptr, "it is gone");
    });
}

BOOST_AUTO_TEST_CASE(nodes_go_from_a_worker_to_a_producer_and_none_is_left) {
    everyInterleaving({1, 0, 0, 500, 100}, [] {
        using jtimer::netty::detail::giveNode;
        using jtimer::netty::detail::takeNode;
        NodeStock stock;
        std::array<void*, NodeStock::kBatch + 1> nodes{};
        for (void*& each : nodes) each = takeNode();
        together({[&] {
                      const NodeStock::Collecting collecting(stock);
                      for (void* each : nodes) giveNode(each);
                      stock.deleteSurplus();
                  },
                  [&] {
                      stock.supply();
                      giveNode(takeNode());
                  }});
        stock.deleteAll();
    });
}

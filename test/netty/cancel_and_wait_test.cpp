// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "support/abilities.hpp"
#include "support/forked_child.hpp"
#include "support/long_run.hpp"
#include "support/manual_wheel.hpp"
#include "support/race.hpp"
#include "support/test.hpp"

#include <jtimer/netty/scoped_timeout.hpp>

using namespace std::chrono_literals;
using jtimer::netty::HashedWheelTimer;
using jtimer::netty::HashedWheelTimerOptions;
using jtimer::netty::ScopedTimeout;
using test::Handle;

namespace {

/// Collects what a timer hands over, as a pool with no thread does.
struct Queue {
    std::vector<std::function<void()>> functions;

    jtimer::Executor executor() {
        return [this](std::function<void()> run) { functions.push_back(std::move(run)); };
    }
};

struct Fixture : test::LoggedClock, test::LongRun {};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(cancel_and_wait, Fixture)

BOOST_AUTO_TEST_CASE(c1_it_returns_when_the_run_is_over) {
    HashedWheelTimer timer(test::wheelOn(clock));
    const Handle timeout = timer.newTimeout(longRun(), 0);
    boost::thread time([&] { clock->advance(100); });
    running.wait();
    duringRun([&] {
        BOOST_TEST(!timeout->cancelAndWait());
        BOOST_TEST(over.load());
    });
    BOOST_TEST(!timeout->cancelAndWait());
    BOOST_TEST(timeout->isExpired());
    BOOST_TEST(!timeout->isCancelled());
    time.join();
}

BOOST_AUTO_TEST_CASE(c1_without_a_run_in_progress_it_is_cancel) {
    HashedWheelTimer timer(test::wheelOn(clock));
    const Handle pending = timer.newTimeout(log.entry("pending"), 0);
    const Handle expires = timer.newTimeout(log.entry("a"), 0);
    BOOST_TEST(pending->cancelAndWait());
    BOOST_TEST(!pending->cancelAndWait());
    BOOST_TEST(pending->isCancelled());
    clock->advance(100);
    BOOST_TEST(!expires->cancelAndWait());
    BOOST_TEST(expires->isExpired());
    BOOST_TEST(log.take() == "a@100");
}

BOOST_AUTO_TEST_CASE(c1_it_does_not_wait_for_the_run_of_another_timeout) {
    HashedWheelTimer timer(test::wheelOn(clock));
    const Handle before = timer.newTimeout([] {}, 0);
    timer.newTimeout(longRun(), 0);
    const Handle after = timer.newTimeout([] {}, 0);
    boost::thread time([&] { clock->advance(100); });
    running.wait();
    BOOST_TEST(!before->cancelAndWait());
    BOOST_TEST(after->cancelAndWait());
    BOOST_TEST(!over.load());
    released.open();
    time.join();
}

BOOST_AUTO_TEST_CASE(c1_inside_the_run_it_does_not_wait) {
    Queue queue;
    auto options = test::wheelOn(clock);
    HashedWheelTimer inlined(options);
    options.executor = [](const std::function<void()>& run) { run(); };
    HashedWheelTimer onWorker(options);
    options.executor = queue.executor();
    HashedWheelTimer elsewhere(options);
    std::atomic<int> runs{0};  // not the log: two workers run at the same time
    const auto wait = [&runs](const Handle& self) { runs += self->cancelAndWait() ? 100 : 1; };
    for (HashedWheelTimer* timer : {&inlined, &onWorker, &elsewhere}) timer->newTimeout(wait, 0);
    clock->advance(100);
    BOOST_TEST(runs.load() == 2);
    queue.functions.at(0)();
    BOOST_TEST(runs.load() == 3);
}

BOOST_AUTO_TEST_CASE(c1_with_an_executor_it_waits_for_what_was_handed_over) {
    Queue queue;
    auto options = test::wheelOn(clock);
    options.executor = queue.executor();
    HashedWheelTimer timer(options);
    const Handle timeout = timer.newTimeout(longRun(), 0);
    clock->advance(100);
    boost::thread pool([&] { queue.functions.at(0)(); });  // still holds the function afterwards
    duringRun([&] {
        BOOST_TEST(!timeout->cancelAndWait());
        BOOST_TEST(over.load());
    });
    pool.join();
}

BOOST_AUTO_TEST_CASE(c1_with_an_executor_it_returns_when_the_function_is_destroyed_uncalled) {
    Queue queue;
    auto options = test::wheelOn(clock);
    options.executor = queue.executor();
    HashedWheelTimer timer(options);
    const Handle timeout = timer.newTimeout(longRun(), 0);
    clock->advance(100);
    auto copy = queue.functions;
    std::atomic<bool> destroyed{false};
    const auto wait = [&] {
        BOOST_TEST(!timeout->cancelAndWait());
        BOOST_TEST(destroyed.load());
    };
    test::during(wait, [&](boost::thread&) {
        queue.functions.clear();
        test::yieldForAWhile();
        destroyed.store(true);
        copy.clear();
    });
}

BOOST_AUTO_TEST_CASE(c1_with_an_executor_that_throws_there_is_nothing_to_wait_for) {
    auto options = test::wheelOn(clock);
    options.executor = [](const std::function<void()>&) { throw std::runtime_error("full"); };
    options.uncaughtExceptionHandler = [](const std::string&, const std::exception_ptr&) {};
    HashedWheelTimer timer(options);
    const Handle timeout = timer.newTimeout(longRun(), 0);
    clock->advance(100);
    BOOST_TEST(!timeout->cancelAndWait());
}

BOOST_AUTO_TEST_CASE(c1_after_the_timer_it_still_waits_for_the_executor) {
    Queue queue;
    auto options = test::wheelOn(clock);
    options.executor = queue.executor();
    auto timer = std::make_unique<HashedWheelTimer>(options);
    const Handle timeout = timer->newTimeout(longRun(), 0);
    clock->advance(100);
    timer.reset();
    boost::thread pool([&] { queue.functions.at(0)(); });
    duringRun([&] {
        BOOST_TEST(!timeout->cancelAndWait());
        BOOST_TEST(over.load());
    });
    pool.join();
}

BOOST_AUTO_TEST_CASE(c1_an_interruption_does_not_end_the_wait) {
    test::needInterruption();
    HashedWheelTimer timer(test::wheelOn(clock));
    const Handle timeout = timer.newTimeout(longRun(), 0);
    boost::thread time([&] { clock->advance(100); });
    running.wait();
    interruptDuringRun([&] { timeout->cancelAndWait(); });
    time.join();
}

BOOST_AUTO_TEST_CASE(c1_in_a_forked_child_it_does_not_wait) {
    test::needFork();
    HashedWheelTimer timer(test::wheelOn(clock));
    const Handle timeout = timer.newTimeout(longRun(), 0);
    boost::thread time([&] { clock->advance(100); });
    running.wait();
    BOOST_TEST(test::inForkedChild([&] { return timeout->cancelAndWait() ? 1 : 0; }) == 0);
    released.open();
    time.join();
}

BOOST_AUTO_TEST_CASE(c1_a_scoped_timeout_cancels_and_waits_in_its_destructor) {
    HashedWheelTimer timer(test::wheelOn(clock));
    { const ScopedTimeout scoped(timer.newTimeout(log.entry("a"), 0)); }
    const Handle timeout = timer.newTimeout(longRun(), 0);
    boost::thread time([&] { clock->advance(100); });
    running.wait();
    duringRun([&] {
        { const ScopedTimeout scoped(timeout); }
        BOOST_TEST(over.load());
    });
    time.join();
    BOOST_TEST(log.take() == "");
}

BOOST_AUTO_TEST_CASE(c1_a_scoped_timeout_can_be_moved_and_an_assignment_cancels_the_former_one) {
    static_assert(!std::is_copy_constructible_v<ScopedTimeout>);
    static_assert(std::is_nothrow_move_constructible_v<ScopedTimeout>);
    HashedWheelTimer timer(test::wheelOn(clock));
    ScopedTimeout owner;
    BOOST_TEST(owner.timeout() == nullptr);
    owner = ScopedTimeout(timer.newTimeout(log.entry("first"), 0));
    ScopedTimeout moved(std::move(owner));
    BOOST_TEST(moved.timeout() != nullptr);
    const Handle first = moved.timeout();
    const bool atOnce =
        (moved = ScopedTimeout(timer.newTimeout(log.entry("second"), 0)), first->isCancelled());
    BOOST_TEST(atOnce);
    auto& itself = moved;
    moved = std::move(itself);
    clock->advance(100);
    BOOST_TEST(log.take() == "second@100");
}

BOOST_AUTO_TEST_SUITE_END()

// Whatever races, no run is in progress after the call, and none begins: on the worker and on the
// threads of an executor.
BOOST_AUTO_TEST_CASE(c1_after_cancelAndWait_no_run_is_in_progress_whatever_races) {
    for (const bool pooled : {false, true}) {
        HashedWheelTimerOptions options;
        options.tickDuration = std::chrono::microseconds(1000);
        boost::thread_group pool;
        if (pooled) {
            options.executor = [&](std::function<void()> run) {
                pool.create_thread(std::move(run));
            };
        }
        HashedWheelTimer timer(options);
        std::shared_ptr<int> halves;  // not atomic: a run beside its last read would be a data race
        Handle timeout;
        std::atomic<int> late{0};
        const auto prepare = [&](int) {
            halves = std::make_shared<int>(0);
            timeout = timer.newTimeout(
                [h = halves.get()] {
                    ++*h;
                    boost::this_thread::yield();
                    ++*h;
                },
                0);
        };
        prepare(0);
        const auto wait = [&](int round) {
            if (round % 4 != 0) {
                while (!timeout->isExpired()) boost::this_thread::yield();
            }
            timeout->cancelAndWait();
            late += *halves % 2;
        };
        test::race(pooled ? 100 : 300, {wait, wait}, prepare);
        timeout->cancelAndWait();
        pool.join_all();
        BOOST_TEST(late.load() == 0);
    }
}

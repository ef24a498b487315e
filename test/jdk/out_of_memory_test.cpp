// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
//
// Running out of memory: this program's operator new fails when a case says so.
// A program of its own, for it replaces operator new.
#include "support/manual_timer.hpp"
#include "support/reports_without_memory.hpp"
#include "support/test.hpp"
#include "support/thread_state.hpp"

using jtimer::MissedRuns;
using jtimer::OnException;
using jtimer::Ties;
using jtimer::Timer;
using jtimer::TimerOptions;
using jtimer::TimerTask;
using namespace std::chrono_literals;
using test::AllocationsLeft;
using test::beWithoutMemory;
using test::countBadAllocs;

namespace {

/// A captured value that makes a task too large for any block of them.
using Ballast = std::array<char, 300>;

struct Fixture {
    const std::shared_ptr<jtimer::ManualClock> clock =
        std::make_shared<jtimer::ManualClock>(test::kStart);
    test::FixedLog log;
    test::CerrInFixedMemory cerr;
};

const std::array<OnException, 3> kPolicies{OnException::StopTimer, OnException::CancelTask,
                                           OnException::ContinueTask};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(out_of_memory, Fixture)

// On the timer's thread: once it has no memory, it never has any again.

BOOST_AUTO_TEST_CASE(an_exception_is_reported_and_the_timer_goes_on) {
    for (const OnException policy : kPolicies) {
        for (const char handler : {'-', 't', 'u', 'd'}) {  // none, of tasks, uncaught, the default
            test::CerrInFixedMemory printed;
            TimerOptions options = test::onClock(clock);
            options.name = "a name too long to be kept inline";
            options.onException = policy;
            const auto allocate = [this](const std::string& name) {
                log.write(name == "a name too long to be kept inline" ? '!' : '?');
                static_cast<void>(name + name);
            };
            const auto uncaught = [&](const std::string& name, const std::exception_ptr&) {
                allocate(name);
            };
            if (handler == 'u') options.uncaughtExceptionHandler = uncaught;
            if (handler == 'd') jtimer::setDefaultUncaughtExceptionHandler(uncaught);
            if (handler == 't') {
                options.taskExceptionHandler = [&](const jtimer::TaskException& e) {
                    allocate(e.timerName);
                };
            }
            {
                Timer timer(options);
                timer.schedule(
                    [this] {
                        log.write('x');
                        beWithoutMemory();
                        throw std::bad_alloc();
                    },
                    10, 10);
                timer.schedule([this] { log.write('o'); }, 5, 10);
                clock->advance(35);
                jtimer::setDefaultUncaughtExceptionHandler({});
                const bool stops = policy == OnException::StopTimer;
                BOOST_TEST(timer.awaitTermination(stops ? 20'000 : 0) == stops);
            }
            const std::string told = handler == '-' ? "x" : "x!";
            const std::string ran = policy == OnException::StopTimer ? "o" + told
                                    : policy == OnException::CancelTask
                                        ? "o" + told + "ooo"
                                        : "o" + told + 'o' + told + 'o' + told + 'o';
            BOOST_TEST(log.take() == ran);
            const std::string in = handler == '-'   ? ""
                                   : handler == 't' ? " in taskExceptionHandler"
                                                    : " in uncaughtExceptionHandler";
            const std::string line = "Exception in thread \"a name too long to be kept inline\"" +
                                     in + " std::bad_alloc: std::bad_alloc\n";
            const std::string lines =
                policy == OnException::ContinueTask ? line + line + line : line;
            BOOST_TEST(printed.text() == lines);
        }
    }
}

BOOST_AUTO_TEST_CASE(a_refused_schedule_in_a_task_is_reported_and_the_timer_goes_on) {
    auto timer = std::make_unique<Timer>(test::onClock(clock, false));
    Timer& inTask = *timer;
    inTask.schedule(
        [&inTask, task = test::makeTask()] {
            try {
                inTask.schedule(task, 0);
            } catch (const jtimer::IllegalStateException&) {
                beWithoutMemory();
                throw;
            }
        },
        10);
    inTask.schedule([this] { log.write('o'); }, 20);
    boost::thread closing([&timer] { timer.reset(); });
    while (!test::isClosed(inTask)) boost::this_thread::yield();
    clock->advance(20);
    closing.join();
    BOOST_TEST(log.take() == "o");
    BOOST_TEST(cerr.text() == "Exception in thread \"test\" jtimer::IllegalStateException: Timer "
                              "already cancelled.\n");
}

BOOST_AUTO_TEST_CASE(a_slow_run_is_printed) {
    TimerOptions options = test::onClock(clock);
    options.slowTaskThreshold = 0;
    Timer timer(options);
    timer.schedule(
        [this] {
            clock->advance(std::chrono::microseconds(12'045));
            beWithoutMemory();
        },
        10);
    clock->advance(30);
    BOOST_TEST(cerr.text() == "Timer \"test\": an unnamed task took 12.045 ms.\n");
}

BOOST_AUTO_TEST_CASE(a_report_whose_task_has_a_long_name_leaves_the_name_out) {
    TimerOptions options = test::onClock(clock);
    options.slowTaskThreshold = 0;
    options.onException = OnException::CancelTask;
    Timer timer(options);
    const auto task = test::makeTask([this] {
        clock->advance(std::chrono::microseconds(12'045));
        beWithoutMemory();
        throw std::bad_alloc();
    });
    task->setName("a name too long to be kept inline");
    const long failedBefore = test::allocationsFailed();
    timer.schedule(task, 10);
    clock->advance(30);
    BOOST_TEST(cerr.text() == "Timer \"test\": an unnamed task took 12.045 ms.\n"
                              "Exception in thread \"test\" std::bad_alloc: std::bad_alloc\n");
    BOOST_TEST(test::allocationsFailed() > failedBefore);
}

BOOST_AUTO_TEST_CASE(nothing_that_the_thread_does_by_itself_needs_memory) {
    for (const Ties ties : {Ties::Jdk, Ties::Fifo}) {
        for (const bool removeOnCancel : {false, true}) {
            TimerOptions options = test::onClock(clock);
            options.ties = ties;
            options.removeOnCancel = removeOnCancel;
            options.onException = OnException::ContinueTask;
            options.uncaughtExceptionHandler = [](const std::string&, const std::exception_ptr&) {};
            Timer timer(options);
            const long failedBefore = test::allocationsFailed();
            timer.schedule([] { beWithoutMemory(); }, 0);
            clock->waitUntilIdle();
            std::vector<std::shared_ptr<TimerTask>> cancelled;
            for (int i = 0; i < 100; ++i) cancelled.push_back(timer.schedule([] {}, 5 + i % 7));
            timer.schedule([this] { log.write('a'); }, 10, 20);
            timer.scheduleAtFixedRate([this] { log.write('b'); }, 11, 20, MissedRuns::Skip);
            timer.schedule([this, b = Ballast{}] { log.write(b[0] == 0 ? 'c' : '?'); }, 12);
            timer.schedule([] { throw 1; }, 13);
            timer.schedule([&] { cancelled[50]->cancel(); }, 1);
            for (const auto& task : cancelled) {
                if (task != cancelled[50]) task->cancel();
            }
            clock->advance(35);
            BOOST_TEST(log.take() == "abcab");
            BOOST_TEST(test::allocationsFailed() == failedBefore);
        }
    }
}

/// ~Timer waits for a task, and so has its cancellation come by the timer, for which it needs
/// memory. Without it the thread waits for the task's time.
BOOST_AUTO_TEST_CASE(a_timer_that_is_not_a_daemon_ends_with_its_last_task) {
    const long failedBefore = test::allocationsFailed();
    auto timer = std::make_unique<Timer>(test::onClock(clock, false));
    timer->schedule([] { beWithoutMemory(); }, 0);
    const auto task = timer->schedule([] {}, 10);
    clock->waitUntilIdle();
    timer->detach();
    timer.reset();
    clock->waitUntilIdle();
    task->cancel();
    BOOST_TEST(test::allocationsFailed() == failedBefore + 1);
    clock->advance(10);
    BOOST_TEST(task.use_count() == 1);
}

// Of those who call. The first time that an allocation fails, then the second, and so on.

BOOST_AUTO_TEST_CASE(a_constructor_that_throws_leaves_nothing_behind) {
    for (int kind = 0; kind < 4; ++kind) {
        const auto other = std::make_shared<jtimer::ManualClock>();
        const std::string longName(50, 'x');
        const long failures = countBadAllocs([&] { BOOST_TEST(other.use_count() == 1); },
                                             [&] {
                                                 TimerOptions options;
                                                 options.daemon = true;
                                                 options.clock = other;
                                                 options.name = longName;
                                                 options.removeOnCancel = kind == 1;
                                                 if (kind == 2) options.onThreadStart = [] {};
                                                 if (kind == 3)
                                                     options.taskExceptionHandler =
                                                         [](const jtimer::TaskException&) {};
                                                 const Timer timer(std::move(options));
                                             });
        BOOST_TEST(failures > 3);
    }
}

BOOST_AUTO_TEST_CASE(a_schedule_that_throws_has_changed_nothing) {
    for (const Ties ties : {Ties::Jdk, Ties::Fifo}) {
        for (const bool removeOnCancel : {false, true}) {
            TimerOptions options = test::onClock(clock);
            options.ties = ties;
            options.removeOnCancel = removeOnCancel;
            using Call = std::function<void(Timer&, const std::shared_ptr<TimerTask>&)>;
            const std::vector<Call> calls{
                [](Timer& timer, const auto& task) { timer.schedule(task, 10); },
                [](Timer& timer, const auto& task) { timer.schedule(task, test::at(10)); },
                [](Timer& timer, const auto& task) { timer.schedule(task, 10, 10); },
                [](Timer& timer, const auto& task) { timer.scheduleAtFixedRate(task, 10, 10); },
                [](Timer& timer, const auto& task) {
                    timer.scheduleAtFixedRate(task, 10, 10, MissedRuns::Once);
                },
                [](Timer& timer, const auto& task) { timer.schedule(task, 10, 24h * 365 * 20); },
                [this](Timer& timer, const auto&) {
                    timer.schedule([this] { log.write('x'); }, 10);
                },
                [this](Timer& timer, const auto&) {
                    timer.schedule(
                        [this, ballast = Ballast{}] { log.write(ballast[0] == 0 ? 'x' : '?'); },
                        10);
                },
            };
            for (const Call& call : calls) {
                // Half full, and with the queue about to grow.
                for (const int pending : {0, 64, 127}) {
                    auto own = std::make_shared<jtimer::ManualClock>(clock->now());
                    options.clock = own;
                    Timer timer(options);
                    for (int i = 0; i < pending; ++i) timer.schedule([] {}, 10'000);
                    const auto task = test::makeTask([this] { log.write('x'); });
                    countBadAllocs(
                        [&] {
                            BOOST_TEST(!task->isScheduled());
                            BOOST_TEST(timer.stats().pending == static_cast<std::size_t>(pending));
                        },
                        [&] { call(timer, task); });
                    BOOST_TEST(timer.stats().pending == static_cast<std::size_t>(pending) + 1);
                    own->advance(10);
                    BOOST_TEST(log.take() == "x");
                }
            }
        }
    }
}

BOOST_AUTO_TEST_CASE(a_task_that_cannot_be_made_or_named_is_as_it_was) {
    const std::string longName(50, 'x');
    std::shared_ptr<TimerTask> task;
    BOOST_TEST(countBadAllocs([] {},
                              [&] {
                                  task =
                                      jtimer::makeTask([b = Ballast{}] { static_cast<void>(b); });
                              }) == 1);
    BOOST_TEST(countBadAllocs([&] { BOOST_TEST(task->name() == ""); },
                              [&] { task->setName(longName); }) > 0);
    BOOST_TEST(task->name() == longName);
}

BOOST_AUTO_TEST_CASE(shutdown_now_that_throws_has_changed_nothing) {
    Timer timer(test::onClock(clock));
    for (int i = 0; i < 10; ++i) timer.schedule([] {}, 10);
    std::vector<std::shared_ptr<TimerTask>> discarded;
    BOOST_TEST(countBadAllocs([&] { BOOST_TEST(timer.stats().pending == 10U); },
                              [&] { discarded = timer.shutdownNow(); }) == 1);
    BOOST_TEST(discarded.size() == 10U);
}

/// What a purge takes out may call purge() again, which takes out the rest.
BOOST_AUTO_TEST_CASE(a_purge_within_a_purge_needs_no_memory) {
    Timer timer(test::onClock(clock));
    int destroyed = 0;
    int purgedWithin = -1;
    const auto count = [&](const int*) {
        if (destroyed++ == 0) purgedWithin = timer.purge();
    };
    timer.schedule([this] { log.write('x'); }, 10);
    clock->waitUntilIdle();  // a thread that is awake drops cancelled tasks itself
    const int captured = 0;
    for (int i = 0; i < 40; ++i) {
        timer.schedule([held = std::shared_ptr<const int>(&captured, count)] {}, 11 + i)->cancel();
    }
    const long failedBefore = test::allocationsFailed();
    int purged = 0;
    {
        const AllocationsLeft none(0);
        purged = timer.purge();
    }
    BOOST_TEST(purged == 40);
    BOOST_TEST(purgedWithin == 0);
    BOOST_TEST(destroyed == 40);
    BOOST_TEST(test::allocationsFailed() == failedBefore);
    clock->advance(10);
    BOOST_TEST(log.take() == "x");
}

BOOST_AUTO_TEST_CASE(everything_else_needs_no_memory) {
    TimerOptions options = test::onClock(clock);
    for (const bool removeOnCancel : {false, true}) {
        options.removeOnCancel = removeOnCancel;
        auto timer = std::make_unique<Timer>(options);
        std::vector<std::shared_ptr<TimerTask>> tasks;
        for (int i = 0; i < 200; ++i) tasks.push_back(timer->schedule([] {}, 10, 10));
        const auto rate = timer->scheduleAtFixedRate([] {}, 10, 10, MissedRuns::Skip);
        jtimer::ScopedTask scoped(timer->schedule([] {}, 10));
        clock->waitUntilIdle();  // a thread that is awake drops cancelled tasks itself
        int purged = 0;
        bool ended = true;
        {
            const AllocationsLeft none(0);
            for (int i = 0; i < 100; ++i) tasks[static_cast<std::size_t>(i)]->cancel();
            tasks[100]->cancelAndWait();
            rate->cancel();
            scoped = jtimer::ScopedTask();
            purged = timer->purge();
            static_cast<void>(rate->isScheduled() || rate->isCancelled());
            static_cast<void>(rate->scheduledExecutionTime());
            static_cast<void>(rate->missedRuns());
            static_cast<void>(rate->name().size() + timer->name().size());
            static_cast<void>(timer->clock()->nanos());
            static_cast<void>(timer->stats().pending);
            ended = timer->awaitTermination(0);
            timer->cancel();
            timer->detach();
            timer.reset();
        }
        BOOST_TEST(purged == (removeOnCancel ? 0 : 103));
        BOOST_TEST(!ended);
    }
}

BOOST_AUTO_TEST_SUITE_END()

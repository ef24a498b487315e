// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "support/abilities.hpp"
#include "support/captured_cerr.hpp"
#include "support/counter.hpp"
#include "support/gate.hpp"
#include "support/manual_timer.hpp"
#include "support/scripted_clock.hpp"
#include "support/test.hpp"
#include "support/throws.hpp"

#include <boost/thread/exceptions.hpp>

using jtimer::OnException;
using jtimer::TaskException;
using jtimer::Timer;
using jtimer::TimerTask;

namespace {

constexpr const char* kCancelled = "Timer already cancelled.";

std::string messageOf(const std::exception_ptr& exception) {
    try {
        std::rethrow_exception(exception);
    } catch (const std::exception& e) {
        return e.what();
    }
}

/// What the handlers are told, each line one call.
struct Fixture : test::LoggedClock {
    std::string told;
    std::function<void(const TaskException&)> inHandler = [](const TaskException&) {};

    jtimer::TimerOptions options(OnException onException) {
        auto options = test::onClock(clock);
        options.onException = onException;
        options.uncaughtExceptionHandler = [this](const std::string& timer, std::exception_ptr e) {
            told += "uncaught " + timer + ": " + messageOf(e) + '\n';
        };
        return options;
    }
    jtimer::TimerOptions withHandler(OnException onException) {
        auto options = this->options(onException);
        options.taskExceptionHandler = [this](const TaskException& e) {
            told += e.timerName + ", " + e.task->name() + ", run " + std::to_string(e.run) + ": " +
                    messageOf(e.exception) + '\n';
            inHandler(e);
        };
        return options;
    }

    /// Throws in its second and third run.
    std::shared_ptr<TimerTask> thrower() {
        auto task = jtimer::makeTask([this, n = 0]() mutable {
            log.write("t");
            if (++n == 2 || n == 3) throw std::runtime_error("boom");
        });
        task->setName("thrower");
        return task;
    }
    std::string taken() { return std::exchange(told, {}); }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(on_exception, Fixture)

BOOST_AUTO_TEST_CASE(with_stop_timer_no_other_task_runs_as_in_java) {
    Timer timer(options(OnException::StopTimer));
    timer.schedule(thrower(), 10, 10);
    timer.schedule(log.entry("other"), 25);
    clock->advance(100);
    BOOST_TEST(log.take() == "t@10 t@20");
    BOOST_TEST(taken() == "uncaught test: boom\n");
    CHECK_THROWS(timer.schedule([] {}, 0), jtimer::IllegalStateException, kCancelled);
}

BOOST_AUTO_TEST_CASE(with_cancel_task_the_other_tasks_go_on) {
    Timer timer(options(OnException::CancelTask));
    const auto task = timer.schedule(thrower(), 10, 10);
    timer.schedule(log.entry("other"), 25, 10);
    clock->advance(45);
    BOOST_TEST(log.take() == "t@10 t@20 other@25 other@35 other@45");
    BOOST_TEST(taken() == "uncaught test: boom\n");
    BOOST_TEST(task->isCancelled());
    BOOST_TEST(!task->cancel());
    timer.schedule(log.entry("new"), 1);
    clock->advance(1);
    BOOST_TEST(log.take() == "new@46");
}

BOOST_AUTO_TEST_CASE(with_continue_task_its_next_run_comes_as_planned) {
    for (const bool fixedRate : {false, true}) {
        Timer timer(options(OnException::ContinueTask));
        const auto task = fixedRate ? timer.scheduleAtFixedRate(thrower(), 10, 10)
                                    : timer.schedule(thrower(), 10, 10);
        const auto start = test::ManualTimer::scheduled(*task) + 10;
        clock->advance(45);
        std::string expected;
        for (int i = 0; i < 4; ++i) {
            expected += (i == 0 ? "t@" : " t@") + std::to_string(start + 10 * i);
        }
        BOOST_TEST(log.take() == expected);
        BOOST_TEST(taken() == "uncaught test: boom\nuncaught test: boom\n");
        BOOST_TEST(!task->isCancelled());
    }
}

BOOST_AUTO_TEST_CASE(a_one_shot_that_throws_ends_nothing_but_itself) {
    for (const OnException policy : {OnException::CancelTask, OnException::ContinueTask}) {
        Timer timer(withHandler(policy));
        const auto task = timer.schedule([] { throw std::runtime_error("once"); }, 10);
        timer.schedule(log.entry("other"), 20);
        clock->advance(20);
        BOOST_TEST(taken() == "test, , run 1: once\n");
        BOOST_TEST(log.take().substr(0, 6) == "other@");
        BOOST_TEST(task->isCancelled() == (policy == OnException::CancelTask));
    }
}

BOOST_AUTO_TEST_CASE(the_task_exception_handler_is_told_of_each_with_timer_task_and_run) {
    for (const OnException policy :
         {OnException::StopTimer, OnException::CancelTask, OnException::ContinueTask}) {
        Timer timer(withHandler(policy));
        const auto rate = timer.scheduleAtFixedRate(thrower(), 0, 10);
        const TimerTask* seen = nullptr;
        bool cancelled = false, closed = false;
        inHandler = [&](const TaskException& e) {
            seen = e.task.get();
            cancelled = e.task->isCancelled();
            try {
                timer.schedule([] {}, 0);
            } catch (const jtimer::IllegalStateException&) {
                closed = true;
            }
        };
        clock->advance(50);
        BOOST_TEST(taken() == (policy == OnException::ContinueTask
                                   ? "test, thrower, run 2: boom\ntest, thrower, run 3: boom\n"
                                   : "test, thrower, run 2: boom\n"));
        BOOST_TEST(seen == rate.get());
        BOOST_TEST(cancelled == (policy == OnException::CancelTask));
        BOOST_TEST(closed == (policy == OnException::StopTimer));
        log.take();
    }
}

BOOST_AUTO_TEST_CASE(what_the_task_exception_handler_throws_is_printed_and_changes_nothing) {
    test::CapturedCerr cerr;
    inHandler = [](const TaskException&) { throw std::runtime_error("and again"); };
    Timer timer(withHandler(OnException::ContinueTask));
    timer.schedule(thrower(), 10, 10);
    clock->advance(20);
    BOOST_TEST(
        cerr.text() ==
        "Exception in thread \"test\" in taskExceptionHandler std::runtime_error: and again\n");
    clock->advance(30);
    BOOST_TEST(log.take() == "t@10 t@20 t@30 t@40 t@50");
}

BOOST_AUTO_TEST_CASE(the_task_exception_handler_may_destroy_the_timer) {
    test::Counter handled;
    std::shared_ptr<Timer> timer;
    jtimer::TimerOptions options;
    options.onException = OnException::ContinueTask;
    options.taskExceptionHandler = [&](const TaskException&) {
        timer.reset();
        handled.up();
    };
    timer = std::make_shared<Timer>(options);
    timer->schedule([] { throw 1; }, 1);
    BOOST_TEST(handled.reaches(1));
}

BOOST_AUTO_TEST_CASE(thread_interrupted_is_still_swallowed_and_told_to_nobody) {
    test::needInterruption();
    Timer timer(withHandler(OnException::CancelTask));
    const auto task = timer.schedule([] { throw boost::thread_interrupted(); }, 10, 10);
    clock->advance(100);
    BOOST_TEST(taken() == "");
    BOOST_TEST(!task->isCancelled());
}

BOOST_AUTO_TEST_CASE(cancellations_of_tasks_whose_runs_are_counted_answer_as_usual) {
    Timer timer(withHandler(OnException::ContinueTask));
    const auto rate = timer.scheduleAtFixedRate(log.entry("a"), 10, 10);
    clock->advance(20);
    BOOST_TEST(rate->cancel());
    BOOST_TEST(!rate->cancel());
    clock->advance(20);
    BOOST_TEST(log.take() == "a@10 a@20");
    int runs = 0;
    timer.scheduleAtFixedRate([&](TimerTask& self) { runs += 1 + self.cancel(); }, 0, 10);
    clock->advance(100);
    BOOST_TEST(runs == 2);
}

BOOST_AUTO_TEST_SUITE_END()

namespace {

/// The default handler of the process, while this lives.
struct ScopedDefault {
    explicit ScopedDefault(jtimer::UncaughtExceptionHandler handler) {
        jtimer::setDefaultUncaughtExceptionHandler(std::move(handler));
    }
    ~ScopedDefault() { jtimer::setDefaultUncaughtExceptionHandler({}); }
};

}  // namespace

BOOST_AUTO_TEST_CASE(the_default_handler_of_the_process_serves_timers_without_one_of_their_own) {
    const auto clock = std::make_shared<jtimer::ManualClock>(test::kStart);
    std::string told;
    const auto teller = [&told](const std::string& by) {
        return [&told, by](const std::string& timer, const std::exception_ptr& e) {
            told += by + ' ' + timer + ": " + messageOf(e) + '\n';
        };
    };
    test::CapturedCerr cerr;
    Timer before("before", true, clock);
    auto options = test::onClock(clock);
    options.uncaughtExceptionHandler = teller("own");
    Timer own(options);
    {
        BOOST_TEST(!jtimer::defaultUncaughtExceptionHandler());
        const ScopedDefault common(teller("default"));
        BOOST_TEST(!!jtimer::defaultUncaughtExceptionHandler());
        Timer after("after", true, clock);
        before.schedule([] { throw std::runtime_error("a"); }, 1);
        after.schedule([] { throw std::runtime_error("b"); }, 2);
        own.schedule([] { throw std::runtime_error("c"); }, 3);
        clock->advance(3);
        BOOST_TEST(told == "default before: a\ndefault after: b\nown test: c\n");
    }
    BOOST_TEST(!jtimer::defaultUncaughtExceptionHandler());
    Timer late("late", true, clock);
    late.schedule([] { throw std::runtime_error("d"); }, 1);
    clock->advance(1);
    BOOST_TEST(cerr.text() == "Exception in thread \"late\" std::runtime_error: d\n");
}

BOOST_AUTO_TEST_CASE(a_default_handler_may_replace_itself_and_what_it_throws_is_printed) {
    const auto clock = std::make_shared<jtimer::ManualClock>(test::kStart);
    test::CapturedCerr cerr;
    const ScopedDefault common([](const std::string&, const std::exception_ptr&) {
        jtimer::setDefaultUncaughtExceptionHandler({});
        throw std::runtime_error("again");
    });
    Timer timer("t", true, clock);
    timer.schedule([] { throw std::runtime_error("boom"); }, 1);
    clock->advance(1);
    BOOST_TEST(cerr.text() ==
               "Exception in thread \"t\" in uncaughtExceptionHandler std::runtime_error: again\n");
    BOOST_TEST(!jtimer::defaultUncaughtExceptionHandler());
}

// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
//
// A program of its own, for it prints the names of types of its own.
#include "support/abilities.hpp"
#include "support/captured_cerr.hpp"
#include "support/counter.hpp"
#include "support/manual_timer.hpp"
#include "support/test.hpp"
#include "support/throws.hpp"

#include <boost/thread/exceptions.hpp>

#include <pthread.h>

using jtimer::IllegalStateException;
using jtimer::TimerTask;
using namespace std::chrono_literals;

namespace shop {

struct OutOfStock : std::runtime_error {
    using std::runtime_error::runtime_error;
};
struct Speechless : std::exception {
    const char* what() const noexcept override { return nullptr; }
};
struct NoException {};
template <class T>
struct Lost : std::exception {
    const char* what() const noexcept override { return "lost"; }
};

}  // namespace shop

namespace {

using test::CapturedCerr;

/// What is printed when a task of a timer named `name` ends by an exception.
std::string printedFor(const std::string& name, const std::function<void()>& run) {
    CapturedCerr cerr;
    {
        jtimer::Timer timer(name);
        timer.schedule(run, 0);
    }
    return cerr.text();
}

std::string messageOf(const std::exception_ptr& exception) {
    try {
        std::rethrow_exception(exception);
    } catch (const std::exception& e) {
        return e.what();
    } catch (...) {
        return "no std::exception";
    }
}

constexpr const char* kCancelled = "Timer already cancelled.";
constexpr const char* kUsed = "Task already scheduled or cancelled";

void ignore(const std::string&, const std::exception_ptr&) {}

/// A timer on a manual clock whose handler writes down what it gets.
struct Dying {
    const std::shared_ptr<jtimer::ManualClock> clock =
        std::make_shared<jtimer::ManualClock>(test::kStart);
    std::vector<std::string> handled;
    std::function<void()> inHandler = [] {};
    jtimer::Timer timer{options()};
    jtimer::Timer other{test::onClock(clock)};

    jtimer::TimerOptions options() {
        auto options = test::onClock(clock);
        options.uncaughtExceptionHandler = [this](const std::string& name, std::exception_ptr e) {
            handled.push_back(name + ": " + messageOf(e));
            inHandler();
        };
        return options;
    }

    static std::shared_ptr<TimerTask> thrower() {
        return test::makeTask([] { throw std::runtime_error("boom"); });
    }
};

}  // namespace

// The default handler; that it spares the process (J126) is shown in process_test.cpp.

BOOST_AUTO_TEST_CASE(j119_c4_a_std_exception_is_printed_with_its_demangled_type_and_its_text) {
    BOOST_TEST(printedFor("backup", [] { throw std::runtime_error("boom"); }) ==
               "Exception in thread \"backup\" std::runtime_error: boom\n");
    BOOST_TEST(printedFor("backup", [] { throw shop::OutOfStock("no more apples"); }) ==
               "Exception in thread \"backup\" shop::OutOfStock: no more apples\n");
    BOOST_TEST(printedFor("backup", [] { throw shop::Lost<int>(); }) ==
               "Exception in thread \"backup\" shop::Lost<int>: lost\n");
    BOOST_TEST(printedFor("backup", [] { throw shop::OutOfStock(""); }) ==
               "Exception in thread \"backup\" shop::OutOfStock: \n");
    BOOST_TEST(printedFor("backup", [] { throw shop::Speechless{}; }) ==
               "Exception in thread \"backup\" shop::Speechless\n");
    BOOST_TEST(printedFor("backup", [] { throw shop::OutOfStock("line 1\nline 2"); }) ==
               "Exception in thread \"backup\" shop::OutOfStock: line 1\nline 2\n");
}

BOOST_AUTO_TEST_CASE(the_name_of_the_task_is_printed_if_it_has_one) {
    const auto poll = test::makeTask([] { throw std::runtime_error("boom"); });
    poll->setName("poll \"A\"");
    CapturedCerr cerr;
    {
        jtimer::Timer timer("backup");
        timer.schedule(poll, 0);
    }
    BOOST_TEST(cerr.text() ==
               "Exception in thread \"backup\" in task \"poll \"A\"\" std::runtime_error: boom\n");
}

BOOST_AUTO_TEST_CASE(c4_what_is_no_std_exception_is_printed_as_its_type) {
    BOOST_TEST(printedFor("backup", [] { throw 42; }) == "Exception in thread \"backup\" int\n");
    BOOST_TEST(printedFor("backup", [] { throw "text"; }) ==
               "Exception in thread \"backup\" char const*\n");
    BOOST_TEST(printedFor("backup", [] { throw shop::NoException{}; }) ==
               "Exception in thread \"backup\" shop::NoException\n");
}

BOOST_AUTO_TEST_CASE(c4_names_are_printed_as_they_are) {
    const std::vector<std::string> names{
        "\"quoted\" %s %n",     "two\nlines",          "täglich ⏰", "",
        std::string("a\0b", 3), std::string(1000, 'x')};
    for (const std::string& name : names) {
        BOOST_TEST(printedFor(name, [] { throw 42; }) ==
                   "Exception in thread \"" + name + "\" int\n");
    }
}

BOOST_AUTO_TEST_CASE(the_librarys_own_exceptions_leave_a_task_as_any_other) {
    BOOST_TEST(
        printedFor("backup", [] {
            jtimer::Timer timer;
            timer.schedule(nullptr, 0);
        }) == "Exception in thread \"backup\" jtimer::NullPointerException: task cannot be null\n");
}

// What becomes of the timer and its tasks.

BOOST_FIXTURE_TEST_SUITE(uncaught_exception, Dying)

BOOST_AUTO_TEST_CASE(
    j119_the_handler_of_the_options_gets_the_name_and_the_exception_instead_of_cerr) {
    CapturedCerr cerr;
    timer.schedule(thrower(), 10);
    clock->advance(10);
    BOOST_TEST(handled == std::vector<std::string>({"test: boom"}),
               boost::test_tools::per_element());
    BOOST_TEST(cerr.text() == "");
}

BOOST_AUTO_TEST_CASE(j121_the_task_that_throws_has_run_once_and_not_even_a_due_task_runs_after_it) {
    test::Log log(clock);
    timer.scheduleAtFixedRate(
        [&] {
            log.write("throws");
            throw shop::NoException{};
        },
        10, 10);
    timer.schedule(log.entry("before"), 5, 1000);
    timer.schedule(log.entry("tied"), 10);
    timer.schedule(log.entry("later"), 20);
    clock->advance(100);
    BOOST_TEST(log.take() == "before@5 throws@10");
    BOOST_TEST(handled == std::vector<std::string>({"test: no std::exception"}),
               boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(j122_to_its_callers_the_dead_timer_is_a_cancelled_one) {
    timer.schedule(thrower(), 10);
    clock->advance(10);
    CHECK_THROWS(timer.schedule([] {}, 0), IllegalStateException, kCancelled);
    CHECK_THROWS(timer.schedule([] {}, test::at(50), 100), IllegalStateException, kCancelled);
    CHECK_THROWS(timer.scheduleAtFixedRate([] {}, 0, 100), IllegalStateException, kCancelled);
    CHECK_THROWS(timer.schedule(nullptr, 0), IllegalStateException, kCancelled);
    BOOST_TEST(timer.purge() == 0);
    timer.cancel();
    timer.cancel();
    CHECK_THROWS(timer.schedule([] {}, 0), IllegalStateException, kCancelled);

    const auto refused = test::makeTask();
    CHECK_THROWS(timer.schedule(refused, 0), IllegalStateException, kCancelled);
    other.schedule(refused, 0);  // J34: it is still virgin
}

BOOST_AUTO_TEST_CASE(j123_the_tasks_keep_their_states_and_none_can_be_scheduled_again) {
    const auto once = timer.schedule(thrower(), 10);
    const auto pending = timer.schedule([] {}, 20, 20);
    const auto done = timer.schedule([] {}, 5);
    clock->advance(10);
    for (const auto& task : {once, pending, done}) {
        CHECK_THROWS(other.schedule(task, 0), IllegalStateException, kUsed);
    }
    BOOST_TEST(!done->cancel());
    BOOST_TEST(!once->cancel());
    BOOST_TEST(pending->cancel());
    BOOST_TEST(!pending->cancel());
}

BOOST_AUTO_TEST_CASE(j123_a_repeating_task_that_throws_stays_scheduled) {
    for (const bool fixedRate : {false, true}) {
        Dying dying;
        const auto task = thrower();
        fixedRate ? dying.timer.scheduleAtFixedRate(task, 10, 10)
                  : dying.timer.schedule(task, 10, 10);
        dying.clock->advance(10);
        CHECK_THROWS(other.schedule(task, 0), IllegalStateException, kUsed);
        BOOST_TEST(task->cancel());
        BOOST_TEST(!task->cancel());
    }
}

BOOST_AUTO_TEST_CASE(j124_the_handler_finds_a_timer_that_is_over_and_its_tasks_dropped) {
    std::vector<std::string> found;
    std::weak_ptr<TimerTask> pending, dead;
    inHandler = [&] {
        try {
            timer.schedule([] {}, 0);
        } catch (const IllegalStateException& e) {
            found.push_back(e.what());
        }
        found.push_back(std::to_string(timer.purge()));
        found.push_back(pending.expired() && dead.expired() ? "dropped" : "still there");
        timer.cancel();
    };
    pending = timer.schedule([] {}, 20);
    dead = timer.schedule(thrower(), 10);
    clock->advance(10);
    BOOST_TEST(found == std::vector<std::string>({kCancelled, "0", "dropped"}),
               boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(j125_a_task_that_catches_its_own_exception_keeps_the_timer_alive) {
    int runs = 0;
    timer.schedule(
        [&] {
            try {
                ++runs;
                throw std::runtime_error("boom");
            } catch (const std::exception&) {
            }
        },
        10, 10);
    clock->advance(100);
    BOOST_TEST(runs == 10);
    BOOST_TEST(handled.empty());
}

BOOST_AUTO_TEST_CASE(j127_thread_interrupted_is_swallowed_and_the_timer_goes_on) {
    test::needInterruption();
    int runs = 0;
    const auto task = timer.schedule(
        [&] {
            ++runs;
            throw boost::thread_interrupted();
        },
        10, 10);
    const std::weak_ptr<TimerTask> once =
        timer.schedule([] { throw boost::thread_interrupted(); }, 15);
    clock->advance(240);
    BOOST_TEST(runs == 24);
    BOOST_TEST(once.expired());
    BOOST_TEST(handled.empty());
    BOOST_TEST(task->cancel());
}

BOOST_AUTO_TEST_CASE(what_the_handler_throws_is_printed_and_changes_nothing) {
    CapturedCerr cerr;
    inHandler = [] { throw std::runtime_error("and again"); };
    timer.schedule(thrower(), 10);
    clock->advance(10);
    CHECK_THROWS(timer.schedule([] {}, 0), IllegalStateException, kCancelled);
    BOOST_TEST(handled.size() == 1U);
    BOOST_TEST(cerr.text() == "Exception in thread \"test\" in uncaughtExceptionHandler "
                              "std::runtime_error: and again\n");
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_CASE(the_handler_may_destroy_the_timer_and_is_itself_destroyed_after_that) {
    for (const bool daemon : {false, true}) {
        test::Counter handled, destroyed;
        std::shared_ptr<jtimer::Timer> timer;
        jtimer::TimerOptions options;
        options.daemon = daemon;
        std::shared_ptr<void> sentinel(nullptr, [&](void*) { destroyed.up(); });
        options.uncaughtExceptionHandler =
            [&, sentinel = std::move(sentinel)](const std::string&, const std::exception_ptr&) {
                timer.reset();
                handled.up();
            };
        timer = std::make_shared<jtimer::Timer>(std::move(options));
        timer->schedule(Dying::thrower(), 1);
        BOOST_TEST(handled.reaches(1));
        BOOST_TEST(destroyed.reaches(1));
    }
}

BOOST_AUTO_TEST_CASE(c4_the_destructor_of_a_timer_that_is_not_a_daemon_returns_when_a_task_throws) {
    std::weak_ptr<TimerTask> tasks[2];
    {
        jtimer::TimerOptions options;
        options.uncaughtExceptionHandler = ignore;
        jtimer::Timer timer(options);
        tasks[0] = timer.schedule([] {}, 1h, 1h);
        tasks[1] = timer.schedule(Dying::thrower(), 5);
    }
    BOOST_TEST(tasks[0].expired());
    BOOST_TEST(tasks[1].expired());
}

#if defined(__GLIBC__)

BOOST_AUTO_TEST_CASE(c4_pthread_exit_in_a_task_unwinds_the_thread_and_leaves_a_dead_timer) {
    test::needThreadExit();
    for (const bool fixedRate : {false, true}) {
        Dying dying;
        std::vector<std::weak_ptr<TimerTask>> tasks{dying.timer.schedule([] {}, 10),
                                                    dying.timer.schedule([] {}, 20, 20)};
        bool unwound = false;
        const auto exits = [&unwound] {
            const std::shared_ptr<void> local(nullptr, [&](void*) { unwound = true; });
            pthread_exit(nullptr);
        };
        tasks.push_back(fixedRate ? dying.timer.scheduleAtFixedRate(exits, 5, 5)
                                  : dying.timer.schedule(exits, 5));
        dying.clock->advance(5);
        BOOST_TEST(unwound);
        BOOST_TEST(dying.handled.empty());
        for (const auto& task : tasks) BOOST_TEST(task.expired());
        CHECK_THROWS(dying.timer.schedule([] {}, 0), IllegalStateException, kCancelled);
        BOOST_TEST(dying.timer.purge() == 0);
        dying.clock->advance(100);
    }
}

BOOST_AUTO_TEST_CASE(c4_after_pthread_exit_the_destructor_returns_and_nothing_is_left) {
    test::needThreadExit();
    for (const bool daemon : {false, true}) {
        test::Counter ran, clockDestroyed;
        {
            jtimer::TimerOptions options;
            options.daemon = daemon;
            options.clock = std::shared_ptr<jtimer::WallClock>(new jtimer::WallClock,
                                                               [&](const jtimer::WallClock* clock) {
                                                                   delete clock;
                                                                   clockDestroyed.up();
                                                               });
            jtimer::Timer timer(std::move(options));
            timer.schedule([] {}, 1h, 1h);
            timer.schedule(
                [&] {
                    ran.up();
                    pthread_exit(nullptr);
                },
                2);
            if (daemon) BOOST_TEST(ran.reaches(1));
        }
        BOOST_TEST(
            clockDestroyed.reaches(1));  // the thread may end a moment later than the destructor
        BOOST_TEST(ran.get() == 1);
    }
}

#endif

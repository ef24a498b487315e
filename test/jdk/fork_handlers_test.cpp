// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
//
// Only for POSIX: forks.
//
// Timers that handlers of pthread_atfork use, and a mutex that such handlers take. Of handlers that
// run before a fork the last registered one is the first; of those that run after it, the first.
#include "support/child_process.hpp"
#include "support/gate.hpp"
#include "support/test.hpp"

#include <jtimer/timer.hpp>

#include <boost/thread/lock_guard.hpp>

#include <pthread.h>

using jtimer::Timer;
using test::Gate;

namespace {

/// What the handlers do: nothing, unless a child process says so.
struct Handlers {
    std::function<void()> prepare, parent, child;
};
Handlers late;

void call(const std::function<void()>& handler) {
    if (handler) handler();
}

#if defined(__linux__)
Handlers early;
void prepareEarly() { call(early.prepare); }
void parentEarly() { call(early.parent); }
void childEarly() { call(early.child); }

/// Before all initializers, those of the library too: as in a program that has registered handlers
/// when it loads the library by dlopen.
__attribute__((no_sanitize("address", "thread", "undefined"), no_instrument_function)) void
registerEarly() {
    pthread_atfork(prepareEarly, parentEarly, childEarly);
}
[[gnu::section(".preinit_array"), gnu::used]] void (*const registersEarly)() = registerEarly;
#endif

/// In a program that is linked with the library.
void registerLate() {
    pthread_atfork([] { call(late.prepare); }, [] { call(late.parent); }, [] { call(late.child); });
}

void run(Timer& timer) {
    Gate hasRun;
    timer.schedule([&] { hasRun.open(); }, 0);
    hasRun.wait();
}

/// A task with a name makes the timer's thread take a mutex of the process when it ends.
std::shared_ptr<jtimer::TimerTask> named(Timer& timer) {
    const auto task = jtimer::makeTask([] {});
    task->setName("a task");
    timer.schedule(task, 3'600'000);
    return task;
}

/// Stops a timer before the fork, makes one after it in both processes, and uses it.
void restartAround(Handlers& handlers) {
    static std::unique_ptr<Timer> timer;
    timer = std::make_unique<Timer>(true);
    static const auto kept = timer->schedule([] {}, 1, 1);
    named(*timer);
    handlers.prepare = [] {
        kept->cancelAndWait();
        timer.reset();
    };
    handlers.parent = handlers.child = [] {
        timer = std::make_unique<Timer>(true);
        run(*timer);
    };
    for (int i = 0; i < 3; ++i) {
        const int exitCode = test::inForkedChild([] {
            run(*timer);
            return 7;
        });
        run(*timer);
        test::print(exitCode == 7 ? "forked\n" : "the child hangs\n");
        named(*timer);
    }
    handlers = {};
}

/// A mutex under which timers are made and destroyed, and which a fork takes.
void guardTimersWith(Handlers& handlers) {
    static boost::mutex sessions;
    handlers.prepare = [] { sessions.lock(); };
    handlers.parent = handlers.child = [] { sessions.unlock(); };
    std::atomic<int> made{0};
    std::atomic<bool> stop{false};
    boost::thread others([&] {
        while (!stop) {
            const boost::lock_guard<boost::mutex> lock(sessions);
            const Timer session(true);
            ++made;
        }
    });
    for (int i = 0; i < 20; ++i) {
        const int before = made;
        while (made == before) boost::this_thread::yield();
        if (test::inForkedChild([] { return 0; }) != 0) test::print("the child hangs\n");
    }
    stop = true;
    others.join();
    handlers = {};
    test::print("forked\n");
}

CHILD_PROCESS(restarts_a_timer_in_handlers) {
    alarm(60);
    registerLate();
    restartAround(late);
}

CHILD_PROCESS(guards_timers_with_a_mutex_that_handlers_take) {
    alarm(60);
    registerLate();
    guardTimersWith(late);
}

#if defined(__linux__)
CHILD_PROCESS(restarts_a_timer_in_handlers_that_are_older_than_the_library) {
    alarm(60);
    restartAround(early);
}
#endif

}  // namespace

BOOST_AUTO_TEST_CASE(c11_handlers_of_fork_may_stop_timers_and_make_new_ones) {
    const auto child = test::runChild("restarts_a_timer_in_handlers");
    BOOST_TEST(child.out == "forked\nforked\nforked\n");
    BOOST_TEST(child.exitCode == 0);
}

BOOST_AUTO_TEST_CASE(c11_handlers_of_fork_may_take_a_mutex_under_which_timers_are_made) {
    const auto child = test::runChild("guards_timers_with_a_mutex_that_handlers_take");
    BOOST_TEST(child.out == "forked\n");
    BOOST_TEST(child.exitCode == 0);
}

#if defined(__linux__)
BOOST_AUTO_TEST_CASE(c11_handlers_of_fork_older_than_the_library_may_stop_and_make_timers) {
    const auto child =
        test::runChild("restarts_a_timer_in_handlers_that_are_older_than_the_library");
    BOOST_TEST(child.out == "forked\nforked\nforked\n");
    BOOST_TEST(child.exitCode == 0);
}
#endif

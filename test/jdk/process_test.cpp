// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
//
// A program of its own, for it prints the name of a type of its own.
#include "support/abilities.hpp"
#include "support/child_process.hpp"
#include "support/clocks.hpp"
#include "support/forked_child.hpp"
#include "support/gate.hpp"
#include "support/manual_timer.hpp"
#include "support/scripted_clock.hpp"
#include "support/thread_state.hpp"

#include <chrono>
#include <cstdlib>
#include <memory>
#include <optional>
#include <stdexcept>
#include <vector>

using jtimer::Date;
using jtimer::Timer;
using test::Gate;
using test::print;
using test::runChild;

namespace {

/// Alive in every process of this program, the parent too, from before main() until after it.
Timer globalTimer("global");
Timer globalDaemon("global daemon", true);

/// Runs as soon as main() has returned and ~Timer waits for it.
auto afterMain(Timer& timer, const char* text) {
    return [&timer, text] {
        test::awaitClosed(timer);
        print(text);
    };
}

auto printing(const char* text) {
    return [text] { print(text); };
}

struct Odd {};

}  // namespace

CHILD_PROCESS(throws_in_a_task) {
    Timer timer("j126");
    const auto ended = test::threadEnd(timer);
    timer.schedule([] { throw std::runtime_error("the disk is full"); }, 0);
    ended->wait();
    print("main returns\n");
}

BOOST_AUTO_TEST_CASE(
    j126_an_exception_that_ends_a_timer_is_printed_and_leaves_the_exit_code_alone) {
    const auto child = runChild("throws_in_a_task");
    BOOST_TEST(child.err == "Exception in thread \"j126\" std::runtime_error: the disk is full\n");
    BOOST_TEST(child.out == "main returns\n");
    BOOST_TEST(child.exitCode == 0);
}

CHILD_PROCESS(throws_what_is_no_exception) {
    for (const char* const name : {"an int", "a struct"}) {
        Timer timer(name);
        timer.scheduleAtFixedRate([name] { name[1] == 'n' ? throw 42 : throw Odd(); }, 0, 1);
    }
    print("main returns\n");
    std::exit(7);
}

BOOST_AUTO_TEST_CASE(j126_what_is_no_std_exception_leaves_another_exit_code_alone) {
    const auto child = runChild("throws_what_is_no_exception");
    BOOST_TEST(child.err == "Exception in thread \"an int\" int\n"
                            "Exception in thread \"a struct\" (anonymous namespace)::Odd\n");
    BOOST_TEST(child.out == "main returns\n");
    BOOST_TEST(child.exitCode == 7);
}

CHILD_PROCESS(leaves_one_shots_pending) {
    static Timer timer("j132");
    timer.schedule(afterMain(timer, "first\n"), 0);
    const auto now = std::chrono::system_clock::now();
    timer.schedule(printing("third\n"), now + std::chrono::milliseconds(40));
    timer.schedule(printing("second\n"), now + std::chrono::milliseconds(20));
    print("main returns\n");
}

BOOST_AUTO_TEST_CASE(j132_a_static_timer_keeps_the_process_alive_until_its_one_shots_have_run) {
    const auto child = runChild("leaves_one_shots_pending");
    BOOST_TEST(child.out == "main returns\nfirst\nsecond\nthird\n");
    BOOST_TEST(child.err == "");
    BOOST_TEST(child.exitCode == 0);
}

CHILD_PROCESS(leaves_a_repeating_task) {
    static Timer timer("j132");
    static int runs = 0;
    static std::weak_ptr<jtimer::TimerTask> task;
    task = timer.schedule(
        [] {
            afterMain(timer, "run\n")();
            if (++runs == 3) task.lock()->cancel();
        },
        1, 1);
    print("main returns\n");
}

BOOST_AUTO_TEST_CASE(
    j132_a_static_timer_keeps_the_process_alive_until_its_repeating_task_is_cancelled) {
    const auto child = runChild("leaves_a_repeating_task");
    BOOST_TEST(child.out == "main returns\nrun\nrun\nrun\n");
    BOOST_TEST(child.exitCode == 0);
}

CHILD_PROCESS(leaves_tasks_on_the_global_timers) {
    globalTimer.schedule(afterMain(globalTimer, "global\n"), 0);
    globalTimer.schedule(printing("global, later\n"), 20);
    globalDaemon.schedule(printing("never\n"), 3'600'000);
    print("main returns\n");
}

BOOST_AUTO_TEST_CASE(j132_a_global_timer_made_before_main_keeps_the_process_alive) {
    const auto child = runChild("leaves_tasks_on_the_global_timers");
    BOOST_TEST(child.out == "main returns\nglobal\nglobal, later\n");
    BOOST_TEST(child.err == "");
    BOOST_TEST(child.exitCode == 0);
}

CHILD_PROCESS(leaves_nothing_to_do) {
    static Timer idle;
    static Timer cancelled;
    static Timer cancelledTask;
    static Timer dead;
    cancelled.schedule(printing("never\n"), 3'600'000);
    cancelled.cancel();
    cancelledTask.schedule(printing("never\n"), 3'600'000)->cancel();
    const auto ended = test::threadEnd(dead);
    dead.schedule(printing("never\n"), 3'600'000);
    dead.schedule([] { throw Odd(); }, 0);
    ended->wait();
    print("main returns\n");
}

BOOST_AUTO_TEST_CASE(j132_static_timers_with_nothing_left_to_do_let_the_process_end) {
    const auto child = runChild("leaves_nothing_to_do");
    BOOST_TEST(child.out == "main returns\n");
    BOOST_TEST(child.exitCode == 0);
}

CHILD_PROCESS(leaves_tasks_on_a_daemon) {
    static Gate entered;
    static Timer timer("j133", true);
    timer.schedule(
        [] {
            entered.open();
            afterMain(timer, "running task ends\n")();
        },
        Date{});
    entered.wait();
    timer.schedule(printing("never\n"), Date{});
    timer.schedule(printing("never\n"), 3'600'000);
    timer.scheduleAtFixedRate(printing("never\n"), Date{} + std::chrono::seconds(1), 1);
    print("main returns\n");
}

BOOST_AUTO_TEST_CASE(j133_a_static_daemon_discards_its_tasks_and_waits_for_the_running_one_alone) {
    const auto child = runChild("leaves_tasks_on_a_daemon");
    BOOST_TEST(child.out == "main returns\nrunning task ends\n");
    BOOST_TEST(child.exitCode == 0);
}

CHILD_PROCESS(never_destroys_its_timers) {
    static Gate& entered = *new Gate;
    static Gate& neverOpened = *new Gate;
    static Timer& daemon = *new Timer("daemon", true);
    static Timer& timer = *new Timer("not a daemon");
    timer.schedule(printing("never\n"), 3'600'000);
    daemon.schedule(
        [] {
            print("task begins\n");
            entered.open();
            neverOpened.wait();
            print("task ends\n");
        },
        0);
    entered.wait();
    print("main returns\n");
}

BOOST_AUTO_TEST_CASE(j133_a_timer_that_is_never_destroyed_is_cut_off_with_its_running_task) {
    const auto child = runChild("never_destroys_its_timers");
    BOOST_TEST(child.out == "task begins\nmain returns\n");
    BOOST_TEST(child.exitCode == 0);
}

CHILD_PROCESS(uses_a_timer_after_main) {
    struct Late {
        ~Late() {
            Timer timer;
            timer.schedule(printing("made after main\n"), 1);
        }
    };
    static const Late late;
    print("main returns\n");
}

BOOST_AUTO_TEST_CASE(a_timer_can_be_made_in_the_destructor_of_a_static_object) {
    const auto child = runChild("uses_a_timer_after_main");
    BOOST_TEST(child.out == "main returns\nmade after main\n");
    BOOST_TEST(child.err == "");
    BOOST_TEST(child.exitCode == 0);
}

CHILD_PROCESS(forks_with_static_timers) {
    static Timer timer("parent");
    globalTimer.schedule([] {}, 3'600'000);
    globalDaemon.schedule([] {}, 3'600'000);
    timer.schedule([] {}, 3'600'000, 1000);
    // The child may find the monitor of a busy timer locked.
    static Timer busy("busy", true);
    busy.scheduleAtFixedRate([] {}, Date{} + std::chrono::hours(300'000), 1);
    // What a sanitizer locks to allocate stays locked in a child, so the threads must have started,
    // and must not be destroying a task.
    std::vector<std::shared_ptr<jtimer::TimerTask>> tasks;
    for (Timer* const each : {&timer, &globalTimer, &globalDaemon, &busy}) {
        Gate hasRun;
        tasks.push_back(each->schedule([&] { hasRun.open(); }, Date{}));
        hasRun.wait();
    }
    for (int i = 0; i < 20; ++i) {
        const auto exits = []() -> int { std::exit(7); };
        if (test::inForkedChild(exits) != 7) print("the child hangs\n");
    }
    print("children have left\n");
    timer.cancel();
    globalTimer.cancel();
}

BOOST_AUTO_TEST_CASE(c11_a_forked_child_that_does_not_use_the_timers_of_its_parent_can_exit) {
    test::needFork();
    const auto child = runChild("forks_with_static_timers");
    BOOST_TEST(child.out == "children have left\n");
    BOOST_TEST(child.exitCode == 0);
}

CHILD_PROCESS(forks_while_a_thread_waits_for_its_last_task) {
    const auto clock = std::make_shared<test::ScriptedClock>();
    std::optional<Timer> timer(test::onClock(clock, false));
    clock->awaitWait(1);
    const auto task = timer->schedule([] {}, 1000);
    clock->awaitWait(2);
    timer->detach();
    timer.reset();
    clock->awaitWait(3);
    const int exitCode = test::inForkedChild([&] {
        const int before = clock->notifications();
        return task->cancel() ? clock->notifications() - before : 9;
    });
    print(exitCode == 0 ? "cancelled\n" : "notified a thread that is not there\n");
    task->cancel();
}

BOOST_AUTO_TEST_CASE(a_forked_child_that_cancels_a_task_notifies_nobody) {
    test::needFork();
    const auto child = runChild("forks_while_a_thread_waits_for_its_last_task");
    BOOST_TEST(child.out == "cancelled\n");
    BOOST_TEST(child.exitCode == 0);
}

CHILD_PROCESS(forks_with_a_monitor_held) {
    const auto clock = std::make_shared<test::HangingClock>();
    jtimer::TimerOptions options;
    options.clock = clock;
    options.removeOnCancel = true;
    Timer timer(options);
    std::optional<jtimer::ScopedTask> scoped(timer.schedule([] {}, 3'600'000));
    const auto task = timer.schedule([] {}, 3'600'000);
    timer.schedule([&] { clock->armed = true; }, Date{});  // nobody waits for the monitor then
    clock->hangs.wait();
    const int exitCode = test::inForkedChild([&] {
        scoped.reset();
        return task->cancel() ? 7 : 8;
    });
    print(exitCode == 7 ? "cancelled\n" : "hung\n");
    clock->release();
    timer.cancel();
}

BOOST_AUTO_TEST_CASE(
    c11_a_forked_child_can_cancel_tasks_although_the_monitor_was_held_at_the_fork) {
    test::needFork();
    const auto child = runChild("forks_with_a_monitor_held");
    BOOST_TEST(child.out == "cancelled\n");
    BOOST_TEST(child.exitCode == 0);
}

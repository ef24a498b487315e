// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
//
// A program of its own, for it replaces operator new.
#include "thread/own_thread.hpp"

#include "support/abilities.hpp"
#include "support/child_process.hpp"
#include "support/failing_new.hpp"
#include "support/forked_child.hpp"
#include "support/gate.hpp"
#include "support/posix_thread.hpp"
#include "support/system_threads.hpp"
#include "support/test.hpp"
#include "support/thread_state.hpp"

#include <pthread.h>
#include <unistd.h>
#if !defined(_WIN32)
#include <csignal>
#include <spawn.h>
#endif

using jtimer::detail::OwnThread;
using test::Gate;
using namespace std::chrono_literals;

namespace {

/// Shows that everything the thread's body owns has been destroyed, and with it the body.
struct Owned {
    std::shared_ptr<int> object = std::make_shared<int>();
    bool destroyed() const { return object.use_count() == 1; }
};

/// Opens a gate when the last copy is gone.
std::shared_ptr<void> openAtEnd(Gate& gate) {
    return std::shared_ptr<void>(nullptr, [&gate](void*) { gate.open(); });
}

#if !defined(_WIN32)
bool isBlockedHere(int signal) {
    sigset_t blocked;
    pthread_sigmask(SIG_BLOCK, nullptr, &blocked);
    return sigismember(&blocked, signal) == 1;
}
#endif

}  // namespace

BOOST_AUTO_TEST_CASE(the_body_runs_on_a_thread_that_carries_the_first_15_bytes_of_the_name) {
    std::string name;
    OwnThread thread;
    BOOST_TEST(!thread.isCurrent());
    bool current = false;
    thread.start("a name of 21 letters.", [&] {
        name = test::currentThreadName();
        current = thread.isCurrent();
    });
    thread.finish();
    BOOST_TEST(name == "a name of 21 le");
    BOOST_TEST(current);
    BOOST_TEST(!thread.isCurrent());
}

BOOST_AUTO_TEST_CASE(finish_waits_for_the_body_on_every_thread_that_calls_it_and_can_be_repeated) {
    OwnThread thread;
    Gate released;
    std::atomic<bool> ended{false};
    Owned owned;
    thread.start("finish", [&, kept = owned.object] {
        released.wait();
        ended = true;
    });
    std::atomic<int> endedFirst{0};
    boost::thread_group callers;
    for (int i = 0; i < 4; ++i) {
        callers.create_thread([&] {
            thread.finish();
            if (ended) ++endedFirst;
        });
    }
    BOOST_TEST(!thread.awaitEnd(1ms));
    released.open();
    BOOST_TEST(thread.awaitEnd(20s));
    callers.join_all();
    BOOST_TEST(endedFirst == 4);
    BOOST_TEST(owned.destroyed());
    thread.finish();
}

BOOST_AUTO_TEST_CASE(without_start_finish_returns_at_once) {
    OwnThread thread;
    thread.finish();
    thread.finish();
    BOOST_TEST(!thread.isOfAnotherProcess());
}

BOOST_AUTO_TEST_CASE(on_the_thread_itself_finish_waits_for_nothing_and_the_thread_ends_by_itself) {
    Gate bodyDestroyed;
    auto thread = std::make_unique<OwnThread>();
    Gate go;
    thread->start("self", [&, kept = openAtEnd(bodyDestroyed)] {
        go.wait();
        thread->finish();
        thread.reset();
    });
    go.open();
    bodyDestroyed.wait();
    BOOST_TEST(!thread);
}

BOOST_AUTO_TEST_CASE(a_thread_that_is_let_go_runs_on_and_ends_by_itself) {
    Gate go, bodyDestroyed;
    {
        OwnThread thread;
        thread.start("let go", [&, kept = openAtEnd(bodyDestroyed)] { go.wait(); });
        thread.letGo();
        thread.letGo();
    }
    go.open();
    bodyDestroyed.wait();

    OwnThread ended;
    ended.start("ended", [] {});
    BOOST_TEST(ended.awaitEnd(20s));
    ended.letGo();
    ended.finish();  // waits for nothing, as nobody joins it
}

BOOST_AUTO_TEST_CASE(thread_local_destructors_of_a_thread_know_it_and_may_finish_and_destroy_it) {
    Gate bodyDestroyed, threadDestroyed;
    bool current = false;
    auto thread = std::make_unique<OwnThread>();
    Gate go;
    thread->start("thread_local", [&, kept = openAtEnd(bodyDestroyed)] {
        test::atThreadEnd([&] {
            current = thread->isCurrent();
            thread->finish();
            thread.reset();
            threadDestroyed.open();
        });
        go.wait();
    });
    go.open();
    threadDestroyed.wait();
    bodyDestroyed.wait();  // neither the thread nor what it owns has leaked
    BOOST_TEST(current);
    BOOST_TEST(!thread);
}

BOOST_AUTO_TEST_CASE(a_thread_that_has_ended_is_not_taken_for_the_next_one_with_its_id) {
    OwnThread first;
    pthread_t id{};
    first.start("first", [&] { id = pthread_self(); });
    first.finish();
    for (int i = 0; i < 100; ++i) {
        bool current = false;
        pthread_t otherId{};
        boost::thread other([&] {
            otherId = pthread_self();
            current = first.isCurrent();
        });
        other.join();
        BOOST_TEST(!current);
        if (pthread_equal(id, otherId) != 0) return;
    }
    test::skipCase("a thread that has got the id of one that has ended");
}

BOOST_AUTO_TEST_CASE(a_thread_that_pthread_exit_unwinds_is_not_joined_and_finish_returns) {
    test::needThreadExit();
    Gate bodyDestroyed;
    OwnThread thread;
    thread.start("unwound", [kept = openAtEnd(bodyDestroyed)] { pthread_exit(nullptr); });
    thread.finish();
    bodyDestroyed.wait();
}

BOOST_AUTO_TEST_CASE(after_finish_start_another_thread_can_be_started_whatever_ended_the_first) {
    test::needThreadExit();
    OwnThread thread;
    int runs = 0;
    for (int i = 0; i < 100; ++i) {
        thread.start("unwound", [&] {
            ++runs;
            pthread_exit(nullptr);
        });
        thread.finishStart();
        thread.start("returned", [&] { ++runs; });
        thread.finishStart();
    }
    thread.start("last", [&] {
        if (thread.isCurrent()) ++runs;
    });
    thread.finish();
    BOOST_TEST(runs == 201);
    thread.finish();
}

CHILD_PROCESS(unwinds_a_thread_when_no_key_is_left) {
    boost::thread([] {}).join();  // Boost.Thread has got its key
    pthread_key_t key{};
    while (pthread_key_create(&key, nullptr) == 0) {
    }
    Gate bodyDestroyed;
    OwnThread thread;
    thread.start("unwound", [kept = openAtEnd(bodyDestroyed)] { pthread_exit(nullptr); });
    thread.finish();
    bodyDestroyed.wait();
    test::print("ended\n");
}

BOOST_AUTO_TEST_CASE(
    pthread_exit_unwinds_a_thread_when_the_process_has_no_key_for_thread_data_left) {
    test::needThreadExit();
    const auto child = test::runChild("unwinds_a_thread_when_no_key_is_left");
    BOOST_TEST(child.out == "ended\n");
    BOOST_TEST(child.exitCode == 0);
}

CHILD_PROCESS(unwinds_a_thread_when_no_memory_is_left) {
    OwnThread thread;
    thread.start("unwound", [] {
        test::beWithoutMemory();
        pthread_exit(nullptr);
    });
    thread.finish();
    thread.finishStart();
    thread.start("next", [] {});
    thread.finish();
    thread.letGo();
    test::print("ended\n");
    _exit(0);  // with some hundred bytes that have leaked
}

BOOST_AUTO_TEST_CASE(pthread_exit_unwinds_a_thread_when_the_process_has_no_memory_left) {
    test::needThreadExit();
    const auto child = test::runChild("unwinds_a_thread_when_no_memory_is_left");
    BOOST_TEST(child.out == "ended\n");
    BOOST_TEST(child.exitCode == 0);
}

#if !defined(_WIN32)
BOOST_AUTO_TEST_CASE(a_thread_inherits_the_signal_mask_of_the_thread_that_starts_it) {
    sigset_t one, before;
    sigemptyset(&one);
    sigaddset(&one, SIGUSR2);
    pthread_sigmask(SIG_BLOCK, &one, &before);
    std::vector<int> blocked;
    OwnThread thread;
    thread.start("signals", [&] {
        for (int signal = 1; signal < SIGRTMAX; ++signal) {
            if (isBlockedHere(signal)) blocked.push_back(signal);
        }
    });
    thread.finish();
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    BOOST_TEST(blocked == std::vector<int>{SIGUSR2});
}

BOOST_AUTO_TEST_CASE(a_signal_ends_a_program_that_the_thread_starts) {
    OwnThread thread;
    int exitCode = 0;
    thread.start("signals", [&] {
        std::string sleep = "sleep", seconds = "20";
        const std::array<char*, 3> arguments{sleep.data(), seconds.data(), nullptr};
        pid_t program = 0;
        if (posix_spawnp(&program, "sleep", nullptr, nullptr, arguments.data(), environ) != 0)
            return;
        kill(program, SIGTERM);
        exitCode = test::exitCodeOf(program);
    });
    thread.finish();
    BOOST_TEST(exitCode == -SIGTERM);
}
#endif

BOOST_AUTO_TEST_CASE(a_forked_child_knows_that_it_has_no_such_thread) {
    test::needFork();
    OwnThread thread;
    Gate released;
    thread.start("fork", [&] { released.wait(); });
    BOOST_TEST(!thread.isOfAnotherProcess());
    BOOST_TEST(test::inForkedChild([&] { return thread.isOfAnotherProcess() ? 7 : 8; }) == 7);
    released.open();
    thread.finish();
}

BOOST_AUTO_TEST_CASE(pthread_cancel_does_not_end_finish) {
    test::needCancellation();
    OwnThread own;
    Gate calling, released;
    own.start("waits", [&] { released.wait(); });
    test::PosixThread finishing([&] {
        calling.open();
        own.finish();
    });
    calling.wait();
    finishing.cancel();
    BOOST_TEST(!own.awaitEnd(0ms));
    released.open();
    BOOST_TEST(finishing.join());
    BOOST_TEST(own.awaitEnd(0ms));
}

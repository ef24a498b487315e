// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "brpc/manual_thread.hpp"
#include "support/abilities.hpp"
#include "support/child_process.hpp"
#include "support/counter.hpp"
#include "support/system_threads.hpp"
#include "support/test.hpp"

#include <cerrno>
#include <system_error>

using jtimer::Date;
using jtimer::brpc::getGlobalTimerThread;
using jtimer::brpc::getOrCreateGlobalTimerThread;
using jtimer::brpc::TimerThread;
using test::print;

namespace {

bool runsATask(TimerThread& timer) {
    test::Counter ran;
    timer.schedule([&ran] { ran.up(); }, Date{});
    return ran.reaches(1);
}

}  // namespace

CHILD_PROCESS(creates_the_global_timer) {
    if (getGlobalTimerThread() != nullptr) print("there is one already\n");
    TimerThread& timer = getOrCreateGlobalTimerThread();
    if (getGlobalTimerThread() == &timer && &getOrCreateGlobalTimerThread() == &timer)
        print("the same\n");
    if (timer.start() == 0 && runsATask(timer)) print("it runs\n");
    test::Counter named;
    timer.schedule(
        [&named] {
            print(test::currentThreadName() + '\n');
            named.up();
        },
        Date{});
    named.reaches(1);
    timer.schedule([] { print("never\n"); }, Date::max());
}

BOOST_AUTO_TEST_CASE(b58_the_global_timer_is_created_once_with_default_options_and_never_stopped) {
    const auto child = test::runChild("creates_the_global_timer");
    BOOST_TEST(child.out == "the same\nit runs\nbrpc_timer\n");
    BOOST_TEST(child.err == "");
    BOOST_TEST(child.exitCode == 0);
}

CHILD_PROCESS(creates_the_global_timer_from_many_threads) {
    std::atomic<int> alike{0};
    std::atomic<TimerThread*> first{nullptr};
    boost::thread([] {}).join();  // with the first thread a sanitizer starts one of its own
    const auto before = test::numberOfThreads();
    boost::thread_group threads;
    for (int i = 0; i < 8; ++i) {
        threads.create_thread([&] {
            TimerThread* const mine = &getOrCreateGlobalTimerThread();
            TimerThread* expected = nullptr;
            alike += first.compare_exchange_strong(expected, mine) || expected == mine ? 1 : 0;
        });
    }
    threads.join_all();
    while (test::numberOfThreads() > before + 1) boost::this_thread::yield();
    print(std::to_string(alike) + " alike, " + std::to_string(test::numberOfThreads() - before) +
          " thread\n");
}

BOOST_AUTO_TEST_CASE(b58_whichever_thread_is_first_creates_it) {
    test::needNumberOfThreads();
    const auto child = test::runChild("creates_the_global_timer_from_many_threads");
    BOOST_TEST(child.out == "8 alike, 1 thread\n");
    BOOST_TEST(child.exitCode == 0);
}

CHILD_PROCESS(finds_the_global_timer_of_another_thread) {
    std::atomic<bool> isCreated{false};
    boost::thread creator([&] {
        getOrCreateGlobalTimerThread();
        isCreated.store(true, std::memory_order_relaxed);
    });
    while (!isCreated.load(std::memory_order_relaxed)) boost::this_thread::yield();
    TimerThread* const found = getGlobalTimerThread();
    print(found != nullptr && runsATask(*found) ? "it runs\n" : "none\n");
    creator.join();
}

// Nothing else orders the two threads: ThreadSanitizer checks that nothing else needs to.
BOOST_AUTO_TEST_CASE(b58_another_thread_can_use_it) {
    const auto child = test::runChild("finds_the_global_timer_of_another_thread");
    BOOST_TEST(child.out == "it runs\n");
    BOOST_TEST(child.err == "");
    BOOST_TEST(child.exitCode == 0);
}

CHILD_PROCESS(creates_the_global_timer_without_a_thread) {
    try {
        const test::NoMoreThreads noMoreThreads;
        getOrCreateGlobalTimerThread();
    } catch (const std::system_error& e) {
        if (e.code() == std::error_code(EAGAIN, std::generic_category())) print("EAGAIN\n");
    }
    if (getGlobalTimerThread() == nullptr) print("none\n");
    if (runsATask(getOrCreateGlobalTimerThread())) print("then one\n");
}

BOOST_AUTO_TEST_CASE(b59_if_it_cannot_be_started_the_next_call_tries_again) {
    test::needThreadLimit();
    const auto child = test::runChild("creates_the_global_timer_without_a_thread");
    BOOST_TEST(child.out == "EAGAIN\nnone\nthen one\n");
    BOOST_TEST(child.exitCode == 0);
}

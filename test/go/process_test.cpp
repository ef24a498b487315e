// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "support/abilities.hpp"
#include "support/child_process.hpp"
#include "support/counter.hpp"
#include "support/manual_timers.hpp"
#include "support/signalled_program.hpp"
#include "support/test.hpp"

#include <jtimer/go/context.hpp>
#include <jtimer/go/timers.hpp>

#include <csignal>

using namespace std::chrono_literals;
using test::print;
using test::runChild;

// The processes that functions start.

BOOST_AUTO_TEST_CASE(a_program_that_a_function_starts_gets_the_usual_signals) {
    test::needFork();
    for (const bool isOnPoller : {false, true}) {
        const auto clock = std::make_shared<jtimer::SteadyClock>();
        test::Counter ended;
        int program = 0;
        int child = 0;
        jtimer::go::Timers timers(isOnPoller ? test::goInline(clock) : test::goOnClock(clock));
        timers.afterFunc(0, [&] {
            program = test::endOfSignalledProgram();
            child = test::inForkedChild([] { return std::raise(SIGTERM); });
            ended.up();
        });
        BOOST_TEST_REQUIRE(ended.reaches(1));
        BOOST_TEST(program == -SIGTERM);
        BOOST_TEST(child == -SIGTERM);
    }
}

// The first use of the default timers.

CHILD_PROCESS(finds_the_default_timers_of_another_thread) {
    std::atomic<jtimer::go::Timers*> made{nullptr};
    boost::thread maker(
        [&] { made.store(&jtimer::go::defaultTimers(), std::memory_order_relaxed); });
    while (made.load(std::memory_order_relaxed) == nullptr) boost::this_thread::yield();
    print(&jtimer::go::defaultTimers() == made ? "found\n" : "another\n");
    maker.join();
}

// Nothing else orders the two threads: ThreadSanitizer checks that nothing else needs to.
BOOST_AUTO_TEST_CASE(a_thread_can_use_the_default_timers_that_another_has_made) {
    const auto child = runChild("finds_the_default_timers_of_another_thread");
    BOOST_TEST(child.out == "found\n");
    BOOST_TEST(child.err == "");
    BOOST_TEST(child.exitCode == 0);
}

// At the end of the process.

CHILD_PROCESS(reads_an_error_after_main) {
    struct Late {
        jtimer::go::Context context;
        ~Late() { print(context.err().message().c_str()); }
    };
    static Late late;  // made before the first error, so destroyed after what that made
    const auto [context, cancel] = withCancel(jtimer::go::background());
    cancel();
    late.context = context;
    print("main returns\n");
}

BOOST_AUTO_TEST_CASE(the_destructor_of_a_static_object_can_read_why_a_context_is_done) {
    const auto child = runChild("reads_an_error_after_main");
    BOOST_TEST(child.out == "main returns\ncontext canceled");
    BOOST_TEST(child.err == "");
    BOOST_TEST(child.exitCode == 0);
}

CHILD_PROCESS(waits_after_main) {
    struct Late {
        ~Late() {
            jtimer::go::sleep(1ms);
            jtimer::go::after(1ms).receive();
            print("waited\n");
        }
    };
    static const Late late;  // made before what the next call makes, so destroyed after it
    jtimer::go::sleep(1ms);
    print("main returns\n");
}

BOOST_AUTO_TEST_CASE(the_destructor_of_a_static_object_can_wait_on_the_default_timers) {
    const auto child = runChild("waits_after_main");
    BOOST_TEST(child.out == "main returns\nwaited\n");
    BOOST_TEST(child.err == "");
    BOOST_TEST(child.exitCode == 0);
}

// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "support/abilities.hpp"
#include "support/test.hpp"
#include "support/thread_start.hpp"

#include "support/counter.hpp"
#include "support/manual_timers.hpp"
#include "support/system_threads.hpp"

#include <pthread.h>

using jtimer::go::Timers;
using jtimer::go::TimersOptions;

namespace {

/// For the table: Timers whose only thread is the one that fires.
class Started {
  public:
    static constexpr const char* kOptions = "TimersOptions";

    Started(std::shared_ptr<jtimer::ManualClock> clock, std::function<void()> onThreadStart)
        : clock_(clock), options_(test::goInline(std::move(clock))) {
        options_.onThreadStart = std::move(onThreadStart);
    }
    void start() { timers_.emplace(options_); }
    bool runsATask() {
        bool ran = false;
        timers_->afterFunc(1000, [&ran] { ran = true; });
        clock_->advance(1000);
        return ran;
    }

  private:
    const std::shared_ptr<jtimer::ManualClock> clock_;
    TimersOptions options_;
    std::optional<Timers> timers_;
};

/// Timers whose onThreadStart does something on the first thread for functions, the second thread.
struct OnSecondThread {
    const std::shared_ptr<jtimer::ManualClock> clock =
        std::make_shared<jtimer::ManualClock>(test::kStart);
    std::atomic<int> calls{0};
    std::string reported;
    std::optional<Timers> timers;

    explicit OnSecondThread(const std::function<void()>& function) {
        TimersOptions options = test::goOnClock(clock);
        options.onThreadStart = [this, function] {
            if (++calls == 2) function();
        };
        options.uncaughtExceptionHandler = [this](const std::string& name,
                                                  const std::exception_ptr& thrown) {
            try {
                std::rethrow_exception(thrown);
            } catch (const std::exception& e) {
                reported += name + ':' + e.what();
            }
        };
        timers.emplace(options);
    }
    /// \returns whether a function of a timer runs
    bool runs() {
        bool ran = false;
        timers->afterFunc(10, [&ran] { ran = true; });
        clock->advance(10);
        return ran;
    }
};

}  // namespace

BOOST_AUTO_TEST_SUITE(go_thread_start)

BOOST_AUTO_TEST_CASE(a80_the_constructor_waits_for_on_thread_start_and_throws_what_it_throws) {
    test::ThreadStart<Started>::check();
}

BOOST_AUTO_TEST_CASE(a81_it_runs_on_each_thread_for_functions_before_the_function) {
    thread_local int begun = 0;
    std::atomic<int> calls{0}, notBegun{0};
    test::ManualTimers t([&] {
        TimersOptions options = test::goOnClock(nullptr);
        options.onThreadStart = [&] {
            ++begun;
            ++calls;
        };
        return options;
    }());
    BOOST_TEST(calls == 1);
    for (int i = 0; i < 3; ++i) {
        t.timers.afterFunc(10, [&] {
            if (begun != 1) ++notBegun;
            t.timers.sleep(100);
        });
    }
    t.clock->advance(200);
    BOOST_TEST(notBegun == 0);
    BOOST_TEST(calls >= 4);
    BOOST_TEST(begun == 0);
}

BOOST_AUTO_TEST_CASE(a81_what_it_throws_on_a_thread_for_functions_is_reported) {
    OnSecondThread t([] { throw std::runtime_error("no such priority"); });
    BOOST_TEST(t.calls == 1);
    BOOST_TEST(t.runs());
    BOOST_TEST(t.reported == "test:no such priority");
    BOOST_TEST(t.runs());
    BOOST_TEST(t.reported == "test:no such priority");
    BOOST_TEST(t.timers->stats().failed == 0U);
}

BOOST_AUTO_TEST_CASE(a81_if_it_ends_a_thread_for_functions_that_is_reported) {
    test::needThreadExit();
    OnSecondThread t([] { pthread_exit(nullptr); });
    BOOST_TEST(t.runs());
    BOOST_TEST(t.reported == "test:TimersOptions::onThreadStart ended the thread.");
}

BOOST_AUTO_TEST_CASE(a81_without_any_thread_for_functions_the_one_that_fires_runs_them) {
    const auto clock = std::make_shared<jtimer::ManualClock>(test::kStart);
    std::atomic<int> calls{0};
    boost::thread::id poller, ran;
    TimersOptions options = test::goOnClock(clock);
    options.onThreadStart = [&] {
        if (++calls > 1) throw std::runtime_error("none");
        poller = boost::this_thread::get_id();
    };
    options.uncaughtExceptionHandler = [](const std::string&, const std::exception_ptr&) {};
    Timers timers(options);
    timers.afterFunc(10, [&] { ran = boost::this_thread::get_id(); });
    clock->advance(10);
    BOOST_TEST((ran == poller));
}

BOOST_AUTO_TEST_CASE(a81_it_may_start_a_timer_of_its_own_timers_on_a_thread_for_functions) {
    test::Counter ran;
    std::optional<Timers> timers;
    OnSecondThread t([&] { timers->afterFunc(0, [&ran] { ran.up(); }); });
    timers.emplace(test::goOnClock(t.clock));
    BOOST_TEST(t.runs());
    BOOST_TEST(ran.reaches(1));
}

BOOST_AUTO_TEST_SUITE_END()

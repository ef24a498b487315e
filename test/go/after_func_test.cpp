// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "support/abilities.hpp"
#include "support/counter.hpp"
#include "support/gate.hpp"
#include "support/manual_timers.hpp"
#include "support/system_threads.hpp"
#include "support/test.hpp"
#include "support/throws.hpp"

#include <iostream>

using jtimer::NullPointerException;
using jtimer::go::Channel;
using jtimer::go::Timer;
using jtimer::go::Timers;
using test::Counter;

namespace {

unsigned processors() { return std::max(1U, boost::thread::hardware_concurrency()); }

/// Counts its copies that are alive.
struct Counted {
    explicit Counted(int& count) : alive(&count) { ++*alive; }
    Counted(const Counted& other) : alive(other.alive) { ++*alive; }
    ~Counted() { --*alive; }
    Counted& operator=(const Counted&) = delete;
    void operator()() const {}
    int* alive;
};

/// What is written to std::cerr meanwhile.
class CapturedErrors {
  public:
    CapturedErrors() : before_(std::cerr.rdbuf(captured_.rdbuf())) {}
    ~CapturedErrors() { std::cerr.rdbuf(before_); }
    std::string text() const { return captured_.str(); }

  private:
    std::ostringstream captured_;
    std::streambuf* before_;
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(go_after_func, test::ManualTimers)

BOOST_AUTO_TEST_CASE(g18_a_function_runs_on_a_thread_that_is_neither_the_callers_nor_the_pollers) {
    boost::thread::id first;
    boost::thread::id second;
    std::string name;
    timers.afterFunc(10, [&] {
        first = boost::this_thread::get_id();
        name = test::currentThreadName();
        timers.sleep(10);
    });
    timers.afterFunc(15, [&] { second = boost::this_thread::get_id(); });
    clock->advance(100);
    BOOST_TEST((first != boost::this_thread::get_id()));
    BOOST_TEST((first != second));
    BOOST_TEST(name == "test");
}

BOOST_AUTO_TEST_CASE(g18_a_function_that_blocks_holds_nobody_up) {
    timers.afterFunc(10, [this] {
        timers.sleep(100);
        write("slow");
    });
    timers.afterFunc(20, entry("f"));
    const auto timer = timers.newTimer(30);
    clock->advance(30);
    BOOST_TEST(take() == "f@20");
    BOOST_TEST(test::millis(timer.C().tryReceive()) == 30);
    clock->advance(100);
    BOOST_TEST(take() == "slow@110");
}

BOOST_AUTO_TEST_CASE(g18_an_idle_thread_is_used_again) {
    std::vector<boost::thread::id> threads(20);
    for (std::size_t i = 0; i < threads.size(); ++i) {
        timers.afterFunc(static_cast<int>(i),
                         [&threads, i] { threads[i] = boost::this_thread::get_id(); });
    }
    clock->advance(100);
    for (const auto& id : threads) BOOST_TEST((id == threads[0]));
}

BOOST_AUTO_TEST_CASE(g18_as_many_idle_threads_stay_as_there_are_processors) {
    inFunctionThread([] {});
    const auto before = test::numberOfThreads() - 1;
    const int many = static_cast<int>(processors()) + 7;
    for (int i = 0; i < many; ++i) timers.afterFunc(10, [this] { timers.sleep(10); });
    clock->advance(10);
    BOOST_TEST(test::numberOfThreads() - before == many);
    clock->advance(10);
    inFunctionThread([this] { test::stateError([this] { timers.sleep(1000); }); });
    for (int i = 1; i < static_cast<int>(processors()); ++i) {
        inFunctionThread([this] { test::stateError([this] { timers.sleep(1000); }); });
    }
    // Those that were too many end by themselves.
    const auto expected = static_cast<int>(processors());
    for (int i = 0; i < 100000 && test::numberOfThreads() - before != expected; ++i) {
        boost::this_thread::yield();
    }
    BOOST_TEST(test::numberOfThreads() - before == expected);
}

BOOST_AUTO_TEST_CASE(g18_what_thread_local_objects_do_at_the_end_of_a_thread_holds_nobody_up) {
#if defined(_WIN32)
    test::skipCase("thread_local objects that outlive their memory");
#endif
    static std::function<void()> atEnd;
    struct Ends {
        ~Ends() {
            if (const auto call = std::exchange(atEnd, nullptr)) call();
        }
    };
    test::Gate slept;
    atEnd = [&] {
        timers.sleep(10);
        slept.open();
    };
    const auto many = processors() + 1;  // one too many
    for (unsigned i = 0; i < many; ++i) {
        timers.afterFunc(10, [this] {
            thread_local const Ends ends;
            static_cast<void>(ends);
            timers.sleep(10);
        });
    }
    clock->advance(20);
    while (timers.stats().pending == 0) boost::this_thread::yield();
    inFunctionThread(entry("f"));
    BOOST_TEST(take() == "f@20");
    clock->advance(10);
    slept.wait();
}

BOOST_AUTO_TEST_CASE(g18_without_a_new_thread_a_function_waits_for_one) {
    test::needThreadLimit();
    timers.afterFunc(10, [this] {
        timers.sleep(50);
        write("first");
    });
    clock->advance(10);
    const test::NoMoreThreads no;
    timers.afterFunc(10, entry("second"));
    clock->advance(39);
    BOOST_TEST(take() == "");
    clock->advance(1);
    BOOST_TEST(take() == "");
    clock->advance(10);
    BOOST_TEST(take() == "first@60 second@60");
}

BOOST_AUTO_TEST_CASE(g18_a_function_for_which_there_was_no_thread_gets_one_when_it_is_due) {
    test::needThreadLimit();
    {
        const test::NoMoreThreads no;
        timers.afterFunc(10, [this] {
            timers.sleep(10);  // which the poller must not
            write("f");
        });
    }
    clock->advance(20);
    BOOST_TEST(take() == "f@20");
}

BOOST_AUTO_TEST_CASE(g18_without_any_thread_the_poller_runs_the_function) {
    test::needThreadLimit();
    const test::NoMoreThreads no;
    std::string error;
    timers.afterFunc(10, [&] {
        write("f");
        error = test::stateError([this] { timers.sleep(10); });
    });
    clock->advance(100);
    BOOST_TEST(take() == "f@10");
    BOOST_TEST(error == "time: would block the thread that fires the timers");
}

BOOST_AUTO_TEST_CASE(g19_a_timer_with_a_function_has_no_channel_and_lives_without_its_handle) {
    BOOST_TEST(!timers.afterFunc(10, entry("f")).C());
    clock->advance(10);
    BOOST_TEST(take() == "f@10");
}

BOOST_AUTO_TEST_CASE(g19_any_callable_will_do) {
    auto number = std::make_unique<int>(7);
    timers.afterFunc(1, [this, number = std::move(number)] { write(std::to_string(*number)); });
    struct alignas(64) Wide {
        ManualTimers* t;
        void operator()() const {
            t->write(reinterpret_cast<std::uintptr_t>(this) % 64 == 0 ? "wide" : "misaligned");
        }
    };
    timers.afterFunc(2, Wide{this});
    struct Large {
        ManualTimers* t;
        char more[1000];
        int operator()() {
            t->write("large");
            return 1;
        }
    };
    timers.afterFunc(3, Large{this, {}});
    static int calls = 0;
    calls = 0;
    struct Plain {
        static void call() { ++calls; }
    };
    timers.afterFunc(4, Plain::call);
    timers.afterFunc(5, &Plain::call);
    const auto lvalue = entry("lvalue");
    timers.afterFunc(6, lvalue);
    clock->advance(10);
    BOOST_TEST(take() == "7@1 wide@2 large@3 lvalue@6");
    BOOST_TEST(calls == 2);
}

BOOST_AUTO_TEST_CASE(g19_the_function_is_kept_while_it_can_run_and_then_destroyed) {
    int alive = 0;
    Timer timer = timers.afterFunc(10, Counted(alive));
    BOOST_TEST(alive == 1);
    clock->advance(10);
    BOOST_TEST(alive == 1);  // it may be reset
    timer.reset(10);
    timer = Timer();
    BOOST_TEST(alive == 1);  // it runs still
    clock->advance(10);
    BOOST_TEST(alive == 0);
    Timer stopped = timers.afterFunc(10, Counted(alive));
    stopped.stop();
    BOOST_TEST(alive == 1);
    stopped = Timer();
    BOOST_TEST(alive == 0);
}

BOOST_AUTO_TEST_CASE(g19_a_null_function_is_refused_at_the_call) {
    CHECK_THROWS(timers.afterFunc(10, nullptr), NullPointerException, "f cannot be null");
    CHECK_THROWS(timers.afterFunc(10, std::function<void()>()), NullPointerException,
                 "f cannot be null");
    void (*none)() = nullptr;
    CHECK_THROWS(timers.afterFunc(10, none), NullPointerException, "f cannot be null");
    BOOST_TEST(timers.stats().pending == 0U);
}

BOOST_AUTO_TEST_CASE(g19_a_function_that_cannot_be_copied_changes_nothing) {
    struct Throws {
        Throws() = default;
        Throws(const Throws&) { throw std::runtime_error("copy"); }
        void operator()() const {}
    };
    const Throws f;
    CHECK_THROWS(timers.afterFunc(10, f), std::runtime_error, "copy");
    BOOST_TEST(timers.stats().pending == 0U);
}

BOOST_AUTO_TEST_CASE(g20_an_executor_is_given_the_function_at_its_time_on_the_poller) {
    std::vector<std::function<void()>> given;
    std::vector<std::int64_t> times;
    boost::thread::id thread;
    test::ManualTimers* self = nullptr;
    auto options = test::goOnClock(nullptr);
    options.executor = [&](std::function<void()> f) {
        given.push_back(std::move(f));
        times.push_back(self->now());
        thread = boost::this_thread::get_id();
    };
    test::ManualTimers t(options);
    self = &t;
    Timer timer = t.timers.afterFunc(10, [&t] { t.write("f"); });
    t.timers.afterFunc(20, [&t] { t.write("g"); });
    t.clock->advance(50);
    BOOST_TEST(times == (std::vector<std::int64_t>{10, 20}), boost::test_tools::per_element());
    BOOST_TEST((thread != boost::this_thread::get_id()));
    // It is handed over, though nobody has called it yet.
    BOOST_TEST(!timer.stop());
    BOOST_TEST(t.take() == "");
    given[0]();
    given[1]();
    BOOST_TEST(t.take() == "f@50 g@50");
}

BOOST_AUTO_TEST_CASE(g20_what_was_handed_over_may_be_called_after_the_end_of_the_runtime) {
    std::function<void()> given;
    int runs = 0;
    int alive = 0;
    {
        auto options = test::goOnClock(nullptr);
        options.executor = [&](std::function<void()> f) { given = std::move(f); };
        test::ManualTimers t(options);
        t.timers.afterFunc(10, [&runs, counted = Counted(alive)] { ++runs; });
        t.clock->advance(10);
    }
    given();
    BOOST_TEST(runs == 1);
    BOOST_TEST(alive == 1);
    given = nullptr;
    BOOST_TEST(alive == 0);
}

BOOST_AUTO_TEST_CASE(g20_what_the_executor_throws_goes_to_the_handler_and_the_rest_goes_on) {
    std::vector<std::string> reported;
    auto options = test::goOnClock(nullptr);
    int calls = 0;
    options.executor = [&calls](const std::function<void()>& f) {
        if (++calls == 1) throw std::runtime_error("full");
        f();
    };
    options.uncaughtExceptionHandler = [&](const std::string& name, std::exception_ptr e) {
        try {
            std::rethrow_exception(e);
        } catch (const std::exception& thrown) {
            reported.push_back(name + ": " + thrown.what());
        }
    };
    test::ManualTimers t(options);
    Timer lost = t.timers.afterFunc(10, [&t] { t.write("f"); });
    t.timers.afterFunc(20, [&t] { t.write("g"); });
    t.clock->advance(50);
    BOOST_TEST(reported == std::vector<std::string>{"test: full"},
               boost::test_tools::per_element());
    BOOST_TEST(t.take() == "g@20");
    BOOST_TEST(!lost.stop());
}

BOOST_AUTO_TEST_CASE(g21_what_a_function_throws_goes_to_the_handler_and_everything_goes_on) {
    std::vector<std::string> reported;
    for (const bool isInline : {false, true}) {
        auto options = isInline ? test::goInline(nullptr) : test::goOnClock(nullptr);
        options.uncaughtExceptionHandler = [&](const std::string& name, std::exception_ptr e) {
            try {
                std::rethrow_exception(e);
            } catch (const int number) {
                reported.push_back(name + std::to_string(number));
            }
            throw std::runtime_error("ignored");
        };
        test::ManualTimers t(options);
        Timer timer = t.timers.afterFunc(10, [] { throw 7; });
        t.timers.afterFunc(10, [&t] { t.write("f"); });
        t.clock->advance(10);
        timer.reset(10);
        t.clock->advance(10);
        BOOST_TEST(t.take() == "f@10");
    }
    BOOST_TEST(reported == std::vector<std::string>(4, "test7"), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(g21_by_default_what_a_function_throws_goes_to_stderr) {
    const CapturedErrors errors;
    inFunctionThread([] { throw std::out_of_range("too far"); });
    BOOST_TEST(errors.text() == "Exception in thread \"test\" std::out_of_range: too far\n");
}

BOOST_AUTO_TEST_CASE(g21_a_function_that_the_end_of_its_runtime_interrupts_is_not_reported) {
    std::vector<std::string> reported;
    const CapturedErrors errors;
    const auto options = [&](bool hasHandler) {
        jtimer::go::TimersOptions result = test::goOnClock(std::make_shared<jtimer::SteadyClock>());
        if (!hasHandler) return result;
        result.uncaughtExceptionHandler = [&](const std::string&, const std::exception_ptr& e) {
            try {
                std::rethrow_exception(e);
            } catch (const std::exception& thrown) {
                reported.emplace_back(thrown.what());
            }
        };
        return result;
    };
    for (const bool hasHandler : {true, false}) {
        const auto kFar = std::chrono::hours(1);
        Counter begun;
        Channel channel;
        Timers own(options(hasHandler));
        channel = own.after(kFar);
        const std::vector<std::function<void()>> functions{
            [&] { own.sleep(kFar); },
            [&] { channel.receive(); },
            [&] { channel.receiveFor(kFar); },
            [&] {
                jtimer::go::select({channel, Channel()}, kFar);
            },
            [&] {
                try {
                    own.sleep(kFar);
                } catch (const jtimer::IllegalStateException&) {
                    own.sleep(kFar);
                }
            },
        };
        for (const auto& function : functions) {
            own.afterFunc(0, [&begun, function] {
                begun.up();
                function();
            });
        }
        BOOST_TEST_REQUIRE(begun.reaches(5));
        while (own.stats().pending < 5) boost::this_thread::yield();  // the channel, four calls
    }
    BOOST_TEST(errors.text() == "");
    BOOST_TEST(reported.empty());
}

BOOST_AUTO_TEST_CASE(g21_what_a_function_throws_by_itself_at_the_end_of_its_runtime_is_reported) {
    const auto kFar = std::chrono::hours(1);
    Counter reports;
    std::vector<std::string> reported;
    auto options = test::goOnClock(std::make_shared<jtimer::SteadyClock>());
    options.uncaughtExceptionHandler = [&](const std::string&, const std::exception_ptr& e) {
        try {
            std::rethrow_exception(e);
        } catch (const std::exception& thrown) {
            reported.emplace_back(thrown.what());
        }
        reports.up();
    };
    {
        Counter begun;
        auto other = std::make_unique<Timers>();
        Timers own(options);
        // The end of another runtime is news.
        own.afterFunc(0, [&] { other->sleep(kFar); });
        while (other->stats().pending < 1) boost::this_thread::yield();
        other.reset();
        BOOST_TEST(reports.reaches(1));
        own.afterFunc(0, [&] {
            begun.up();
            try {
                own.sleep(kFar);
            } catch (const jtimer::IllegalStateException&) {
                throw jtimer::IllegalStateException("of the user");
            }
        });
        BOOST_TEST_REQUIRE(begun.reaches(1));
        while (own.stats().pending < 1) boost::this_thread::yield();
    }
    const std::vector<std::string> expected{"time: Timers destroyed", "of the user"};
    BOOST_TEST(reported == expected, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_SUITE_END()

// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "support/manual_wheel.hpp"
#include "support/test.hpp"
#include "support/throws.hpp"

#include <boost/function.hpp>

using namespace std::chrono_literals;
using jtimer::NullPointerException;
using jtimer::netty::HashedWheelTimer;
using jtimer::netty::Timeout;
using jtimer::netty::TimerTask;
using jtimer::netty::detail::TaskArgument;
using test::Handle;

namespace {

int freeCalls = 0;
int freeFunction() { return ++freeCalls; }
void freeFunctionWithHandle(const Handle& timeout) { freeCalls += timeout->isExpired() ? 1 : 0; }

struct Derived : TimerTask {
    void run(const Handle&) override { ++runs; }
    int runs = 0;
};

// The jdk's tasks, arguments of other types, and raw pointers are none.
static_assert(!std::is_convertible_v<std::shared_ptr<test::FunctionTask>, TaskArgument>);
static_assert(!std::is_convertible_v<Derived*, TaskArgument>);
static_assert(!std::is_convertible_v<int, TaskArgument>);
static_assert(!std::is_convertible_v<void (*)(int), TaskArgument>);
static_assert(std::is_abstract_v<TimerTask>);

}  // namespace

BOOST_FIXTURE_TEST_SUITE(argument, test::ManualWheel)

BOOST_AUTO_TEST_CASE(n54_a_task_is_a_shared_or_unique_pointer_to_a_derived_class) {
    const auto shared = std::make_shared<Derived>();
    const std::shared_ptr<TimerTask> base = shared;
    BOOST_TEST(timer.newTimeout(shared, 0)->task() == shared);
    BOOST_TEST(timer.newTimeout(base, 0)->task() == shared);
    BOOST_TEST(timer.newTimeout(std::shared_ptr<TimerTask>(base), 0)->task() == shared);
    const Handle unique = timer.newTimeout(std::make_unique<Derived>(), 0);
    const Handle uniqueBase =
        timer.newTimeout(std::unique_ptr<TimerTask>(std::make_unique<Derived>()), 0);
    advanceTo(100);
    BOOST_TEST(shared->runs == 3);
    for (const Handle& timeout : {unique, uniqueBase})
        BOOST_TEST(dynamic_cast<Derived&>(*timeout->task()).runs == 1);
}

BOOST_AUTO_TEST_CASE(n54_a_task_is_a_callable_that_takes_the_handle_or_nothing) {
    std::string calls;
    timer.newTimeout([&] { calls += "a"; }, 0);
    const Handle self =
        timer.newTimeout([&](const Handle& timeout) { calls += timeout == self ? "b" : "?"; }, 0);
    timer.newTimeout([&](const auto&) { calls += "c"; }, 0);
    timer.newTimeout([&](Handle) { calls += "d"; }, 0);
    const std::function<void()> named = [&] { calls += "e"; };
    timer.newTimeout(named, 0);
    const boost::function<void()> boosted = [&] { calls += "f"; };
    timer.newTimeout(boosted, 0);
    timer.newTimeout(std::ref(named), 0);
    advanceTo(100);
    BOOST_TEST(calls == "abcdefe");
}

BOOST_AUTO_TEST_CASE(n54_functions_and_their_results_and_move_only_callables) {
    freeCalls = 0;
    timer.newTimeout(freeFunction, 0);
    timer.newTimeout(&freeFunction, 0);
    timer.newTimeout(freeFunctionWithHandle, 0);
    auto owned = std::make_unique<int>(7);
    int seen = 0;
    timer.newTimeout([&, owned = std::move(owned)] { seen = *owned; }, 0);
    timer.newTimeout([&]() mutable { return "ignored"; }, 0);
    advanceTo(100);
    BOOST_TEST(freeCalls == 3);
    BOOST_TEST(seen == 7);
}

BOOST_AUTO_TEST_CASE(n54_what_can_be_called_either_way_gets_the_handle) {
    struct Either {
        std::string& calls;
        void operator()() { calls += "nothing"; }
        void operator()(const Handle&) { calls += "handle"; }
    };
    std::string calls;
    timer.newTimeout(Either{calls}, 0);
    timer.newTimeout([&](auto&&... arguments) { calls += std::to_string(sizeof...(arguments)); },
                     0);
    advanceTo(100);
    BOOST_TEST(calls == "handle1");
}

BOOST_AUTO_TEST_CASE(n54_a_wrapper_that_forwards_its_arguments_need_not_compile_without_any) {
    const auto expired = [](const Handle& handle) { return handle->isExpired(); };
    bool wasExpired = false;
    timer.newTimeout(
        [&](auto&&... arguments) {
            wasExpired = expired(std::forward<decltype(arguments)>(arguments)...);
        },
        0);
    advanceTo(100);
    BOOST_TEST(wasExpired);
}

BOOST_AUTO_TEST_CASE(n54_every_null_is_the_null_task) {
    const auto refused = [&](auto&& null) {
        CHECK_THROWS(timer.newTimeout(std::forward<decltype(null)>(null), 0), NullPointerException,
                     "task");
    };
    refused(nullptr);
    refused(std::shared_ptr<TimerTask>());
    refused(std::shared_ptr<Derived>());
    refused(std::unique_ptr<Derived>());
    refused(std::function<void()>());
    refused(std::function<void(const Handle&)>());
    refused(boost::function<void()>());
    refused(static_cast<void (*)()>(nullptr));
    refused(static_cast<void (*)(const Handle&)>(nullptr));
    const std::function<void()> empty;
    refused(empty);
    refused(std::ref(empty));
    BOOST_TEST(timer.pendingTimeouts() == 0);
}

BOOST_AUTO_TEST_CASE(n54_the_delay_is_milliseconds_or_a_duration) {
    timer.newTimeout(log.entry("a"), 150);
    timer.newTimeout(log.entry("b"), 250ms);
    timer.newTimeout(log.entry("c"), std::chrono::duration<double>(0.35));
    timer.newTimeout(log.entry("d"), 450'000'000ns);
    timer.newTimeout(log.entry("e"), 1min);
    clock->advance(1h);
    BOOST_TEST(log.take() == "a@200 b@300 c@400 d@500 e@60100");
}

BOOST_AUTO_TEST_SUITE_END()

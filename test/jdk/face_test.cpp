// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.

// Every way of writing a call: that it compiles, and that it does what it says.
#include "support/manual_timer.hpp"
#include "support/test.hpp"
#include "support/throws.hpp"

#include <jtimer/clock.hpp>
#include <jtimer/timer.hpp>

#include <boost/function.hpp>

using namespace std::chrono_literals;
using jtimer::Timer;
using jtimer::TimerTask;
using test::at;

namespace {

int runs = 0;
void count() { ++runs; }

struct Beep : TimerTask {
    void run() override { ++runs; }
};

struct Face : test::ManualTimer {
    Face() { runs = 0; }

    /// How many runs there are in the next `span` milliseconds.
    int runsIn(int span) {
        runs = 0;
        clock->advance(span);
        return runs;
    }
};

struct Hidden : private TimerTask {
    void run() override {}
};

template <class... Arguments>
using ScheduleResult = decltype(std::declval<Timer&>().schedule(std::declval<Arguments>()...));

template <class Void, class... Arguments>
struct CanSchedule : std::false_type {};
template <class... Arguments>
struct CanSchedule<std::void_t<ScheduleResult<Arguments...>>, Arguments...> : std::true_type {};
template <class... Arguments>
constexpr bool canSchedule = CanSchedule<void, Arguments...>::value;

template <class T, class... Arguments>
using RateResult = decltype(std::declval<T>().scheduleAtFixedRate(std::declval<Arguments>()...));

template <class Void, class T, class... Arguments>
struct CanScheduleAtFixedRate : std::false_type {};
template <class T, class... Arguments>
struct CanScheduleAtFixedRate<std::void_t<RateResult<T, Arguments...>>, T, Arguments...>
    : std::true_type {};
template <class T, class... Arguments>
constexpr bool canScheduleAtFixedRate = CanScheduleAtFixedRate<void, T, Arguments...>::value;

}  // namespace

BOOST_FIXTURE_TEST_SUITE(face, Face)

BOOST_AUTO_TEST_CASE(the_first_example_of_the_documentation_compiles_and_runs) {
    Timer a;
    Timer b(true);
    Timer c("backup");
    Timer d(std::string("backup"), true);
    jtimer::TimerOptions options;
    options.name = "tests";
    options.daemon = true;
    options.clock = std::make_shared<jtimer::ManualClock>(jtimer::Date{});
    Timer e(options);
    BOOST_TEST(a.name() == "Timer-0");
    BOOST_TEST(b.name() == "Timer-1");
    BOOST_TEST(c.name() == "backup");
    BOOST_TEST(d.name() == "backup");
    BOOST_TEST(e.name() == "tests");

    auto beep = std::make_shared<Beep>();
    b.schedule(beep, 3'600'000);
    b.schedule(std::make_shared<Beep>(), 3'600'000'000us);
    b.schedule(std::make_shared<Beep>(), std::chrono::system_clock::now() + 1h);
    b.schedule(std::make_shared<Beep>(), 3'600'000, 1000);
    b.scheduleAtFixedRate(std::make_shared<Beep>(), 3'600'000, 1000);
    std::shared_ptr<TimerTask> handle = b.schedule([] {}, 3'600'000);
    const bool prevented = handle->cancel();
    BOOST_TEST(prevented);
    const std::int64_t ms = beep->scheduledExecutionTime();
    BOOST_TEST(ms > 3'600'000);
    const int removed = b.purge();
    BOOST_TEST(removed == 1);
    b.cancel();
}

BOOST_AUTO_TEST_CASE(whatever_can_be_called_without_arguments_is_a_task) {
    struct Callable {
        void operator()() const { ++runs; }
    };
    struct MutableCallable {
        int operator()() { return ++runs; }
    };
    Callable callable;
    const Callable constant{};
    std::function<void()> function = count;
    const std::function<int()> returning = [] { return ++runs; };
    boost::function<void()> boostFunction = count;
    auto moveOnly = [one = std::make_unique<int>(1)] { runs += *one; };
    auto noexceptLambda = []() noexcept { ++runs; };

    // Can be called with and without its task, and is called with it.
    auto generic = [](auto&&... task) { runs += static_cast<int>(sizeof...(task)); };

    timer.schedule([] { ++runs; }, 1);
    timer.schedule(count, 1);
    timer.schedule(&count, 1);
    timer.schedule(callable, 1);
    timer.schedule(constant, 1);
    timer.schedule(std::ref(callable), 1);
    timer.schedule(MutableCallable{}, 1);
    timer.schedule(function, 1);
    timer.schedule(std::function<void()>(count), 1);
    timer.schedule(returning, 1);
    timer.schedule(boostFunction, 1);
    timer.schedule(std::move(moveOnly), 1);
    timer.schedule(noexceptLambda, 1);
    timer.schedule(generic, 1);
    timer.schedule(std::bind(count), 1);
    timer.schedule(std::bind([](int by) { runs += by; }, 1), 1);
    BOOST_TEST(runsIn(1) == 16);
    BOOST_TEST(!!function);  // a copy was taken
}

BOOST_AUTO_TEST_CASE(a_callable_that_takes_its_task_gets_it) {
    TimerTask* seen = nullptr;
    const auto handle = timer.schedule([&seen](TimerTask& self) { seen = &self; }, 1);
    clock->advance(1);
    BOOST_TEST(seen == handle.get());

    int times = 0;
    timer.schedule(
        [&times](TimerTask& self) {
            if (++times == 3) self.cancel();
        },
        0, 100);
    clock->advance(1000);
    BOOST_TEST(times == 3);

    const auto cancelSelf = [](TimerTask& task) { ++runs, task.cancel(); };
    timer.schedule(cancelSelf, 1, 1);
    timer.schedule(std::function<void(TimerTask&)>(cancelSelf), 1, 1);
    timer.schedule(std::bind(cancelSelf, std::placeholders::_1), 1, 1);
    timer.schedule(+cancelSelf, 1, 1);
    timer.schedule([](const TimerTask& self) { runs += self.scheduledExecutionTime() > 0; }, 1);
    timer.schedule(&TimerTask::cancel, 1, 1);
    BOOST_TEST(runsIn(100) == 5);
}

BOOST_AUTO_TEST_CASE(what_can_be_called_either_way_gets_the_task) {
    struct Either {
        void operator()() const { runs += 100; }
        void operator()(TimerTask&) const { ++runs; }
    };
    timer.schedule(Either{}, 1);
    timer.schedule([](auto&... self) { runs += static_cast<int>(sizeof...(self)); }, 1);
    BOOST_TEST(runsIn(1) == 2);
}

BOOST_AUTO_TEST_CASE(a_wrapper_that_forwards_its_arguments_need_not_compile_without_any) {
    const auto count = [](TimerTask& self) { runs += self.isCancelled() ? 100 : 1; };
    timer.schedule([count](auto&... self) { count(self...); }, 1);
    timer.schedule(jtimer::makeTask([count](auto&&... self) { count(self...); }), 1);
    BOOST_TEST(runsIn(1) == 2);
}

BOOST_AUTO_TEST_CASE(make_task_gives_the_task_before_it_is_scheduled) {
    std::shared_ptr<TimerTask> task;
    task = jtimer::makeTask([&task] { ++runs, task->cancel(); });
    task->setName("once");
    BOOST_TEST(task->scheduledExecutionTime() == 0);
    BOOST_TEST(timer.schedule(task, 1, 1) == task);
    BOOST_TEST(runsIn(10) == 1);

    auto moveOnly = [one = std::make_unique<int>(1)](TimerTask& self) {
        runs += *one, self.cancel();
    };
    timer.schedule(jtimer::makeTask(std::move(moveOnly)), 1, 1);
    BOOST_TEST(runsIn(10) == 1);
    CHECK_THROWS(jtimer::makeTask(std::function<void()>()), jtimer::NullPointerException,
                 "task cannot be null");
}

BOOST_AUTO_TEST_CASE(a_task_is_a_shared_or_unique_pointer_to_any_class_derived_from_timer_task) {
    struct LouderBeep : Beep {};
    const std::shared_ptr<LouderBeep> louder = std::make_shared<LouderBeep>();
    std::shared_ptr<TimerTask> base = std::make_shared<Beep>();
    timer.schedule(louder, 1);
    timer.schedule(base, 1);
    timer.schedule(std::make_shared<Beep>(), 1);
    timer.schedule(std::make_unique<Beep>(), 1);
    BOOST_TEST(runsIn(1) == 4);
}

BOOST_AUTO_TEST_CASE(every_schedule_returns_the_task) {
    const auto beep = std::make_shared<Beep>();
    BOOST_TEST(timer.schedule(beep, 1).get() == beep.get());
    const auto second = std::make_shared<Beep>(), third = std::make_shared<Beep>();
    BOOST_TEST(timer.schedule(second, 1, 1).get() == second.get());
    BOOST_TEST(timer.scheduleAtFixedRate(third, 1, 1).get() == third.get());
    static_assert(
        std::is_same_v<ScheduleResult<std::shared_ptr<Beep>, int>, std::shared_ptr<TimerTask>>);
    const std::shared_ptr<TimerTask> handle = timer.schedule(count, 1);
    handle->run();
    BOOST_TEST(runs == 1);
}

BOOST_AUTO_TEST_CASE(c3_a_null_pointer_and_an_empty_function_are_the_null_task) {
    const auto refused = [this](auto&& task) {
        CHECK_THROWS(timer.schedule(task, 1), jtimer::NullPointerException, "task cannot be null");
        CHECK_THROWS(timer.schedule(task, 1, 1), jtimer::NullPointerException,
                     "task cannot be null");
        CHECK_THROWS(timer.scheduleAtFixedRate(task, at(1), 1s), jtimer::NullPointerException,
                     "task cannot be null");
    };
    CHECK_THROWS(timer.schedule(nullptr, 5), jtimer::NullPointerException, "task cannot be null");
    refused(nullptr);
    refused(std::shared_ptr<TimerTask>());
    refused(std::shared_ptr<Beep>());
    refused(std::function<void()>());
    const std::function<int()> empty;
    refused(empty);
    refused(boost::function<void()>());
    void (*pointer)() = nullptr;
    refused(pointer);
    int (*noexceptPointer)() noexcept = nullptr;
    refused(noexceptPointer);
    std::function<void()> assignedLater;
    refused(std::ref(assignedLater));
    refused(std::cref(empty));
    refused(std::ref(pointer));
    assignedLater = [] { ++runs; };
    timer.schedule(std::ref(assignedLater), 1);
    clock->advance(1);
    BOOST_TEST(runs == 1);
}

BOOST_AUTO_TEST_CASE(a_first_time_and_a_period_can_be_mixed_of_all_kinds) {
    const auto delays = [this](auto when, auto period) {
        runs = 0;
        const auto rate = timer.scheduleAtFixedRate(count, when, period);
        const auto delay = timer.schedule(count, when, period);
        clock->advance(4);
        rate->cancel();
        delay->cancel();
        timer.purge();
        return runs;
    };
    BOOST_TEST(delays(0, 1000) == 2);
    BOOST_TEST(delays(0L, 2LL) == 6);
    BOOST_TEST(delays(0U, 2UL) == 6);
    BOOST_TEST(delays(std::int8_t{0}, std::uint16_t{2}) == 6);
    BOOST_TEST(delays(0ms, 1s) == 2);
    BOOST_TEST(delays(2, 2ms) == 4);
    BOOST_TEST(delays(2000us, 2) == 4);
    BOOST_TEST(delays(1500us, 2.0 * 1ms) == 4);
    BOOST_TEST(delays(std::chrono::duration<double>(0.0015), 2ms) == 4);
    BOOST_TEST(delays(clock->now(), 2) == 6);
    BOOST_TEST(delays(clock->now() + 3ms, 2ms) == 2);
    BOOST_TEST(delays(std::chrono::ceil<std::chrono::hours>(clock->now()), 1) == 0);
}

BOOST_AUTO_TEST_CASE(what_is_no_task_or_no_time_does_not_compile) {
    using Task = std::shared_ptr<Beep>;
    static_assert(canSchedule<Task, int> && canSchedule<Task, jtimer::Date, int>);
    static_assert(!canSchedule<Task, double>, "half a millisecond is 500us");
    static_assert(!canSchedule<Task, bool>);
    static_assert(!canSchedule<Task, std::chrono::steady_clock::time_point>, "a Date is wall time");
    static_assert(!canSchedule<Task, int, jtimer::Date>, "a period is no Date");
    static_assert(!canSchedule<Beep*, int>, "who would own it?");
    static_assert(!canSchedule<Beep, int> && !canSchedule<const Beep&, int>);
    static_assert(!canSchedule<std::shared_ptr<Hidden>, int> &&
                  !canSchedule<std::unique_ptr<Hidden>, int> && !canSchedule<Hidden*, int>);
    static_assert(!canSchedule<std::shared_ptr<const Beep>, int>);
    static_assert(!canSchedule<std::unique_ptr<Beep>&, int>, "it takes a std::move");
    static_assert(!canSchedule<std::shared_ptr<int>, int>);
    static_assert(!canSchedule<void (*)(int), int> && !canSchedule<void (&)(int), int>);
    static_assert(!canSchedule<std::function<void(int)>, int>);
    static_assert(!canSchedule<decltype(&Beep::run), int>, "any TimerTask may be passed to it");
    static_assert(!canSchedule<class Incomplete*, int>);
    static_assert(!canSchedule<int, int>);
    static_assert(!canSchedule<Task, int, bool> && !canSchedule<Task, int, float>);
    static_assert(!std::is_constructible_v<Timer, const wchar_t*>, "no pointer is a daemon flag");
    static_assert(!std::is_constructible_v<Timer, int*>);
    enum Unscoped { kDaemon };
    static_assert(!std::is_constructible_v<Timer, int> && !std::is_constructible_v<Timer, double> &&
                      !std::is_constructible_v<Timer, Unscoped> &&
                      !std::is_constructible_v<Timer, std::true_type>,
                  "only a bool is a daemon flag");
    static_assert(!std::is_constructible_v<Timer, const char*, const char*> &&
                  !std::is_constructible_v<Timer, const char*, int> &&
                  !std::is_constructible_v<Timer, std::string, double> &&
                  !std::is_constructible_v<Timer, std::string, const char*>);
    static_assert(std::is_constructible_v<Timer, bool&> &&
                  std::is_constructible_v<Timer, std::string, const bool&>);
    static_assert(canScheduleAtFixedRate<Timer&, Task, int, int> &&
                  canScheduleAtFixedRate<Timer&, Task, int, int, jtimer::MissedRuns>);
    static_assert(!canScheduleAtFixedRate<Timer, Task, int, int> &&
                      !canScheduleAtFixedRate<Timer, Task, int, int, jtimer::MissedRuns>,
                  "a temporary ends before the task runs");
    static_assert(!canScheduleAtFixedRate<Timer&, Task, double, int> &&
                  !canScheduleAtFixedRate<Timer&, Beep*, int, int, jtimer::MissedRuns>);
#if defined(__SIZEOF_INT128__)
    // An integer of 128 bits is one of the integer types in some modes of the compilers.
    __extension__ using Wide = __int128;
    static_assert(canSchedule<Task, Wide> == std::is_integral_v<Wide>);
#endif
    static_assert(!std::is_convertible_v<bool, Timer> &&
                  !std::is_convertible_v<const char*, Timer>);
    static_assert(!std::is_copy_constructible_v<Timer> && !std::is_move_constructible_v<Timer>);
    static_assert(!std::is_copy_constructible_v<Beep>);
    BOOST_TEST(true);
}

BOOST_AUTO_TEST_CASE(a_string_names_the_timer_and_never_becomes_the_daemon_flag) {
    char buffer[] = "buffer";
    char* pointer = buffer;
    BOOST_TEST(Timer("literal").name() == "literal");
    BOOST_TEST(Timer(buffer).name() == "buffer");
    BOOST_TEST(Timer(pointer).name() == "buffer");
    BOOST_TEST(Timer(std::string("string")).name() == "string");
    BOOST_TEST(Timer("literal", true).name() == "literal");
    CHECK_THROWS(Timer(nullptr), jtimer::NullPointerException, "name cannot be null");
    CHECK_THROWS(Timer(nullptr, true), jtimer::NullPointerException, "name cannot be null");
    jtimer::TimerOptions options;
    BOOST_TEST(!options.name);
    pointer = nullptr;
    CHECK_THROWS(options.name = pointer, jtimer::NullPointerException, "name cannot be null");
    CHECK_THROWS(options.name = nullptr, jtimer::NullPointerException, "name cannot be null");
    BOOST_TEST(!options.name);
    options.name = buffer;
    BOOST_TEST(*options.name == "buffer");
    options.name = std::string_view("view");
    BOOST_TEST(Timer(options).name() == "view");
    options.name = std::optional<std::string>("optional");
    BOOST_TEST(options.name.value() == "optional");
    options.name = std::nullopt;
    BOOST_TEST(!options.name);
    options.name.emplace("emplaced");
    BOOST_TEST(options.name->size() == 8U);
}

BOOST_AUTO_TEST_CASE(c5_the_exceptions_can_be_caught_as_what_the_standard_calls_them) {
    BOOST_CHECK_THROW(timer.schedule(count, -1), std::invalid_argument);
    BOOST_CHECK_THROW(timer.schedule(nullptr, 1), std::invalid_argument);
    timer.cancel();
    BOOST_CHECK_THROW(timer.schedule(count, 1), std::logic_error);
}

BOOST_AUTO_TEST_SUITE_END()

#!/bin/sh
# Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#
# What is easily written wrong in a call of a timer does not compile, and the compiler says what to write instead. What is right beside it compiles.
set -u

. test/support/cases.sh
: "${CXX:=g++}"
export LC_ALL=C  # the compiler's language

cat >"$tmp/before.hpp" <<'EOF'
#include <jtimer/brpc/timer_thread.hpp>
#include <jtimer/cluster/scheduler.hpp>
#include <jtimer/go.hpp>
#include <jtimer/manual_clock.hpp>
#include <jtimer/netty/hashed_wheel_timer.hpp>
#include <jtimer/timer.hpp>
#include <jtimer/tokio.hpp>

#include <functional>
#include <memory>
#include <string>
#include <utility>

using namespace std::chrono_literals;

struct Beep : jtimer::TimerTask {
    void run() override {}
};
class Private : jtimer::TimerTask {
    void run() override {}
};
class Public : public jtimer::TimerTask {
    void run() override {}
};
using Handle = std::shared_ptr<jtimer::netty::Timeout>;
struct Idle : jtimer::netty::TimerTask {
    void run(const Handle&) override {}
};
class PrivateIdle : jtimer::netty::TimerTask {
    void run(const Handle&) override {}
};
inline void takesInt(int) {}
inline void takesNothing() {}

extern jtimer::Timer timer;
extern jtimer::ManualClock& clock_;
extern Beep beep;
extern std::shared_ptr<Beep> task;
extern jtimer::netty::HashedWheelTimer wheel;
extern Idle idle;
extern jtimer::brpc::TimerThread thread;
extern jtimer::cluster::Scheduler scheduler;
extern jtimer::go::Timers timers;
extern jtimer::go::Chan<int> chan;
extern jtimer::tokio::TimeDriver driver;
extern jtimer::tokio::Completion<int> completion;
extern jtimer::tokio::Interval interval;
extern jtimer::tokio::DelayQueue<int> queue;
extern jtimer::Cron cron;
inline void takesPointer(void*) {}
struct Cache {
    void sweep() {}
};
extern Cache cache;
enum class TimeUnit { SECONDS };
using jtimer::tokio::Waker;
EOF

compile() {
    $CXX -std=c++17 -Wall -Wextra -Wconversion -Wpedantic -Werror -Iinclude "$@"
}

compile_statement() {
    echo "void statement() { $1; }" >"$tmp/statement.cpp"
    compile -include "$tmp/before.hpp" -fsyntax-only "$tmp/statement.cpp" 2>&1
}

# Of the statements, each but the first does not compile, for one error, which says $advice, before
# it says what other mistakes should be instead. The first is kept in $right.
right=
right_and_wrong() {
    right="$right { $1; }"
    shift
    for wrong in "$@"; do
        if said=$(compile_statement "$wrong"); then
            echo "compiles: $wrong"
            return 1
        fi
        first=$(echo "$said" | grep -o -e 'write_[A-Za-z_]*' -e nodiscard | head -n 1)
        if [ "$(echo "$said" | grep -c 'error:')" != 1 ] || [ "$first" != "$advice" ]; then
            echo "no advice for $wrong: $said"
            return 1
        fi
    done
}

# --- the cases ----------------------------------------------------------------------------------

a_raw_pointer() {
    advice=write_std_make_shared_or_shared_from_this_not_a_raw_pointer
    right_and_wrong 'timer.schedule(std::make_shared<Beep>(), 500)' \
        'timer.schedule(new Beep(), 500)' 'timer.schedule(&beep, 500)' \
        'timer.schedule(task.get(), 500, 100)' 'timer.schedule(new Private(), 500)' &&
        right_and_wrong 'timer.scheduleAtFixedRate(task, 500, 100, jtimer::MissedRuns::Skip)' \
            'timer.scheduleAtFixedRate(&beep, 500, 100)' \
            'timer.scheduleAtFixedRate(&beep, 500, 100, jtimer::MissedRuns::Skip)' &&
        right_and_wrong 'wheel.newTimeout(std::make_shared<Idle>(), 500)' \
            'wheel.newTimeout(new Idle(), 500)' 'wheel.newTimeout(&idle, 500)'
}

an_object() {
    advice=write_std_make_shared_of_the_class_not_an_object
    right_and_wrong 'timer.schedule(std::make_shared<Beep>(), 500)' \
        'timer.schedule(Beep(), 500)' 'timer.schedule(beep, 500)' \
        'timer.scheduleAtFixedRate(*task, 500, 100)' &&
        right_and_wrong 'wheel.newTimeout(std::make_unique<Idle>(), 500)' \
            'wheel.newTimeout(Idle(), 500)' 'wheel.newTimeout(idle, 500)'
}

a_class_that_inherits_privately() {
    advice=write_public_before_the_base_class_jtimer_TimerTask
    right_and_wrong 'timer.schedule(std::make_shared<Public>(), 500)' \
        'timer.schedule(std::make_shared<Private>(), 500)' \
        'timer.schedule(std::make_unique<Private>(), 500)' || return 1
    advice=write_public_before_the_base_class_jtimer_netty_TimerTask
    right_and_wrong 'wheel.newTimeout(nullptr, 500)' \
        'wheel.newTimeout(std::make_shared<PrivateIdle>(), 500)'
}

wrong_parameters() {
    advice=write_a_callable_that_takes_nothing_or_a_TimerTask_reference
    right_and_wrong 'timer.schedule([](jtimer::TimerTask& self) { self.cancel(); }, 500)' \
        'timer.schedule([](int) {}, 500)' \
        'timer.schedule([](jtimer::TimerTask* self) { self->cancel(); }, 500)' \
        'timer.schedule(std::function<void(int)>(), 500)' &&
        right_and_wrong 'timer.schedule(takesNothing, 500)' 'timer.schedule(takesInt, 500)' \
            'timer.schedule(&takesInt, 500)' || return 1
    advice=write_a_callable_that_takes_nothing_or_a_shared_ptr_to_Timeout
    right_and_wrong 'wheel.newTimeout([](const Handle& handle) { handle->cancel(); }, 500)' \
        'wheel.newTimeout([](int) {}, 500)' 'wheel.newTimeout(takesInt, 500)' \
        'wheel.newTimeout([](jtimer::netty::Timeout&) {}, 500)'
}

a62_a_member_function() {
    advice=write_a_lambda_that_calls_the_member_function
    right_and_wrong 'timer.schedule([] { cache.sweep(); }, 500)' 'timer.schedule(&Cache::sweep, 500)' \
        'timer.scheduleAtFixedRate(&Cache::sweep, 500, 100)' 'timer.schedule(&Beep::run, 500)' &&
        right_and_wrong 'timer.schedule(&jtimer::TimerTask::cancel, 500)' \
            'timer.schedule(&jtimer::TimerTask::setName, 500)' &&
        right_and_wrong 'wheel.newTimeout([] { cache.sweep(); }, 500)' 'wheel.newTimeout(&Cache::sweep, 500)' &&
        right_and_wrong 'thread.schedule([] { cache.sweep(); }, std::chrono::system_clock::now())' \
            'thread.schedule(&Cache::sweep, 500)' \
            'thread.schedule(&Cache::sweep, &cache, std::chrono::system_clock::now())' \
            'thread.schedule(&Cache::sweep, std::chrono::system_clock::now())'
}

a62_a_task_of_another_timer() {
    advice=write_a_task_derived_from_jtimer_netty_TimerTask
    right_and_wrong 'wheel.newTimeout(std::make_shared<Idle>(), 500)' 'wheel.newTimeout(task, 500)' \
        'wheel.newTimeout(std::make_unique<Beep>(), 500)' 'wheel.newTimeout(&beep, 500)' \
        'wheel.newTimeout(beep, 500)' 'wheel.newTimeout(std::make_shared<Private>(), 500)' \
        'wheel.newTimeout(jtimer::makeTask([] {}), 500)'
}

a_number_that_is_no_time() {
    advice=write_integer_milliseconds_or_a_std_chrono_duration
    right_and_wrong 'timer.schedule(task, 500us)' 'timer.schedule(task, 0.5)' \
        'timer.schedule(task, true)' 'timer.schedule(task, 500, 100.0F)' \
        'timer.schedule(task, 500, false)' &&
        right_and_wrong 'timer.scheduleAtFixedRate(task, 500, 1.5 * 1s)' \
            'timer.scheduleAtFixedRate(task, 500, 1.5L)' &&
        right_and_wrong 'clock_.advance(1)' 'clock_.advance(1.0)' &&
        right_and_wrong 'wheel.newTimeout(takesNothing, 500)' 'wheel.newTimeout([] {}, 0.5)'
}

a_temporary() {
    advice=write_a_variable_of_type_Timer_not_a_temporary
    right_and_wrong 'jtimer::Timer named("backup"); named.schedule([] {}, 500)' \
        'jtimer::Timer().schedule([] {}, 500)' 'jtimer::Timer("backup").schedule(task, 500, 100)' &&
        right_and_wrong 'std::make_shared<jtimer::Timer>()->scheduleAtFixedRate(task, 500, 100)' \
            'jtimer::Timer(true).scheduleAtFixedRate(task, 500, 100)' \
            'jtimer::Timer().scheduleAtFixedRate(task, 0, 1, jtimer::MissedRuns::Once)' \
            'jtimer::Timer().scheduleBy(task, jtimer::Cron("0 3 * * *"))'
}

a61_a_temporary_of_netty_or_brpc() {
    advice=write_a_variable_of_type_HashedWheelTimer_not_a_temporary
    right_and_wrong 'jtimer::netty::HashedWheelTimer named; named.start(); named.newTimeout([] {}, 5)' \
        'jtimer::netty::HashedWheelTimer().start()' 'jtimer::netty::HashedWheelTimer().newTimeout([] {}, 5)' \
        'std::move(wheel).newTimeout(std::make_shared<Idle>(), 5s)' || return 1
    advice=write_a_variable_of_type_TimerThread_not_a_temporary
    right_and_wrong 'jtimer::brpc::TimerThread started; started.start(nullptr)' \
        'jtimer::brpc::TimerThread().start()' 'jtimer::brpc::TimerThread().start(nullptr)' \
        'jtimer::brpc::TimerThread().start(jtimer::brpc::TimerThreadOptions())' \
        'jtimer::brpc::TimerThread().schedule([] {}, std::chrono::system_clock::now())' \
        'jtimer::brpc::TimerThread().schedule(takesPointer, nullptr, jtimer::Date())' \
        'std::move(thread).schedule([] {}, jtimer::Date())'
}

a_time_of_another_clock() {
    advice=write_a_delay_or_a_system_clock_time
    right_and_wrong 'timer.schedule([] {}, std::chrono::system_clock::now())' \
        'timer.schedule([] {}, std::chrono::steady_clock::now())' \
        'timer.scheduleAtFixedRate(task, std::chrono::steady_clock::now() + 1s, 100)'
}

a_text_that_is_no_time() {
    advice=write_integer_milliseconds_or_a_std_chrono_duration
    right_and_wrong 'timer.schedule([] {}, 500ms)' 'timer.schedule([] {}, "500ms")' \
        'timer.schedule(task, std::string("500"))' 'timer.schedule(task, 500, "100")'
}

a62_a_task_without_a_time() {
    advice=write_when_the_task_is_due
    right_and_wrong 'timer.schedule([] {}, 0)' 'timer.schedule([] {})' 'timer.schedule(task)' &&
        right_and_wrong 'wheel.newTimeout([] {}, 0)' 'wheel.newTimeout([] {})' \
            'wheel.newTimeout(std::make_shared<Idle>())' &&
        right_and_wrong 'thread.schedule([] {}, jtimer::Date())' 'thread.schedule([] {})' \
            'thread.schedule(takesNothing)' &&
        right_and_wrong 'thread.schedule(takesPointer, nullptr, jtimer::Date())' \
            'thread.schedule(takesPointer, nullptr)'
}

a_call_without_a_time_or_with_it_before_the_task() {
    advice=write_a_task_and_when_it_is_due_and_perhaps_a_period
    right_and_wrong 'timer.schedule([] {}, 0)' 'timer.schedule()' 'timer.schedule(500)' \
        'timer.schedule(500, task)' || return 1
    advice=write_a_task_and_when_it_is_first_due_and_a_period
    right_and_wrong 'timer.scheduleAtFixedRate(task, 0, 100)' 'timer.scheduleAtFixedRate(task, 0)' \
        'timer.scheduleAtFixedRate([] {}, 100)' 'timer.scheduleAtFixedRate(100, 100, task)' || return 1
    advice=write_a_task_and_a_rule_such_as_a_Cron
    right_and_wrong 'timer.scheduleBy(task, jtimer::Cron("0 3 * * *"))' 'timer.scheduleBy(task)' \
        'timer.scheduleBy(task, "0 3 * * *")' 'timer.scheduleBy(task, 100)'
}

a_timeout_without_a_task_or_before_it() {
    advice=write_a_task_and_a_delay
    right_and_wrong 'wheel.newTimeout([] {}, 500)' 'wheel.newTimeout()' 'wheel.newTimeout(500, [] {})' \
        'wheel.newTimeout(500ms, std::make_shared<Idle>())' 'wheel.newTimeout([] {}, 500, 100)'
}

a62_a_timeout_with_a_unit() {
    advice=write_a_std_chrono_duration_instead_of_a_number_and_a_unit
    right_and_wrong 'wheel.newTimeout([] {}, std::chrono::seconds(5))' \
        'wheel.newTimeout([] {}, 5, TimeUnit::SECONDS)' \
        'wheel.newTimeout(std::make_shared<Idle>(), 5L, std::chrono::seconds(1))' \
        'wheel.newTimeout(nullptr, 0.5, "seconds")'
}

a62_a_timeout_with_a_date() {
    advice=write_a_delay_not_a_Date
    right_and_wrong 'wheel.newTimeout([] {}, jtimer::Date() - wheel.clock()->now())' \
        'wheel.newTimeout([] {}, std::chrono::system_clock::now())' \
        'wheel.newTimeout(std::make_shared<Idle>(), wheel.clock()->now() + 5s)' \
        'wheel.newTimeout(nullptr, std::chrono::steady_clock::now())'
}

a_const_timer() {
    advice=write_a_Timer_that_is_not_const
    right_and_wrong 'jtimer::Timer& same = timer; same.schedule(task, 500)' \
        'std::as_const(timer).schedule(task, 500)' 'std::as_const(timer).schedule([] {}, 500, 100)' &&
        right_and_wrong '[copy = &timer] { copy->scheduleAtFixedRate(task, 500, 100); }()' \
            'std::as_const(timer).scheduleAtFixedRate([] {}, 500, 100)' \
            'std::as_const(timer).scheduleBy([] {}, jtimer::Cron("0 3 * * *"))'
}

a_brpc_task_with_a_delay() {
    advice=write_a_time_such_as_system_clock_now_plus_the_delay
    right_and_wrong 'thread.schedule([] {}, std::chrono::system_clock::now() + 500ms)' \
        'thread.schedule([] {}, 500ms)' 'thread.schedule(takesNothing, 500)' &&
        right_and_wrong 'thread.schedule(takesPointer, nullptr, std::chrono::system_clock::now())' \
            'thread.schedule(takesPointer, nullptr, 500ms)' 'thread.schedule(takesPointer, nullptr, 0.5)'
}

a_brpc_task_that_cannot_be_called() {
    advice=write_a_callable_without_parameters_and_its_time
    right_and_wrong 'thread.schedule([] {}, std::chrono::system_clock::now())' \
        'thread.schedule([](int) {}, std::chrono::system_clock::now())' \
        'thread.schedule(std::chrono::system_clock::now(), [] {})' \
        'thread.schedule([] {}, std::chrono::steady_clock::now())' 'thread.schedule()'
}

a_go_function_that_cannot_be_called() {
    advice=write_a_duration_and_a_callable_without_parameters
    right_and_wrong 'timers.afterFunc(1s, [] {})' 'timers.afterFunc(1s, [](int) {})' \
        'timers.afterFunc([] {}, 1s)' 'timers.afterFunc(1s)' 'timers.afterFunc(1s, takesInt)' &&
        right_and_wrong 'jtimer::go::afterFunc(1s, takesNothing)' 'jtimer::go::afterFunc(1s, [](int) {})' \
            'jtimer::go::afterFunc([] {}, 1s)'
}

a62_a_member_function_for_go() {
    advice=write_a_lambda_that_calls_the_member_function
    right_and_wrong 'timers.afterFunc(500, [] { Beep().run(); })' 'timers.afterFunc(500, &Beep::run)' \
        'timers.afterFunc(500ms, &Beep::run, &beep)' &&
        right_and_wrong 'jtimer::go::afterFunc(1s, takesNothing)' 'jtimer::go::afterFunc(1s, &Beep::run)'
}

a62_a_go_timer_in_a_select() {
    advice=write_C_of_the_timer
    right_and_wrong 'auto t = timers.newTimer(5); jtimer::go::select({t.C(), jtimer::go::Event()})' \
        'jtimer::go::select({timers.newTimer(5), jtimer::go::Event()})' \
        'const auto t = timers.newTicker(5); jtimer::go::select({jtimer::go::Event(), t})' \
        'const auto t = timers.newTicker(5); jtimer::go::select({t.C(), t}, 1s)'
}

a61_a_temporary_of_go() {
    advice=write_a_variable_of_type_Timers_not_a_temporary
    right_and_wrong 'jtimer::go::Timers named; named.afterFunc(5, [] {})' \
        'jtimer::go::Timers().afterFunc(5, [] {})' 'jtimer::go::Timers().afterFunc(5s, &Beep::run)' \
        '(void)jtimer::go::Timers().newTimer(5)' '(void)std::move(timers).after(5s)' &&
        right_and_wrong 'jtimer::go::Timers().sleep(5)' '(void)jtimer::go::Timers().newTicker(5)' \
            '(void)jtimer::go::Timers().tick(5ms)'
}

a_tokio_operation_that_cannot_be_polled() {
    advice=write_an_operation_on_a_Waker_that_returns_an_optional
    right_and_wrong \
        'timeout(driver, 1s, [](const Waker&) { return std::optional<int>(5); }).get()' \
        'timeout(driver, 1s, [] { return 5; })' 'timeout(driver, 1s, [](const Waker&) {})' \
        'timeout(driver, 1000, [](const Waker&) { return 5; })' &&
        right_and_wrong 'timeoutAt(driver, driver.now(), [](const auto&) { return true; }).get()' \
            'timeoutAt(driver, driver.now(), [] { return true; })' &&
        right_and_wrong 'select(driver.sleep(5), completion)({})' 'select(driver.sleep(5), [] { return true; })' \
            'select(5s, completion)' &&
        right_and_wrong 'blockOn(driver, completion)' 'blockOn(driver, [] { return true; })'
}

a_tokio_operation_before_its_time() {
    advice=write_the_time_before_the_operation
    right_and_wrong 'timeout(driver, 1s, completion).get()' 'timeout(driver, completion, 1s)' \
        'timeout(driver, [] { return 5; }, 1000)' &&
        right_and_wrong 'timeoutAt(driver, driver.now(), completion).get()' \
            'timeoutAt(driver, completion, driver.now())'
}

a61_a_temporary_TimeDriver() {
    advice=write_a_variable_of_type_TimeDriver_not_a_temporary
    right_and_wrong 'jtimer::tokio::TimeDriver named; auto kept = named.sleep(5)' \
        'auto kept = jtimer::tokio::TimeDriver().sleep(5)' \
        'auto kept = jtimer::tokio::TimeDriver().sleepUntil(std::chrono::system_clock::now())' \
        'auto kept = jtimer::tokio::TimeDriver().interval(5ms)' \
        'auto kept = std::move(driver).intervalAt(driver.now(), 5)' \
        'auto kept = jtimer::tokio::TimeDriver().sleep(std::chrono::system_clock::now())'
}

a62_a_tokio_duration_for_a_Date_or_a_Date_for_a_duration() {
    advice=write_sleepUntil_or_reset_with_a_Date
    right_and_wrong 'auto kept = driver.sleepUntil(driver.now()); kept.reset(driver.now())' \
        'auto kept = driver.sleep(driver.now())' 'auto kept = driver.sleep(driver.now() + 5s)' \
        'driver.sleep(5).resetAfter(std::chrono::system_clock::now())' || return 1
    advice=write_sleep_or_resetAfter_with_a_duration
    right_and_wrong 'auto kept = driver.sleep(5s); kept.resetAfter(5); kept.resetAfter(jtimer::TimeSpan(5))' \
        'auto kept = driver.sleepUntil(5s)' 'auto kept = driver.sleepUntil(5000)' \
        'driver.sleep(5).reset(5s)' 'driver.sleep(5).reset(5000)' 'driver.sleep(5).reset(jtimer::TimeSpan(5))'
}

# Where the compiler has coroutines.
a62_a_completion_that_is_awaited_without_a_driver() {
    advice=write_co_await_until_with_a_driver_and_the_completion
    coroutine() {
        {
            echo '#include <jtimer/tokio.hpp>'
            echo '#ifdef __cpp_impl_coroutine'
            echo 'using namespace jtimer::tokio;'
            echo "Task awaits(TimeDriver& driver, Completion<int> completion) { $1; (void)driver; }"
            echo '#elif defined(WRONG)'
            echo '#error write_co_await_until_with_a_driver_and_the_completion'
            echo '#endif'
        } >"$tmp/coroutine.cpp"
        compile -std=c++20 -DWRONG -fsyntax-only "$tmp/coroutine.cpp" 2>&1
    }
    coroutine 'co_await driver.sleep(5)' | grep -q 'write_' ||
        coroutine 'co_await until(driver, completion)' || return 1
    for wrong in 'co_await completion' 'co_await Completion<int>()' 'int i = co_await completion; (void)i'; do
        if said=$(coroutine "$wrong"); then
            echo "compiles: $wrong"
            return 1
        fi
        echo "$said" | grep -q $advice || { echo "$said"; return 1; }
    done
}

a_result_that_is_dropped_where_the_call_does_nothing_else() {
    advice=nodiscard
    right_and_wrong 'auto kept = jtimer::makeTask([] {})' 'jtimer::makeTask([] {})' &&
        right_and_wrong 'jtimer::ScopedTask kept(task)' 'jtimer::ScopedTask{task}' &&
        right_and_wrong 'task->cancel(); task->cancelAndWait()' 'task->isCancelled()' 'task->isScheduled()' &&
        right_and_wrong 'timer.schedule(task, 1); timer.purge(); timer.shutdownNow(); timer.cancel()' \
            'timer.stats()' 'timer.clock()' &&
        right_and_wrong 'chan.send(1); chan.tryReceive()' 'jtimer::go::makeChan<int>()'
}

a64_a_result_that_says_what_has_happened() {
    advice=nodiscard
    right_and_wrong 'if (!timer.awaitTermination(0)) timer.cancel()' 'timer.awaitTermination(0)' &&
        right_and_wrong 'scheduler.stop(); if (!scheduler.stop(5s)) return' 'scheduler.stop(5s)' &&
        right_and_wrong 'wheel.stop(); thread.start(); timer.schedule(task, jtimer::When(5).at(jtimer::Date()))' \
            'jtimer::When(5).at(jtimer::Date())' &&
        right_and_wrong 'interval.reset(); while (interval.pollTick(Waker())) continue' \
            'interval.pollTick()' 'interval.pollTick(Waker())' &&
        right_and_wrong 'queue.insert(1, 5s); while (queue.pollExpired(Waker())) continue' \
            'queue.pollExpired()' 'queue.pollExpired(Waker())' &&
        right_and_wrong 'const bool sent = chan.trySend(1); (void)sent' 'chan.trySend(1)' &&
        right_and_wrong 'timer.scheduleBy(task, cron); (void)cron.next(jtimer::Date())' 'cron.next(jtimer::Date())'
}

# In C++20, where a list in braces can name fields.
a63_options_in_braces() {
    {
        echo '#include <jtimer/brpc.hpp>'
        echo '#include <jtimer/netty.hpp>'
        echo '#include <jtimer/timer.hpp>'
        echo 'void options(const std::string& name, jtimer::brpc::TimerThread& thread) {'
        echo '    jtimer::Timer both({.name = "x", .daemon = true});'
        echo '    jtimer::Timer nameOnly({.name = name});'
        echo '    jtimer::Timer daemonOnly({.daemon = true});'
        echo '    jtimer::Timer inBraces{{.name = "x", .removeOnCancel = true}};'
        echo '    jtimer::Timer literal("x"), aString(name), moved(std::string("x"), true);'
        echo '    jtimer::Timer clock(name, true, nullptr), own = {"x", true};'
        echo '    jtimer::netty::HashedWheelTimer wheel({.name = "x", .tickDuration = 10});'
        echo '    static_cast<void>(thread.start({.numBuckets = 4, .name = "x"}));'
        echo '}'
    } >"$tmp/braces.cpp"
    $CXX -std=c++20 -Wall -Wpedantic -Werror -Iinclude -fsyntax-only "$tmp/braces.cpp"
}

what_is_right_compiles() {
    test -n "$right" && compile_statement "$right"
}

compile -x c++-header "$tmp/before.hpp" -o "$tmp/before.hpp.gch" || exit 1

check a_raw_pointer
check an_object
check a_class_that_inherits_privately
check wrong_parameters
check a62_a_member_function
check a62_a_task_of_another_timer
check a_number_that_is_no_time
check a_temporary
check a61_a_temporary_of_netty_or_brpc
check a_time_of_another_clock
check a_text_that_is_no_time
check a62_a_task_without_a_time
check a_call_without_a_time_or_with_it_before_the_task
check a_timeout_without_a_task_or_before_it
check a62_a_timeout_with_a_unit
check a62_a_timeout_with_a_date
check a_const_timer
check a_brpc_task_with_a_delay
check a_brpc_task_that_cannot_be_called
check a_go_function_that_cannot_be_called
check a62_a_member_function_for_go
check a62_a_go_timer_in_a_select
check a61_a_temporary_of_go
check a_tokio_operation_that_cannot_be_polled
check a_tokio_operation_before_its_time
check a61_a_temporary_TimeDriver
check a62_a_tokio_duration_for_a_Date_or_a_Date_for_a_duration
check a62_a_completion_that_is_awaited_without_a_driver
check a_result_that_is_dropped_where_the_call_does_nothing_else
check a64_a_result_that_says_what_has_happened
check a63_options_in_braces
check what_is_right_compiles
sum_up

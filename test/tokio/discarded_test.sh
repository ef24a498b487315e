#!/bin/sh
# Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#
# The compiler warns of a call of jtimer::tokio that has done nothing if its result is dropped. It does not warn where
# a dropped result is fine.
set -u

. test/support/cases.sh
: "${CXX:=g++}"
export LC_ALL=C  # the compiler's language

cat >"$tmp/before.hpp" <<'EOH'
#include <jtimer/tokio/block_on.hpp>
#include <jtimer/tokio/delay_queue.hpp>
#include <jtimer/tokio/select.hpp>
#include <jtimer/tokio/timeout.hpp>

using namespace std::chrono_literals;
using namespace jtimer::tokio;

extern TimeDriver& driver;
extern Sleep& sleep_;
extern Interval& interval_;
extern DelayQueue<int>& queue;
extern Completion<int>& completion;
extern Timeout<Completion<int>>& limited;
inline void wake() {}
EOH

compile_statement() {
    echo "void statement() { $1; }" >"$tmp/statement.cpp"
    $CXX -std=c++17 -Wall -Wextra -Wpedantic -Werror -Iinclude -include "$tmp/before.hpp" -fsyntax-only \
        "$tmp/statement.cpp" 2>&1
}

warns() {
    for statement; do
        if said=$(compile_statement "$statement"); then
            echo "no warning: $statement"
            return 1
        fi
        if ! echo "$said" | grep -q 'unused-result'; then
            echo "another error for $statement: $said"
            return 1
        fi
    done
}

# --- the cases ----------------------------------------------------------------------------------

a_dropped_sleep_interval_timeout_or_answer_is_warned_of() {
    warns 'driver.sleep(10ms)' 'driver.sleepUntil(driver.now())' 'driver.interval(10ms)' \
        'driver.intervalAt(driver.now(), 10ms)' 'timeout(driver, 10ms, completion)' \
        'timeoutAt(driver, driver.now(), completion)' 'driver.nextWake()' 'std::move(limited).intoInner()' 'select(completion)' &&
        warns 'interval_.pollTick()' 'interval_.pollTick(wake)' 'queue.pollExpired()' 'queue.pollExpired(wake)'  # a64
}

the_dropped_result_of_a_call_that_has_done_something_is_not_warned_of() {
    compile_statement 'driver.turn(); driver.sleep(10ms).wait(); sleep_.poll(); sleep_.poll(wake); sleep_.reset(driver.now());
        interval_.tick(); limited.poll(wake); limited.get(); limited.take();
        completion.set(1); queue.insert(1, 10ms); queue.next(); queue.remove({1}); queue.tryRemove({1});
        const Sleep kept = driver.sleep(10ms); driver.advance(1); blockOn(driver, completion); static_cast<void>(driver.nextWake())'
}

check a_dropped_sleep_interval_timeout_or_answer_is_warned_of
check the_dropped_result_of_a_call_that_has_done_something_is_not_warned_of
sum_up

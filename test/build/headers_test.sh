#!/bin/sh
# Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#
# A file that includes one header can use what the header is for. Each timer has one header with everything of it, and its
# porting page begins with that header.
set -u

. test/support/cases.sh
: "${CXX:=g++}"

compile() { $CXX -Wall -Wextra -Wshadow -Wconversion -Wpedantic -Werror -Iinclude -fsyntax-only "$@"; }

# Whether the statements $3 compile as C++ $1 in a file that includes only $2.
uses() {
    printf '#include <jtimer/%s.hpp>\nusing namespace std::chrono_literals;\nvoid use() { %s }\n' \
        "$2" "$3" >"$tmp/use.cpp"
    compile -std="c++$1" "$tmp/use.cpp"
}

# --- the cases ----------------------------------------------------------------------------------

each_timer_can_be_used_with_its_header_alone() {
    manual='auto clock = std::make_shared<jtimer::ManualClock>(); clock->advance(1s);'
    uses 17 timer "$manual jtimer::Timer t(\"t\", true, clock); jtimer::ScopedTask s(t.schedule([] {}, 1));
        t.scheduleAtFixedRate(jtimer::makeTask([] {}), 1, 1, jtimer::MissedRuns::Skip);" &&
        uses 17 netty "$manual jtimer::netty::HashedWheelTimerOptions o; o.clock = clock;
            jtimer::netty::HashedWheelTimer t(o); t.newTimeout([] {}, 1s)->cancel();" &&
        uses 17 brpc "$manual jtimer::brpc::TimerThreadOptions o; o.clock = clock; jtimer::brpc::TimerThread t;
            t.start(o); t.unschedule(t.schedule([] {}, clock->now() + 1s));" &&
        uses 17 go "$manual jtimer::go::TimersOptions o; o.clock = clock; jtimer::go::Timers t(o);
            t.afterFunc(1s, [] {}).stop(); jtimer::go::select({t.after(1s), t.tick(1s)});" &&
        uses 17 tokio "$manual jtimer::tokio::TimeDriverOptions o; o.clock = clock; jtimer::tokio::TimeDriver d(o);
            jtimer::tokio::DelayQueue<int> q(d); q.insert(1, 1s); d.interval(1s).tick();
            jtimer::tokio::Completion<int> c; timeout(d, 1s, c).get();"
}

sleep_and_interval_can_be_used_with_their_header_alone() {
    uses 17 tokio/sleep 'jtimer::tokio::TimeDriver driver; jtimer::tokio::Sleep sleep = driver.sleep(1s); sleep.wait();' &&
        uses 17 tokio/interval 'jtimer::tokio::TimeDriver driver;
            jtimer::tokio::Interval interval = driver.interval(1s); interval.tick();'
}

# The compiler must know coroutines.
await_can_be_used_with_its_header_alone() {
    flags=
    for flag in -std=c++20 '-std=c++20 -fcoroutines'; do
        # shellcheck disable=SC2086
        echo '#include <coroutine>' | $CXX $flag -fsyntax-only -x c++ - 2>/dev/null && flags=$flag && break
    done
    test -n "$flags" || { skip 'no coroutines' && return 0; }
    cat >"$tmp/await.cpp" <<'END'
#include <jtimer/tokio/await.hpp>
struct Task {
    struct promise_type {
        Task get_return_object() { return {}; }
        std::suspend_never initial_suspend() { return {}; }
        std::suspend_never final_suspend() noexcept { return {}; }
        void return_void() {}
        void unhandled_exception() {}
    };
};
Task run(jtimer::tokio::TimeDriver& driver) {
    co_await driver.sleep(250);
    jtimer::tokio::Interval interval = driver.interval(250);
    co_await interval;
}
END
    # shellcheck disable=SC2086
    compile $flags "$tmp/await.cpp"
}

each_timers_header_includes_all_public_headers_of_its_directory() {
    for name in timer/jdk netty/netty brpc/brpc go/go tokio/tokio; do
        for header in include/jtimer/"${name#*/}"/*.hpp; do
            grep -qx "#include <${header#include/}>" "include/jtimer/${name%/*}.hpp" ||
                { echo "${name%/*}.hpp does not include $header" && return 1; }
        done
    done
}

each_porting_page_begins_with_its_header() {
    for page in timer/porting netty/porting-netty brpc/porting-brpc go/porting-go tokio/porting-tokio; do
        sed -n 3p "doc/${page#*/}.md" | grep -qF "#include <jtimer/${page%/*}.hpp>" ||
            { echo "doc/${page#*/}.md" && return 1; }
    done
}

# There is no MSVC here: clang++ as near to it as it comes. What the standard library's own headers do is
# their affair.
public_headers_have_no_extensions_of_gnu() {
    for clang in $CXX clang++ clang++-19; do
        $clang --version 2>/dev/null | grep -q clang && break
        clang=
    done
    test -n "$clang" || { skip 'no clang++' && return 0; }
    (cd include && ls jtimer/*.hpp jtimer/*/*.hpp) | grep -v cluster | sed 's/.*/#include <&>/' >"$tmp/all.cpp"
    for flags in '-Wgnu -Wpedantic -fno-gnu-keywords' '-fms-extensions -fdelayed-template-parsing'; do
        # shellcheck disable=SC2086
        $clang -std=c++17 $flags -Werror -Iinclude -fsyntax-only "$tmp/all.cpp" || return 1
    done
}

check each_timer_can_be_used_with_its_header_alone
check sleep_and_interval_can_be_used_with_their_header_alone
check await_can_be_used_with_its_header_alone
check each_timers_header_includes_all_public_headers_of_its_directory
check each_porting_page_begins_with_its_header
check public_headers_have_no_extensions_of_gnu
sum_up

// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
//
// Only for POSIX: a clock_gettime of its own.
#include "clock/system_time.hpp"
#include "support/counter.hpp"
#include "support/manual_timer.hpp"
#include "support/test.hpp"

#include <ctime>
#include <sys/syscall.h>
#include <unistd.h>

// The system's clocks go slower than the processor, as when chrony slews them. No system can be
// asked to do that for a test, so this program has a clock_gettime of its own.

using namespace std::chrono_literals;
using jtimer::Date;

namespace {

std::int64_t bySystem(clockid_t id) {
    timespec time{};
    clock_gettime(id, &time);
    return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

/// While one exists, CLOCK_REALTIME and CLOCK_MONOTONIC, also the coarse ones, take a tenth longer
/// for a second: Linux slows them down by no more (adjtimex), chrony by a twelfth.
class Slew {
  public:
    Slew() {
        wallSince = bySystem(CLOCK_REALTIME);
        steadySince = bySystem(CLOCK_MONOTONIC);
        isOn.store(true, std::memory_order_release);
    }
    Slew(const Slew&) = delete;
    Slew& operator=(const Slew&) = delete;
    ~Slew() { isOn.store(false, std::memory_order_release); }

    static std::int64_t apply(clockid_t id, std::int64_t time) noexcept {
        if (!isOn.load(std::memory_order_acquire)) return time;
        const bool isWall = id == CLOCK_REALTIME || id == CLOCK_REALTIME_COARSE;
        const bool isSteady = id == CLOCK_MONOTONIC || id == CLOCK_MONOTONIC_COARSE;
        if (!isWall && !isSteady) return time;
        const std::int64_t since = isWall ? wallSince : steadySince;
        return time > since ? time - (time - since) / 10 : time;
    }

  private:
    static inline std::atomic<bool> isOn{false};
    static inline std::int64_t wallSince = 0, steadySince = 0;  // written while it is off
};

/// What extrapolates from earlier readings has them.
void readForAWhile() {
    const std::int64_t end = bySystem(CLOCK_MONOTONIC) + 100'000'000;
    while (jtimer::detail::steadyNanos() < end) jtimer::detail::wallNanos();
}

}  // namespace

extern "C" int clock_gettime(clockid_t id, timespec* time) noexcept {
    const long result = ::syscall(SYS_clock_gettime, id, time);
    if (result != 0) return -1;
    const std::int64_t nanos = std::int64_t{time->tv_sec} * 1'000'000'000 + time->tv_nsec;
    const std::int64_t slewed = Slew::apply(id, nanos);
    time->tv_sec = static_cast<std::time_t>(slewed / 1'000'000'000);
    time->tv_nsec = static_cast<long>(slewed % 1'000'000'000);
    return 0;
}

BOOST_AUTO_TEST_CASE(a_reading_is_what_the_system_shows_when_it_begins_to_slow_its_clock_down) {
    readForAWhile();
    const Slew slew;
    int wrong = 0;
    const auto compare = [&](clockid_t id, std::int64_t (*read)()) {
        const std::int64_t before = bySystem(id);
        const std::int64_t shown = read();
        if (shown < before || shown > bySystem(id)) ++wrong;
    };
    const std::int64_t end = bySystem(CLOCK_MONOTONIC) + 50'000'000;
    while (bySystem(CLOCK_MONOTONIC) < end) {
        compare(CLOCK_REALTIME, [] { return jtimer::detail::wallNanos(); });
        compare(CLOCK_MONOTONIC, [] { return jtimer::detail::steadyNanos(); });
    }
    BOOST_TEST(wrong == 0);
}

BOOST_AUTO_TEST_CASE(a_steady_clock_does_not_go_back_when_the_system_begins_to_slow_it_down) {
    const jtimer::SteadyClock clock;
    readForAWhile();
    const Slew slew;
    int back = 0;
    std::int64_t last = clock.nanos();
    const std::int64_t end = last + 50'000'000;
    while (last < end) {
        const std::int64_t now = clock.nanos();
        if (now < last) ++back;
        last = now;
    }
    BOOST_TEST(back == 0);
}

BOOST_AUTO_TEST_CASE(no_task_is_early_by_the_systems_clock_when_that_is_being_slowed_down) {
    jtimer::Timer timer{test::onClock(std::make_shared<jtimer::WallClock>())};
    readForAWhile();
    const Slew slew;
    test::Counter runs;
    int early = 0;  // the timer's thread counts
    const std::int64_t begin = bySystem(CLOCK_REALTIME);
    constexpr int tasks = 300;
    for (int i = 1; i <= tasks; ++i) {
        const auto due = std::chrono::duration_cast<Date::duration>(
            std::chrono::nanoseconds(begin + i * std::int64_t{250'000}));
        timer.schedule(
            [&, due] {
                if (std::chrono::nanoseconds(bySystem(CLOCK_REALTIME)) < due) ++early;
                runs.up();
            },
            Date{due});
    }
    BOOST_TEST(runs.reaches(tasks));
    BOOST_TEST(early == 0);
}

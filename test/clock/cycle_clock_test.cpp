// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "clock/cycle_clock.hpp"

#include <boost/test/unit_test.hpp>
#include <boost/thread/thread.hpp>

#include <atomic>
#include <cmath>
#include <cstdint>

using jtimer::detail::CycleClock;
using jtimer::detail::Nanos;

namespace {

using Cycles = std::uint64_t;

constexpr Cycles kFirstSpan = Cycles{1} << 22;
constexpr Nanos kTick = 16'000'000;

/// A computer with four cycles a nanosecond, whose kernel ticks every 16 ms. Only what it is told
/// to takes time.
struct Computer {
    static inline Cycles cycle = 0;
    static inline double nanosPerCycle = 0;
    static inline double steadyTime = 0;
    static inline Nanos timeOfDay = 0;      ///< minus the steady time
    static inline Cycles readingTakes = 0;  ///< an exact one, from its time to its end
    static inline int exactReadings = 0;
    static inline bool trusted = false;

    static void reset() {
        cycle = 1'000'000;
        nanosPerCycle = 0.25;
        steadyTime = 1e12;
        timeOfDay = 1'700'000'000'000'000'000;
        readingTakes = 0;
        exactReadings = 0;
        trusted = true;
    }

    static void pass(Cycles cycles) {
        cycle += cycles;
        steadyTime += static_cast<double>(cycles) * nanosPerCycle;
    }
    static void passToNextTick() {
        const auto left = static_cast<double>(kTick - shown() % kTick);
        pass(static_cast<Cycles>(std::ceil(left / nanosPerCycle)));
    }

    static Nanos shown() { return static_cast<Nanos>(steadyTime); }
    static Nanos time() { return shown() + timeOfDay; }

    static Nanos exact() {
        ++exactReadings;
        return steady() + timeOfDay;
    }
    static Nanos steady() {
        const Nanos read = shown();
        pass(readingTakes);
        return read;
    }
    static Nanos coarse() { return shown() / kTick * kTick + timeOfDay; }
    static Cycles cycles() { return cycle; }
    static Cycles cyclesInOrder() { return cycle; }
    static bool isTrusted() { return trusted; }
};

struct Fixture {
    Fixture() { Computer::reset(); }

    /// By how much the next reading is behind the clock.
    Nanos behind() {
        const Nanos read = clock.now();
        return Computer::time() - read;
    }

    bool readsExactly() {
        const int before = Computer::exactReadings;
        clock.now();
        return Computer::exactReadings != before;
    }

    /// Two measurements that agree, and at four of five ticks another one: so the next one is two
    /// ticks away, and there is an anchor at the begin of a tick.
    void settle() {
        for (int i = 0; i < 3; ++i) {
            BOOST_TEST(readsExactly());
            Computer::pass(kFirstSpan);
        }
        for (int tick = 0; tick < 5; ++tick) {
            Computer::passToNextTick();
            BOOST_TEST(readsExactly());
        }
        BOOST_TEST(!readsExactly());
    }

    CycleClock<Computer> clock;
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(a_clock_read_by_the_cycle_counter, Fixture)

BOOST_AUTO_TEST_CASE(reads_exactly_until_two_measurements_of_the_rate_agree) {
    BOOST_TEST(readsExactly());  // the first begins
    Computer::pass(kFirstSpan - 4);
    BOOST_TEST(readsExactly());
    Computer::pass(4);
    BOOST_TEST(readsExactly());  // the second begins
    Computer::pass(kFirstSpan);
    BOOST_TEST(readsExactly());  // and ends
    BOOST_TEST(readsExactly());  // the anchor
    BOOST_TEST(!readsExactly());
}

BOOST_AUTO_TEST_CASE(adds_the_cycles_until_the_next_tick_less_a_quarter_part_in_a_million) {
    settle();
    Computer::pass(4);
    BOOST_TEST(behind() == 1);
    Computer::pass(4 * 7'999'999);
    BOOST_TEST(behind() == 2);
    Computer::pass(4 * 7'999'999);
    BOOST_TEST(behind() == 4);
    BOOST_TEST(!readsExactly());
    Computer::pass(4);
    BOOST_TEST(readsExactly());
    BOOST_TEST(!readsExactly());
    BOOST_TEST(behind() == 0);
}

BOOST_AUTO_TEST_CASE(counts_a_cycle_for_less_as_long_as_the_rate_is_measured_over_a_short_span) {
    for (int i = 0; i < 2; ++i) {
        BOOST_TEST(readsExactly());
        Computer::pass(kFirstSpan);
    }
    BOOST_TEST(readsExactly());  // 2^22 cycles, and 16 of them may be wrong
    BOOST_TEST(readsExactly());  // the anchor
    Computer::pass(4 * 1'000'000);
    BOOST_TEST(behind() == 4);
    Computer::pass(4 * 1'000'000);
    BOOST_TEST(behind() == 8);
    Computer::passToNextTick();
    BOOST_TEST(readsExactly());  // 56 million cycles
    BOOST_TEST(!readsExactly());
    Computer::pass(4 * 8'000'000);
    BOOST_TEST(behind() == 3);
}

BOOST_AUTO_TEST_CASE(counts_from_the_end_of_an_exact_reading) {
    Computer::readingTakes = 40;
    settle();
    Computer::passToNextTick();
    BOOST_TEST(readsExactly());
    BOOST_TEST(behind() == 10);
    Computer::pass(4 * 8'000'000);
    BOOST_TEST(behind() == 12);
}

BOOST_AUTO_TEST_CASE(reads_exactly_when_somebody_has_set_the_clock) {
    settle();
    for (const Nanos step : {-1'000'000'000, 1'000'000'000, -1, 1}) {
        Computer::pass(4'000);
        Computer::timeOfDay += step;
        BOOST_TEST(readsExactly());
        BOOST_TEST(!readsExactly());
    }
    Computer::timeOfDay += 3'600'000'000'000;
    BOOST_TEST(behind() == 0);
    Computer::timeOfDay -= 7'200'000'000'000;
    BOOST_TEST(behind() == 0);
}

BOOST_AUTO_TEST_CASE(measures_the_rate_by_a_clock_that_nobody_can_set) {
    for (int i = 0; i < 3; ++i) {
        BOOST_TEST(readsExactly());
        Computer::pass(kFirstSpan);
        Computer::timeOfDay += 1'000'000'000;
    }
    BOOST_TEST(readsExactly());
    Computer::pass(4 * 1000);
    BOOST_TEST(!readsExactly());
    BOOST_TEST(behind() == 1);
}

BOOST_AUTO_TEST_CASE(counts_from_no_reading_that_was_held_up) {
    Computer::readingTakes = 40;
    settle();
    Computer::passToNextTick();
    Computer::readingTakes = 51;
    BOOST_TEST(readsExactly());
    Computer::readingTakes = 40;
    BOOST_TEST(readsExactly());
    BOOST_TEST(!readsExactly());
    BOOST_TEST(behind() == 10);
}

BOOST_AUTO_TEST_CASE(puts_up_with_readings_that_take_longer_from_now_on) {
    Computer::readingTakes = 8;  // so that 10 is quick
    settle();
    Computer::passToNextTick();
    Computer::readingTakes = 16;
    for (int tooLong = 0; tooLong < 3; ++tooLong) BOOST_TEST(readsExactly());
    BOOST_TEST(readsExactly());
    BOOST_TEST(!readsExactly());
    BOOST_TEST(behind() == 4);
}

BOOST_AUTO_TEST_CASE(reads_exactly_without_a_tick_for_too_long) {
    settle();
    Computer::nanosPerCycle = 0;
    Computer::pass((Cycles{1} << 27) - 1);
    BOOST_TEST(!readsExactly());
    Computer::pass(1);
    BOOST_TEST(readsExactly());
}

BOOST_AUTO_TEST_CASE(reads_exactly_where_the_counter_has_gone_back) {
    settle();
    Computer::cycle -= 1;
    BOOST_TEST(readsExactly());
    BOOST_TEST(readsExactly());  // and begins to measure anew
}

BOOST_AUTO_TEST_CASE(does_not_go_back_for_less_than_a_microsecond) {
    settle();
    Computer::nanosPerCycle *= 1 - 60e-6;  // which the next measurement follows
    Computer::pass(4 * 15'999'999);
    const Nanos before = clock.now();
    Computer::passToNextTick();
    BOOST_TEST(readsExactly());
    BOOST_TEST(clock.now() > before);
    BOOST_TEST(behind() == -956);
}

BOOST_AUTO_TEST_CASE(goes_back_to_a_clock_that_is_slowed_down_by_more) {
    settle();
    Computer::nanosPerCycle *= 1 - 500e-6;
    Computer::pass(4 * 4'000'000);
    BOOST_TEST(behind() == -1999);
    Computer::passToNextTick();
    BOOST_TEST(behind() == 0);
    for (int tick = 0; tick < 60; ++tick) {
        Computer::passToNextTick();
        BOOST_TEST(readsExactly());
    }
    Computer::pass(4 * 8'000'000);
    BOOST_TEST(behind() == 2);
}

BOOST_AUTO_TEST_CASE(measures_anew_where_the_counter_has_another_rate) {
    settle();
    Computer::nanosPerCycle = 0.5;
    Computer::pass(Cycles{1} << 27);
    BOOST_TEST(readsExactly());  // which finds it
    BOOST_TEST(readsExactly());
    Computer::pass(kFirstSpan);
    BOOST_TEST(readsExactly());  // and once more
    BOOST_TEST(readsExactly());  // the anchor
    Computer::pass(2 * 7'000'000);
    BOOST_TEST(!readsExactly());
    BOOST_TEST(behind() == 27);
}

BOOST_AUTO_TEST_CASE(never_counts_by_a_counter_that_the_kernel_does_not_go_by) {
    Computer::trusted = false;
    for (int i = 0; i < 10; ++i) {
        BOOST_TEST(readsExactly());
        BOOST_TEST(behind() == 0);
        Computer::pass(kFirstSpan);
    }
}

BOOST_AUTO_TEST_SUITE_END()

namespace {

/// One cycle a nanosecond, of which each look at the clock takes some; for all threads.
struct SharedComputer {
    static inline std::atomic<Cycles> cycle{1'000'000};

    static Nanos exact() { return static_cast<Nanos>(cycle.fetch_add(20)); }
    static Nanos coarse() { return static_cast<Nanos>(cycle.load() / 5000 * 5000); }
    static Nanos steady() { return exact(); }
    static Cycles cycles() { return cycle.fetch_add(10); }
    static Cycles cyclesInOrder() { return cycles(); }
    static bool isTrusted() { return true; }
};

}  // namespace

BOOST_AUTO_TEST_CASE(threads_read_no_time_of_two_anchors_while_one_makes_the_next) {
    CycleClock<SharedComputer> clock;
    for (int i = 0; i < 3; ++i) {
        clock.now();
        SharedComputer::cycle += kFirstSpan;
    }
    std::atomic<int> wrong{0};
    boost::thread_group threads;
    for (int i = 0; i < 4; ++i) {
        threads.create_thread([&] {
            for (int n = 0; n < 200'000; ++n) {
                const Nanos earliest = SharedComputer::coarse();
                const Nanos read = clock.now();
                const auto latest = static_cast<Nanos>(SharedComputer::cycle.load());
                if (read < earliest || read > latest) ++wrong;
            }
        });
    }
    threads.join_all();
    BOOST_TEST(wrong == 0);
}

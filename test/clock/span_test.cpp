// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include <jtimer/time.hpp>

#include "support/test.hpp"
#include "support/throws.hpp"

#include <iomanip>

using jtimer::Date;
using jtimer::TimeSpan;
using jtimer::When;
using namespace std::chrono_literals;

namespace {

__extension__ typedef __int128 Wide;  // NOLINT(modernize-use-using): for __extension__

constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t kMin = std::numeric_limits<std::int64_t>::min();

Wide nanosOf(TimeSpan span) { return Wide{span.value().millis} * 1'000'000 + span.value().nanos; }

/// What TimeSpan holds of so many nanoseconds.
Wide clamped(Wide nanos) {
    const Wide most = Wide{kMax} * 1'000'000 + 999'999, least = Wide{kMin} * 1'000'000;
    return nanos > most ? most : nanos < least ? least : nanos;
}

template <class T>
std::string printed(const T& value) {
    std::ostringstream out;
    out << std::hex << std::showpos << std::setw(40) << std::setfill('*') << value;
    return out.str();
}

template <class A, class B, class = void>
constexpr bool canMultiply = false;
template <class A, class B>
constexpr bool canMultiply<A, B, std::void_t<decltype(std::declval<A>() * std::declval<B>())>> =
    true;
template <class A, class B, class = void>
constexpr bool canOrder = false;
template <class A, class B>
constexpr bool canOrder<A, B, std::void_t<decltype(std::declval<A>() < std::declval<B>())>> = true;

constexpr TimeSpan kSpan = 1500;
constexpr Date kNow{};

}  // namespace

// The other operand is whatever converts, known at compile time (A1 to A5).
static_assert(kSpan == 1500 && 1500 == kSpan && kSpan == 1500ms && 1500ms == kSpan);
static_assert(kSpan != 1501 && 1501 != kSpan && !(kSpan != 1500));
static_assert(kSpan > 0 && 0 < kSpan && kSpan >= 1500 && kSpan <= 1500ms && !(kSpan < 1500));
static_assert(kSpan < 2s && 2s > kSpan && 1499999us < kSpan && !(kSpan > kSpan));
static_assert(kSpan + 5ms == 1505 && 5 + kSpan == 1505 && kSpan + kSpan == 3s);
static_assert(2s - kSpan == 500 && kSpan - 2s == -500 && kSpan - 1us == 1499999us);
static_assert(-kSpan == -1500 && -(-kSpan) == kSpan && kSpan * 2 == 3s && 2U * kSpan == 3000);
static_assert(kSpan * std::uint8_t{2} == 2LL * kSpan && kSpan * -1 == -kSpan);
static_assert(kSpan / 2 == 750 && TimeSpan(1ns) / 2 == 0 && TimeSpan(-1ns) / 2 == 0);
static_assert(TimeSpan(-3ns) / 2 == -1ns && TimeSpan(7ns) / -2 == -3ns);
static_assert(kNow + kSpan == Date(1500ms) && kSpan + kNow == Date(1500ms));
static_assert(kNow - kSpan == Date(-1500ms));
static_assert(kSpan.toChrono() == 1500ms && kSpan.toMillis() == 1500);
static_assert(TimeSpan(-1ns).toMillis() == -1 && TimeSpan(1999us).toMillis() == 1);
static_assert(
    std::is_same_v<decltype(kSpan.toChrono() * 1.5), std::chrono::duration<double, std::nano>>);
static_assert(When(kSpan) == When(1500) && When(kSpan) != When(1501) && !When(kSpan).isDate());
static_assert(When(Date(1500ms)) != When(1500) && When(Date(1500ms)) == When(kNow + kSpan));
static_assert(When(kSpan).at(kNow) == Date(1500ms) && When(Date(7ms)).at(kNow + 1s) == Date(7ms));

// What is refused (A4, A5, A7, A8).
static_assert(!canMultiply<TimeSpan, double> && !canMultiply<float, TimeSpan>);
static_assert(!canMultiply<TimeSpan, TimeSpan> && !canMultiply<TimeSpan, bool>);
static_assert(canMultiply<TimeSpan, long> && canMultiply<char, TimeSpan>);
static_assert(!canOrder<When, When> && !canOrder<TimeSpan, Date> && canOrder<TimeSpan, int>);
static_assert(!std::is_default_constructible_v<TimeSpan>);
static_assert(!std::is_convertible_v<TimeSpan, std::chrono::nanoseconds>);
static_assert(!std::is_convertible_v<Date, TimeSpan> && !std::is_convertible_v<bool, TimeSpan>);

/// The rest of A1 and A2, and A5, A7 and A8, are asserted above at compile time.
BOOST_AUTO_TEST_CASE(a1_to_a2_a_span_is_a_delay_and_a_period) {
    const TimeSpan period = 250us;
    const When first = period;
    BOOST_TEST((first == When(250us)));
    BOOST_TEST(!first.isDate());
    BOOST_TEST((first.at(Date(1s)) == Date(1s + 250us)));
}

BOOST_AUTO_TEST_CASE(a5_two_when_of_the_same_kind_and_value_are_equal) {
    BOOST_TEST((When(5) == When(5ms)));
    BOOST_TEST((When(5) != When(Date(5ms))));
    BOOST_TEST((When(Date(5ms)) == When(Date() + TimeSpan(5))));
}

BOOST_AUTO_TEST_CASE(a7_to_a8_what_is_no_time_is_no_span_and_a_span_no_duration) {
    BOOST_TEST((!std::is_convertible_v<double, TimeSpan>));
    BOOST_TEST((!std::is_convertible_v<const char*, When>));
    BOOST_TEST((!std::is_convertible_v<TimeSpan, std::chrono::milliseconds>));
}

BOOST_AUTO_TEST_CASE(a3_arithmetic_saturates_and_keeps_nanoseconds_as_128_bits_do) {
    std::mt19937_64 random(20261127);
    const auto any = [&]() -> TimeSpan {
        const auto bits = static_cast<std::int64_t>(random());
        const TimeSpan millis = bits >> (random() % 64);
        return millis + std::chrono::nanoseconds(random() % 1'000'000);
    };
    for (int i = 0; i < 20'000; ++i) {
        const TimeSpan a = any(), b = any();
        const std::int64_t n = static_cast<std::int64_t>(random()) >> (random() % 64);
        BOOST_REQUIRE((nanosOf(a + b) == clamped(nanosOf(a) + nanosOf(b))));
        BOOST_REQUIRE((nanosOf(a - b) == clamped(nanosOf(a) - nanosOf(b))));
        BOOST_REQUIRE((nanosOf(-a) == clamped(-nanosOf(a))));
        BOOST_REQUIRE((a < b) == (nanosOf(a) < nanosOf(b)));
        if (n != 0) BOOST_REQUIRE((nanosOf(a / n) == clamped(nanosOf(a) / n)));
        const TimeSpan few = std::chrono::nanoseconds(static_cast<std::int64_t>(random()) >> 8);
        BOOST_REQUIRE((nanosOf(few * n) == clamped(nanosOf(few) * n)));
    }
    const TimeSpan most = TimeSpan(kMax) + 999'999ns, least = kMin;
    BOOST_TEST((TimeSpan::max() == most));
    BOOST_TEST((most + 1ns == most));
    BOOST_TEST((least - 1ns == least));
    BOOST_TEST((-least == most));
    BOOST_TEST((-most == least + 1ns));
    for (const std::int64_t n : {std::int64_t{2}, kMax}) {
        BOOST_TEST((most * n == most));
        BOOST_TEST((least * n == least));
        BOOST_TEST((most * -n == least));
        BOOST_TEST((least * -n == most));
    }
    BOOST_TEST((TimeSpan(1ns) * std::numeric_limits<std::uint64_t>::max() ==
                TimeSpan(18'446'744'073'709) + 551'615ns));
    BOOST_TEST((least / kMin == 1'000'000ns));
    BOOST_TEST((least / -1 == most));
}

BOOST_AUTO_TEST_CASE(a3_a_date_beyond_the_range_is_the_end_of_time) {
    BOOST_TEST((Date::max() + TimeSpan(1) == Date::max()));
    BOOST_TEST((Date() + TimeSpan(kMax) == Date::max()));
    BOOST_TEST((Date() - TimeSpan(kMax) == Date::min()));
    BOOST_TEST((When(TimeSpan(kMax)).at(Date()) == Date::max()));
    // Back from there by a span that is longer than any Date.
    const TimeSpan threeCenturies = 300LL * 365 * 86'400'000;
    BOOST_TEST((Date(-9'000'000'000s) + threeCenturies == Date(460'800'000s)));
}

BOOST_AUTO_TEST_CASE(a4_a_division_by_zero_is_an_illegal_argument) {
    CHECK_THROWS(static_cast<void>(TimeSpan(5) / 0), jtimer::IllegalArgumentException,
                 "Division by zero.");
}

BOOST_AUTO_TEST_CASE(a6_a_span_is_printed_exactly_whatever_the_flags) {
    BOOST_TEST(printed(TimeSpan(1500)) == "1500 ms");
    BOOST_TEST(printed(TimeSpan(250us)) == "0.25 ms");
    BOOST_TEST(printed(TimeSpan(-3)) == "-3 ms");
    BOOST_TEST(printed(TimeSpan(0)) == "0 ms");
    BOOST_TEST(printed(TimeSpan(-1ns)) == "-0.000001 ms");
    BOOST_TEST(printed(TimeSpan(kMax) + 999'999ns) == "9223372036854775807.999999 ms");
    BOOST_TEST(printed(TimeSpan(kMin)) == "-9223372036854775808 ms");
    BOOST_TEST(printed(When(1'000'001ns)) == "1.000001 ms");
}

BOOST_AUTO_TEST_CASE(a6_a_date_is_printed_in_utc) {
    BOOST_TEST(printed(When(Date(1'764'144'000s + 250ms))) == "2025-11-26T08:00:00.25Z");
    BOOST_TEST(printed(When(Date())) == "1970-01-01T00:00:00Z");
    BOOST_TEST(printed(When(Date(-1ms))) == "1969-12-31T23:59:59.999Z");
    BOOST_TEST(printed(When(Date(951'782'400s))) == "2000-02-29T00:00:00Z");
    BOOST_TEST(printed(When(Date(-2'203'891'200s))) == "1900-03-01T00:00:00Z");
    BOOST_TEST(
        printed(When(std::chrono::time_point<std::chrono::system_clock, std::chrono::seconds>(
            -62'167'219'201s))) == "-0001-12-31T23:59:59Z");
}

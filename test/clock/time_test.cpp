// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
//
// A program of its own, for it adds to namespace jtimer::detail.
#include <jtimer/detail/saturating.hpp>
#include <jtimer/exceptions.hpp>
#include <jtimer/time.hpp>

#include "support/test.hpp"
#include "support/throws.hpp"

#include <ostream>
#include <ratio>

using jtimer::TimeSpan;
using jtimer::When;
using jtimer::detail::MillisAndNanos;
using namespace std::chrono_literals;
using std::chrono::duration;
using std::chrono::system_clock;

namespace jtimer::detail {

static bool operator==(const MillisAndNanos& a, const MillisAndNanos& b) {
    return a.millis == b.millis && a.nanos == b.nanos;
}
static std::ostream& operator<<(std::ostream& out, const MillisAndNanos& time) {
    return out << time.millis << " ms + " << time.nanos << " ns";
}

}  // namespace jtimer::detail

namespace {

constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t kMin = std::numeric_limits<std::int64_t>::min();

/// As a TimeSpan, a delay, and (for durations) a Date: all convert in the same way.
template <class T>
void check(T value, MillisAndNanos expected) {
    BOOST_TEST(TimeSpan(value).value() == expected);
    BOOST_TEST(When(value).value() == expected);
    BOOST_TEST(!When(value).isDate());
    if constexpr (!std::is_integral_v<T>) {
        const When date = std::chrono::time_point<system_clock, T>(value);
        BOOST_TEST(date.value() == expected);
        BOOST_TEST(date.isDate());
    }
}

template <class Integer>
void checkInteger() {
    constexpr auto max = std::numeric_limits<Integer>::max();
    constexpr auto min = std::numeric_limits<Integer>::min();
    check(Integer{0}, {0, 0});
    check(Integer{100}, {100, 0});
    check(min, {static_cast<std::int64_t>(min), 0});
    const bool beyond = std::is_unsigned_v<Integer> && sizeof(Integer) == sizeof kMax;
    check(max, {beyond ? kMax : static_cast<std::int64_t>(max), 0});
}

template <class T>
constexpr bool isTime = std::is_convertible_v<T, TimeSpan> || std::is_convertible_v<T, When>;

static_assert(!isTime<bool>, "true is not a millisecond");
static_assert(!isTime<double>, "a fraction needs a unit");
static_assert(!isTime<float>);
static_assert(!isTime<const char*> && !isTime<std::nullptr_t>);
static_assert(!isTime<std::chrono::steady_clock::time_point>, "not a time of day, nor since 1970");
static_assert(!std::is_convertible_v<system_clock::time_point, TimeSpan>, "a Date is no period");
static_assert(std::is_convertible_v<system_clock::time_point, When>);

static_assert(TimeSpan(1s).value().millis == 1000, "known at compile time");
static_assert(When(-1ns).value().nanos == 999'999);

}  // namespace

BOOST_AUTO_TEST_CASE(an_integer_of_any_type_means_milliseconds) {
    checkInteger<signed char>();
    checkInteger<unsigned char>();
    checkInteger<char>();
    checkInteger<wchar_t>();
    checkInteger<char16_t>();
    checkInteger<char32_t>();
    checkInteger<short>();
    checkInteger<unsigned short>();
    checkInteger<int>();
    checkInteger<unsigned>();
    checkInteger<long>();
    checkInteger<unsigned long>();
    checkInteger<long long>();
    checkInteger<unsigned long long>();
}

BOOST_AUTO_TEST_CASE(c6_unsigned_integers_beyond_64_signed_bits_become_the_largest_time) {
    constexpr auto limit = static_cast<std::uint64_t>(kMax);
    check(limit, {kMax, 0});
    check(limit + 1, {kMax, 0});
    check(std::numeric_limits<std::uint64_t>::max(), {kMax, 0});
    check(duration<std::uint64_t, std::milli>(limit + 1), {kMax, 0});
    check(duration<std::uint64_t>(std::numeric_limits<std::uint64_t>::max()), {kMax, 0});
}

BOOST_AUTO_TEST_CASE(every_unit_of_chrono_keeps_its_exact_value) {
    check(0ns, {0, 0});
    check(1ns, {0, 1});
    check(999'999ns, {0, 999'999});
    check(1'000'000ns, {1, 0});
    check(1'234'567ns, {1, 234'567});
    check(1us, {0, 1000});
    check(1'500us, {1, 500'000});
    check(42ms, {42, 0});
    check(3s, {3000, 0});
    check(2min, {120'000, 0});
    check(5h, {18'000'000, 0});
    check(duration<int, std::ratio<86'400>>(2), {172'800'000, 0});
    check(duration<short, std::ratio<31'556'952>>(1), {31'556'952'000, 0});
    check(duration<int, std::deci>(7), {700, 0});
    check(duration<int, std::centi>(7), {70, 0});
    check(duration<int, std::kilo>(7), {7'000'000, 0});
    check(duration<unsigned char, std::milli>(static_cast<unsigned char>(255)), {255, 0});
}

BOOST_AUTO_TEST_CASE(what_lies_before_zero_is_split_towards_minus_infinity) {
    check(-1, {-1, 0});
    check(-1ns, {-1, 999'999});
    check(-999'999ns, {-1, 1});
    check(-1'000'000ns, {-1, 0});
    check(-1'000'001ns, {-2, 999'999});
    check(-1us, {-1, 999'000});
    check(-1ms, {-1, 0});
    check(-1h, {-3'600'000, 0});
    check(duration<int, std::ratio<1, 60>>(-1), {-17, 333'334});
}

BOOST_AUTO_TEST_CASE(units_that_are_odd_fractions_of_a_second_are_rounded_up_to_the_nanosecond) {
    using Frames = duration<std::int64_t, std::ratio<1, 60>>;
    check(Frames(1), {16, 666'667});
    check(Frames(2), {33, 333'334});
    check(Frames(3), {50, 0});
    check(Frames(60), {1000, 0});
    check(duration<int, std::ratio<1, 3>>(1), {333, 333'334});
    check(duration<int, std::ratio<1, 7000>>(1), {0, 142'858});
    check(duration<int, std::ratio<1, 7000>>(7), {1, 0});
    check(duration<int, std::ratio<1001, 30'000>>(1), {33, 366'667});
    check(duration<int, std::ratio<1001, 30'000>>(30), {1001, 0});
    check(Frames::max(), {kMax, 0});
    check(Frames::min(), {kMin, 0});
}

BOOST_AUTO_TEST_CASE(units_below_a_nanosecond_are_rounded_up) {
    using Picoseconds = duration<std::int64_t, std::pico>;
    check(Picoseconds(0), {0, 0});
    check(Picoseconds(1), {0, 1});
    check(Picoseconds(1000), {0, 1});
    check(Picoseconds(1001), {0, 2});
    check(Picoseconds(999'999'000), {0, 999'999});
    check(Picoseconds(999'999'001), {1, 0});
    check(Picoseconds(-999), {0, 0});
    check(Picoseconds(-1000), {-1, 999'999});
    check(duration<std::int64_t, std::femto>(1), {0, 1});
    check(duration<std::int64_t, std::ratio<1, 3'000'000'000>>(1), {0, 1});
    check(duration<std::int64_t, std::ratio<1, 3'000'000'000>>(3), {0, 1});
    check(duration<std::int64_t, std::ratio<1, 3'000'000'000>>(4), {0, 2});
    check(Picoseconds::max(), {9'223'372'036, 854'776});
}

BOOST_AUTO_TEST_CASE(c6_a_count_of_nanoseconds_keeps_its_ends_292_years_away) {
    check(std::chrono::nanoseconds::max(), {9'223'372'036'854, 775'807});
    check(std::chrono::nanoseconds::min(), {-9'223'372'036'855, 224'192});
    check(std::chrono::nanoseconds::min() + 1ns, {-9'223'372'036'855, 224'193});
    using Nanos = std::chrono::time_point<system_clock, std::chrono::nanoseconds>;
    BOOST_TEST((When(Nanos::max()).value().millis == 9'223'372'036'854));
    BOOST_TEST((When(Nanos::min()).value().millis == -9'223'372'036'855));
}

BOOST_AUTO_TEST_CASE(c6_units_coarser_than_nanoseconds_saturate_beyond_292_years) {
    check(std::chrono::microseconds::max(), {kMax / 1000, 807'000});
    check(std::chrono::microseconds::min(), {kMin / 1000 - 1, 192'000});
    check(std::chrono::milliseconds::max(), {kMax, 0});
    check(std::chrono::milliseconds::min(), {kMin, 0});
    check(duration<std::int64_t>(kMax / 1000), {kMax / 1000 * 1000, 0});
    check(duration<std::int64_t>(kMax / 1000 + 1), {kMax, 0});
    check(duration<std::int64_t>(kMin / 1000), {kMin / 1000 * 1000, 0});
    check(duration<std::int64_t>(kMin / 1000 - 1), {kMin, 0});
    check(std::chrono::hours::max(), {std::chrono::hours::max().count() > kMax / 3'600'000
                                          ? kMax
                                          : std::chrono::hours::max().count() * 3'600'000,
                                      0});
    check(duration<std::int64_t, std::ratio<3600>>::max(), {kMax, 0});
    check(duration<std::int64_t, std::ratio<3600>>::min(), {kMin, 0});
    check(std::chrono::duration<std::int64_t, std::ratio<86'400>>(292 * 366),
          {9'233'740'800'000, 0});
}

BOOST_AUTO_TEST_CASE(a_floating_point_duration_is_rounded_to_the_nearest_nanosecond) {
    check(duration<double>(0.0), {0, 0});
    check(duration<double>(2.5), {2500, 0});
    check(duration<double>(0.1), {100, 0});
    check(duration<float>(0.1F), {100, 1});  // 0.1F is 0.100000001490116...
    check(duration<long double>(0.25L), {250, 0});
    check(duration<double, std::milli>(1.5), {1, 500'000});
    check(duration<double, std::micro>(0.5), {0, 500});
    check(duration<double, std::nano>(1.4), {0, 1});
    check(duration<double, std::nano>(1.6), {0, 2});
    check(duration<double, std::nano>(999'999.9), {1, 0});
    check(duration<double, std::ratio<1, 60>>(1.0), {16, 666'667});
    check(duration<double, std::ratio<3600>>(0.5), {1'800'000, 0});
    check(duration<double>(-2.5), {-2500, 0});
    check(duration<double, std::milli>(-0.25), {-1, 750'000});
    check(duration<double, std::milli>(-1.0000000001), {-1, 0});
}

BOOST_AUTO_TEST_CASE(the_least_floating_point_duration_is_not_rounded_to_nothing) {
    check(duration<double, std::nano>(0.1), {0, 1});
    check(duration<double>(std::numeric_limits<double>::denorm_min()), {0, 1});
    check(duration<double, std::nano>(-0.1), {-1, 999'999});
    check(duration<double>(-0.0), {0, 0});
}

BOOST_AUTO_TEST_CASE(c6_floating_point_durations_saturate_as_infinities_do) {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    check(duration<double>(infinity), {kMax, 0});
    check(duration<double>(-infinity), {kMin, 0});
    check(duration<float>(std::numeric_limits<float>::infinity()), {kMax, 0});
    check(duration<double>(1e300), {kMax, 0});
    check(duration<double>(-1e300), {kMin, 0});
    check(duration<double, std::milli>(9.2e18), {kMax, 0});
    check(duration<double, std::milli>(-9.2e18), {kMin, 0});
    check(duration<double, std::ratio<3600>>::max(), {kMax, 0});
    check(duration<long double>::max(), {kMax, 0});
    check(duration<double, std::milli>(9e18), {9'000'000'000'000'000'000, 0});
    check(duration<double, std::milli>(-9e18), {-9'000'000'000'000'000'000, 0});
}

BOOST_AUTO_TEST_CASE(not_a_number_is_no_duration_and_no_date) {
    const duration<double> nan(std::numeric_limits<double>::quiet_NaN());
    static constexpr auto text = "A duration cannot be NaN.";
    CHECK_THROWS(TimeSpan(nan), jtimer::IllegalArgumentException, text);
    CHECK_THROWS(When(nan), jtimer::IllegalArgumentException, text);
    CHECK_THROWS(When((std::chrono::time_point<system_clock, duration<double>>(nan))),
                 jtimer::IllegalArgumentException, text);
    const duration<float, std::nano> nanf(std::numeric_limits<float>::quiet_NaN());
    CHECK_THROWS(TimeSpan(nanf), jtimer::IllegalArgumentException, text);
}

#if defined(__SIZEOF_INT128__)  // not on machines of 32 bits
BOOST_AUTO_TEST_CASE(c6_an_integer_of_128_bits_saturates_at_64) {
    __extension__ using Wide = __int128;
    __extension__ using UnsignedWide = unsigned __int128;
    using jtimer::detail::saturatingCast;
    constexpr std::int64_t max = std::numeric_limits<std::int64_t>::max();
    constexpr std::int64_t min = std::numeric_limits<std::int64_t>::min();
    BOOST_TEST(saturatingCast(Wide{1} << 100) == max);
    BOOST_TEST(saturatingCast(-(Wide{1} << 100)) == min);
    BOOST_TEST(saturatingCast(Wide{max} + 1) == max);
    BOOST_TEST(saturatingCast(Wide{min} - 1) == min);
    BOOST_TEST(saturatingCast(Wide{-500}) == -500);
    BOOST_TEST(saturatingCast(UnsignedWide{1} << 127) == max);
    BOOST_TEST(saturatingCast(UnsignedWide{500}) == 500);
}
#endif

BOOST_AUTO_TEST_CASE(a_date_is_a_system_clock_time_point_of_any_duration) {
    using std::chrono::time_point;
    const auto check1970 = [](const When& date, MillisAndNanos expected) {
        BOOST_TEST(date.isDate());
        BOOST_TEST(date.value() == expected);
    };
    check1970(jtimer::Date{}, {0, 0});
    check1970(jtimer::Date(1234us), {1, 234'000});
    check1970(time_point<system_clock, std::chrono::hours>(1h), {3'600'000, 0});
    check1970(time_point<system_clock, duration<double>>(duration<double>(1.5)), {1500, 0});
    check1970(time_point<system_clock, duration<std::int64_t, std::milli>>::max(), {kMax, 0});
    check1970(time_point<system_clock, duration<std::int64_t, std::milli>>::min(), {kMin, 0});
    check1970(std::chrono::floor<std::chrono::seconds>(jtimer::Date(-1ms)), {-1000, 0});
    check1970(jtimer::Date(1s) + 1h, {3'601'000, 0});
}

BOOST_AUTO_TEST_CASE(sums_differences_and_products_saturate) {
    using jtimer::detail::saturatingAdd;
    using jtimer::detail::saturatingMultiply;
    using jtimer::detail::saturatingSubtract;
    for (const std::int64_t one : {1, 2, 1000}) {
        BOOST_TEST(saturatingAdd(kMax - one, one) == kMax);
        BOOST_TEST(saturatingAdd(kMax, one) == kMax);
        BOOST_TEST(saturatingAdd(kMin, -one) == kMin);
        BOOST_TEST(saturatingSubtract(kMax, -one) == kMax);
        BOOST_TEST(saturatingSubtract(kMin, one) == kMin);
        BOOST_TEST(saturatingMultiply(kMax, one + 1) == kMax);
        BOOST_TEST(saturatingMultiply(kMin, one + 1) == kMin);
        BOOST_TEST(saturatingMultiply(kMin, -one) == kMax);
    }
}

// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "calendar/civil_date.hpp"

#include <jtimer/exceptions.hpp>
#include <jtimer/time.hpp>

#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <ostream>
#include <string>

namespace jtimer::detail {

MillisAndNanos splitMillis(long double millis) {
    if (std::isnan(millis)) {
        throw IllegalArgumentException("A duration cannot be NaN.");
    }
    constexpr long double limit = 9.2e18L;  // just within the range of 64 bits
    if (millis >= limit) return {std::numeric_limits<std::int64_t>::max(), 0};
    if (millis <= -limit) return {std::numeric_limits<std::int64_t>::min(), 0};

    const auto floor = static_cast<std::int64_t>(std::floor(millis));
    const auto nanos =
        static_cast<std::int32_t>(std::lround((millis - static_cast<long double>(floor)) * 1e6L));
    if (millis > 0 && floor == 0 && nanos == 0) return {0, 1};
    if (nanos < kNanosPerMilli) return {floor, nanos};
    if (floor == -1) return {-1, static_cast<std::int32_t>(kNanosPerMilli - 1)};
    return {floor + 1, 0};
}

}  // namespace jtimer::detail

namespace jtimer {

namespace {

using detail::floorDivide;
using detail::kNanosPerMilli;
using detail::WideNanos;

/// ".25", or nothing: `fraction` of 10^digits, without trailing zeros.
std::string decimals(std::int64_t fraction, int digits) {
    if (fraction == 0) return {};
    std::array<char, 24> text{};
    std::snprintf(text.data(), text.size(), ".%0*lld", digits, static_cast<long long>(fraction));
    std::string result(text.data());
    result.erase(result.find_last_not_of('0') + 1);
    return result;
}

std::string textOf(TimeSpan span) {
    const WideNanos nanos = detail::toWide(span.value());
    const WideNanos length = nanos < 0 ? -nanos : nanos;
    return (nanos < 0 ? "-" : "") +
           std::to_string(static_cast<std::uint64_t>(length / kNanosPerMilli)) +
           decimals(static_cast<std::int64_t>(length % kNanosPerMilli), 6) + " ms";
}

std::string textOfDate(detail::MillisAndNanos sinceEpoch) {
    constexpr std::int64_t millisPerDay = 1000 * detail::kSecondsPerDay;
    const std::int64_t day = floorDivide(sinceEpoch.millis, millisPerDay);
    const std::int64_t millis = sinceEpoch.millis - day * millisPerDay;
    const detail::CivilDate date = detail::civilDate(day);
    std::array<char, 64> text{};
    std::snprintf(text.data(), text.size(), "%s%04lld-%02d-%02dT%02d:%02d:%02d",
                  date.year < 0 ? "-" : "",
                  static_cast<long long>(date.year < 0 ? -date.year : date.year), date.month,
                  date.day, static_cast<int>(millis / 3'600'000),
                  static_cast<int>(millis / 60'000 % 60), static_cast<int>(millis / 1000 % 60));
    const std::int64_t fraction = millis % 1000 * kNanosPerMilli + sinceEpoch.nanos;
    return text.data() + decimals(fraction, 9) + 'Z';
}

std::ostream& write(std::ostream& out, const std::string& text) {
    return out.write(text.data(), static_cast<std::streamsize>(text.size()));
}

}  // namespace

std::ostream& operator<<(std::ostream& out, TimeSpan span) { return write(out, textOf(span)); }

std::ostream& operator<<(std::ostream& out, When when) {
    if (when.isDate()) return write(out, textOfDate(when.value()));
    const detail::MillisAndNanos delay = when.value();
    return write(out, textOf(TimeSpan(delay.millis) + std::chrono::nanoseconds(delay.nanos)));
}

}  // namespace jtimer

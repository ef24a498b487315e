// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "time_text.hpp"

#include "calendar/civil_date.hpp"
#include "calendar/instants.hpp"
#include "calendar/local_time.hpp"
#include "calendar/zone_file.hpp"
#include "parsing.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <system_error>
#include <utility>
#include <vector>

using std::chrono::milliseconds;

namespace calendar = jtimer::detail;
using calendar::kSecondsPerDay;

namespace {

constexpr std::int64_t kMillisPerDay = 1000 * kSecondsPerDay;
constexpr std::int64_t kLongestDays = 36'500;

bool isDigit(char c) { return c >= '0' && c <= '9'; }

struct Unit {
    std::string_view name;
    std::int64_t millis;
};

constexpr std::array<Unit, 5> kUnits{
    {{"d", kMillisPerDay}, {"h", 3'600'000}, {"m", 60'000}, {"s", 1000}, {"ms", 1}}};

std::int64_t millisPer(std::string_view unit) {
    for (const Unit& each : kUnits) {
        if (each.name == unit) return each.millis;
    }
    return 0;
}

// The functions below avoid mktime and gmtime, which end in 2038 where time_t has 32 bits.

struct CivilTime {
    int year, month, day, hour, minute, second;
};

/// Seconds since 1970, if `time` is UTC.
std::int64_t secondsOf(const CivilTime& time) {
    const std::int64_t day = calendar::dayNumber({time.year, time.month, time.day});
    const std::int64_t minutes = std::int64_t{60} * time.hour + time.minute;
    return day * kSecondsPerDay + 60 * minutes + time.second;
}

/// The inverse of secondsOf().
CivilTime civilTimeOf(std::int64_t seconds) {
    const std::int64_t day = calendar::floorDivide(seconds, kSecondsPerDay);
    const auto rest = static_cast<int>(seconds - day * kSecondsPerDay);
    const calendar::CivilDate date = calendar::civilDate(day);
    return {
        static_cast<int>(date.year), date.month, date.day, rest / 3600, rest / 60 % 60, rest % 60};
}

/// `2030-01-01T08:00:00`
std::string inDigits(const CivilTime& t) {
    std::array<char, 128> text{};
    std::snprintf(text.data(), text.size(), "%04d-%02d-%02dT%02d:%02d:%02d", t.year, t.month, t.day,
                  t.hour, t.minute, t.second);
    return text.data();
}

/// Seconds since 1970, and milliseconds.
std::pair<std::int64_t, int> split(jtimer::Date date) {
    const auto time = date.time_since_epoch();
    const auto seconds = std::chrono::floor<std::chrono::seconds>(time);
    const auto millis = std::chrono::floor<milliseconds>(time) - seconds;
    return {seconds.count(), static_cast<int>(millis.count())};
}

/// Splits `text`, piece by piece. A piece is identified by its shape, where 0 stands for a digit.
class Pieces {
  public:
    explicit Pieces(std::string_view text) : rest_(text) {}

    bool atEnd() const { return rest_.empty(); }

    /// Removes the next piece if it has this shape. \returns the piece, or nothing
    std::optional<std::string_view> take(std::string_view shape) {
        if (rest_.size() < shape.size()) return std::nullopt;
        for (std::size_t i = 0; i < shape.size(); ++i) {
            if (shape[i] == '0' ? !isDigit(rest_[i]) : rest_[i] != shape[i]) return std::nullopt;
        }
        const std::string_view piece = rest_.substr(0, shape.size());
        rest_.remove_prefix(shape.size());
        return piece;
    }

  private:
    std::string_view rest_;
};

int number(std::string_view text, std::size_t begin, std::size_t length = 2) {
    int value = 0;
    for (const char digit : text.substr(begin, length)) value = value * 10 + (digit - '0');
    return value;
}

void checkRange(std::string_view text, const char* what, int value, int lowest, int highest) {
    if (value >= lowest && value <= highest) return;
    const auto twoDigits = [](int n) { return (n < 10 ? "0" : "") + std::to_string(n); };
    failExpecting(inQuotes(text) + " has an impossible " + what,
                  twoDigits(lowest) + " to " + twoDigits(highest));
}

/// A point in time as written.
struct WrittenDate {
    CivilTime time{};
    int millis = 0;
    std::optional<int> utcOffset;  ///< in seconds; nothing: local time
};

/// \returns nothing if `text` has another shape
std::optional<WrittenDate> split(std::string_view text) {
    Pieces pieces(text);
    const auto time = pieces.take("0000-00-00T00:00:00");
    if (!time) return std::nullopt;
    WrittenDate date;
    date.time = {number(*time, 0, 4), number(*time, 5),  number(*time, 8),
                 number(*time, 11),   number(*time, 14), number(*time, 17)};
    if (const auto millis = pieces.take(".000")) date.millis = number(*millis, 1, 3);
    if (pieces.take("Z")) {
        date.utcOffset = 0;
    } else if (!pieces.atEnd()) {
        const bool west = pieces.take("-").has_value();
        if (!west && !pieces.take("+")) return std::nullopt;
        const auto offset = pieces.take("00:00");
        if (!offset) return std::nullopt;
        const int hours = number(*offset, 0), minutes = number(*offset, 3);
        if (hours > 23 || minutes > 59) {
            failExpecting(inQuotes(text) + " has an impossible UTC offset", "at most 23:59");
        }
        date.utcOffset = (hours * 3600 + minutes * 60) * (west ? -1 : 1);
    }
    if (!pieces.atEnd()) return std::nullopt;
    return date;
}

}  // namespace

std::string inDecimal(std::int64_t value, std::size_t decimals) {
    std::string digits = std::to_string(std::abs(value));
    digits.insert(0, decimals + 1 - std::min(decimals + 1, digits.size()), '0');
    return (value < 0 ? "-" : "") + digits.insert(digits.size() - decimals, ".");
}

milliseconds parseDuration(std::string_view text) {
    std::int64_t count = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
    const std::int64_t unit = millisPer(text.substr(static_cast<std::size_t>(end - text.data())));
    if (text.empty() || !isDigit(text.front()) || unit == 0) {
        failExpecting(inQuotes(text) + " is not a duration",
                      "a whole number and its unit, such as 500ms, 10s, 5m, 2h or 1d");
    }
    if (error != std::errc() || count > kLongestDays * kMillisPerDay / unit) {
        failExpecting(inQuotes(text) + " is too long",
                      "at most " + std::to_string(kLongestDays) + 'd');
    }
    return milliseconds(count * unit);
}

jtimer::Date parseDate(std::string_view text) {
    const std::optional<WrittenDate> date = split(text);
    if (!date) {
        failExpecting(inQuotes(text) + " is not a time",
                      "YYYY-MM-DDTHH:MM:SS[.mmm][Z|+HH:MM|-HH:MM], such as 2030-01-01T08:00:00");
    }
    const CivilTime& time = date->time;
    checkRange(text, "year", time.year, 1971, 2199);
    checkRange(text, "month", time.month, 1, 12);
    checkRange(text, "day", time.day, 1, calendar::daysIn(time.year, time.month));
    checkRange(text, "hour", time.hour, 0, 23);
    checkRange(text, "minute", time.minute, 0, 59);
    checkRange(text, "second", time.second, 0, 59);

    std::optional<std::int64_t> moment;
    if (date->utcOffset) {
        moment = secondsOf(time) - *date->utcOffset;
    } else {
        // mktime is unsuitable: it shifts a time that the clocks skip, and it may return either of
        // two moments.
        const std::vector<std::int64_t> moments =
            calendar::instantsOf(jtimer::Zone::local(), secondsOf(time));
        if (!moments.empty()) moment = moments.back();
    }
    if (!moment && !calendar::localOffsetAt(secondsOf(time) + kSecondsPerDay)) {
        failExpecting(inQuotes(text) + " is beyond the local times of this system",
                      "one before 2038, or a UTC offset");
    }
    if (!moment) {
        failExpecting(inQuotes(text) + " is skipped by the clocks here",
                      "a local time that exists, or a UTC offset");
    }
    return jtimer::Date(milliseconds(*moment * 1000 + date->millis));
}

int parseTimeOfDay(std::string_view text) {
    Pieces pieces(text);
    if (!pieces.take("00:00") || !pieces.atEnd()) {
        failExpecting(inQuotes(text) + " is not a time of day", "HH:MM, such as 08:00");
    }
    checkRange(text, "hour", number(text, 0), 0, 23);
    checkRange(text, "minute", number(text, 3), 0, 59);
    return number(text, 0) * 60 + number(text, 3);
}

jtimer::Zone parseZone(const std::string& text) {
    if (!jtimer::Zone::isKnown(text)) {
        failExpecting(inQuotes(text) + " is not a time zone here",
                      "a name in " + calendar::zoneFolder() + ", such as Europe/Berlin or UTC");
    }
    return jtimer::Zone(text);
}

std::string formatDate(jtimer::Date date) {
    // The offset is written in whole minutes. If the local one also has seconds, both the time and
    // the offset leave them out.
    const auto [seconds, millis] = split(date);
    const std::int64_t offset = calendar::localOffsetAt(seconds).value_or(0) / 60 * 60;
    const auto minutes = static_cast<int>((offset < 0 ? -offset : offset) / 60);
    std::array<char, 32> text{};
    std::snprintf(text.data(), text.size(), ".%03d%c%02d:%02d", millis, offset < 0 ? '-' : '+',
                  minutes / 60, minutes % 60);
    return inDigits(civilTimeOf(seconds + offset)) + text.data();
}

std::string inCanonicalForm(jtimer::Date date) {
    const auto [seconds, millis] = split(date);
    std::array<char, 32> text{};
    if (millis != 0) std::snprintf(text.data(), text.size(), ".%03d", millis);
    return inDigits(civilTimeOf(seconds)) + text.data() + 'Z';
}

std::string inUtcMicros(jtimer::Date date) {
    const auto time = date.time_since_epoch();
    const auto seconds = std::chrono::floor<std::chrono::seconds>(time);
    const auto micros = std::chrono::floor<std::chrono::microseconds>(time) - seconds;
    std::array<char, 16> text{};
    std::snprintf(text.data(), text.size(), ".%06dZ", static_cast<int>(micros.count()));
    return inDigits(civilTimeOf(seconds.count())) + text.data();
}

std::string inCanonicalForm(milliseconds duration) {
    const Unit* unit = kUnits.begin();
    while (duration.count() % unit->millis != 0) ++unit;
    if (duration.count() == 0) unit = &kUnits.back();
    return std::to_string(duration.count() / unit->millis).append(unit->name);
}

std::string inWords(std::chrono::nanoseconds time) {
    using std::chrono::duration_cast;
    const std::int64_t millis =
        std::max<std::int64_t>(duration_cast<milliseconds>(time).count(), 0);
    if (millis < 1000) return std::to_string(millis) + "ms";
    if (millis < 60'000) return inDecimal(millis / 100, 1) + 's';
    const std::int64_t minutes = millis / 60'000, hours = minutes / 60;
    const auto two = [](std::int64_t first, char unit, std::int64_t second, char smaller) {
        return std::to_string(first) + unit + (second < 10 ? "0" : "") + std::to_string(second) +
               smaller;
    };
    if (hours == 0) return two(minutes, 'm', millis / 1000 % 60, 's');
    if (hours < 24) return two(hours, 'h', minutes % 60, 'm');
    return two(hours / 24, 'd', hours % 24, 'h');
}

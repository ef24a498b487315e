// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "calendar/cron_fields.hpp"

#include "calendar/civil_date.hpp"

#include <jtimer/detail/compiler.hpp>
#include <jtimer/detail/saturating.hpp>
#include <jtimer/exceptions.hpp>

#include <boost/algorithm/string/classification.hpp>
#include <boost/algorithm/string/predicate.hpp>
#include <boost/algorithm/string/split.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <locale>
#include <string_view>
#include <system_error>
#include <vector>

namespace jtimer::detail {
namespace {

constexpr int kMinutesPerDay = 24 * 60;
constexpr int kNone = -1;

constexpr std::array<std::string_view, 12> kMonths{"jan", "feb", "mar", "apr", "may", "jun",
                                                   "jul", "aug", "sep", "oct", "nov", "dec"};
constexpr std::array<std::string_view, 7> kWeekdays{"sun", "mon", "tue", "wed",
                                                    "thu", "fri", "sat"};

struct Field {
    const char* name;      ///< with its article
    const char* expected;  ///< what a value may be
    int lowest, highest;
    int count;                      ///< of the different values
    const std::string_view* names;  ///< of the values from `lowest` on, or null
};

constexpr std::array<Field, 5> kFields{{
    {"a minute", "0 to 59", 0, 59, 60, nullptr},
    {"an hour", "0 to 23", 0, 23, 24, nullptr},
    {"a day of the month", "1 to 31", 1, 31, 31, nullptr},
    {"a month", "1 to 12, or jan to dec", 1, 12, 12, kMonths.data()},
    {"a day of the week", "0 to 7, or sun to sat", 0, 7, 7, kWeekdays.data()},
}};

bool contains(std::uint64_t set, int value) { return (set >> value & 1) != 0; }

bool equalsIgnoringCase(std::string_view text, std::string_view other) {
    return boost::iequals(text, other, std::locale::classic());
}

/// \returns kNone unless `text` is a number of few digits
int parseNumber(std::string_view text) {
    unsigned value = 0;
    const char* end = text.data() + text.size();
    const auto [parsed, error] = std::from_chars(text.data(), end, value);
    return error == std::errc() && parsed == end && value < 1000 ? static_cast<int>(value) : kNone;
}

class Parser {
  public:
    explicit Parser(std::string_view expression) : expression_(expression) {}

    [[noreturn]] void fail(const std::string& wrong, const std::string& expected) const {
        throw IllegalArgumentException("Cron expression " + quoted(expression_) + wrong +
                                       ": expected " + expected);
    }

    std::vector<std::string> fields() const {
        std::vector<std::string> fields;
        boost::split(fields, expression_, boost::is_any_of(" \t"));
        fields.erase(std::remove(fields.begin(), fields.end(), ""), fields.end());
        const std::size_t count = fields.size();
        if (count != kFields.size()) {
            fail(" has " + std::to_string(count) + (count == 1 ? " field" : " fields"),
                 "5: minute, hour, day of month, month, day of week");
        }
        return fields;
    }

    /// \returns the set of the values that match
    std::uint64_t parse(const std::string& text, const Field& field) const {
        std::vector<std::string> items;
        boost::split(items, text, boost::is_any_of(","));
        std::uint64_t set = 0;
        for (const std::string& item : items) set |= parseItem(item, field);
        return set;
    }

  private:
    static std::string quoted(std::string_view text) { return '"' + std::string(text) + '"'; }

    int parseValue(std::string_view text, const Field& field) const {
        int value = parseNumber(text);
        for (int i = 0; field.names != nullptr && i < field.count; ++i) {
            if (equalsIgnoringCase(text, field.names[i])) value = field.lowest + i;
        }
        if (value < field.lowest || value > field.highest) {
            fail(": " + quoted(text) + " is not " + field.name, field.expected);
        }
        return value;
    }

    std::uint64_t parseItem(std::string_view item, const Field& field) const {
        const std::size_t slash = item.find('/');
        const std::string_view range = item.substr(0, slash);
        const std::size_t dash = range.find('-');
        int first = field.lowest, last = field.highest, step = 1;
        if (range != "*") {
            first = last = parseValue(range.substr(0, dash), field);
        }
        if (dash != std::string_view::npos) {
            const std::string_view end = range.substr(dash + 1);
            last = parseValue(end, field);
            if (first > last && equalsIgnoringCase(end, "sun")) last = 7;
        }
        if (first > last)
            fail(": " + quoted(range) + " ends before it begins", "a lower value first");
        if (slash != std::string_view::npos) {
            if (range != "*" && dash == std::string_view::npos) {
                fail(": " + quoted(item) + " has a step", "one only after * or a range");
            }
            step = parseNumber(item.substr(slash + 1));
            if (step < 1 || step > field.count) {
                fail(": " + quoted(item.substr(slash + 1)) + " is not a step of " + quoted(item),
                     "1 to " + std::to_string(field.count));
            }
        }
        std::uint64_t set = 0;
        for (int value = first; value <= last; value += step) set |= std::uint64_t{1} << value;
        return set;
    }

    const std::string_view expression_;
};

}  // namespace

CronFields::CronFields(const std::string& expression) {
    const Parser parser(expression);
    const auto fields = parser.fields();
    minutes_ = parser.parse(fields[0], kFields[0]);
    hours_ = parser.parse(fields[1], kFields[1]);
    days_ = parser.parse(fields[2], kFields[2]);
    months_ = parser.parse(fields[3], kFields[3]);
    weekdays_ = parser.parse(fields[4], kFields[4]);
    if (contains(weekdays_, 7)) weekdays_ = (weekdays_ | 1) & 0x7f;
    eitherDay_ = fields[2].front() != '*' && fields[4].front() != '*';
    keepsInterval_ = fields[0].front() == '*' || fields[1].front() == '*';
    if (!isEverDue()) parser.fail(" is never due", "a day that one of its months has");
}

bool CronFields::isEverDue() const {
    constexpr int kLeapYear = 2000;
    if (eitherDay_) return true;  // each month has every weekday
    // Each day of a year falls on each weekday in some year.
    const int firstDay = lowestBit(days_);
    for (int month = 1; month <= 12; ++month) {
        if (contains(months_, month) && firstDay <= daysIn(kLeapYear, month)) return true;
    }
    return false;
}

bool CronFields::matchesDay(std::int64_t dayNumber) const {
    const CivilDate date = civilDate(dayNumber);
    const bool day = contains(days_, date.day);
    const bool ofWeek = contains(weekdays_, weekday(dayNumber));
    return contains(months_, date.month) && (eitherDay_ ? day || ofWeek : day && ofWeek);
}

/// The first matching day that is not before `dayNumber`. It comes within 40 years: that is how
/// long the 29th of February can take to fall on a given weekday.
std::int64_t CronFields::nextDay(std::int64_t dayNumber) const {
    while (!matchesDay(dayNumber)) ++dayNumber;
    return dayNumber;
}

/// \returns the first matching minute of a day that is not before `minuteOfDay`, or kNone
int CronFields::timeFrom(int minuteOfDay) const {
    for (int minute = minuteOfDay; minute < kMinutesPerDay; ++minute) {
        if (contains(hours_, minute / 60) && contains(minutes_, minute % 60)) return minute;
    }
    return kNone;
}

std::int64_t CronFields::next(std::int64_t after) const {
    if (after == kNever) return kNever;
    const std::int64_t start = after + 1;
    const std::int64_t today = floorDivide(start, kMinutesPerDay);
    const auto now = static_cast<int>((start % kMinutesPerDay + kMinutesPerDay) % kMinutesPerDay);
    std::int64_t day = nextDay(today);
    int time = timeFrom(day == today ? now : 0);
    if (time == kNone) {
        day = nextDay(today + 1);
        time = timeFrom(0);
    }
    // Added to `start`, as the beginning of its day may lie before the range.
    return saturatingAdd(start, (day - today) * kMinutesPerDay + time - now);
}

}  // namespace jtimer::detail

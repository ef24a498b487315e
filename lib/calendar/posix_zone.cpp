// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "calendar/posix_zone.hpp"

#include "calendar/civil_date.hpp"

#include <cstddef>
#include <cstdlib>

namespace jtimer::detail {

/// Each function takes what it reads away from the text; false if something else is there.
class PosixZone::Parser {
  public:
    explicit Parser(std::string_view text) : rest_(text) {}

    bool atEnd() const { return rest_.empty(); }

    bool take(char c) {
        if (rest_.empty() || rest_.front() != c) return false;
        rest_.remove_prefix(1);
        return true;
    }

    /// `CET` or `<+03>`.
    bool takeName() {
        const bool quoted = take('<');
        std::size_t length = 0;
        while (length < rest_.size() && belongsToName(rest_[length], quoted)) ++length;
        rest_.remove_prefix(length);
        return length >= 3 && (!quoted || take('>'));
    }

    bool takeNumber(int& number, int lowest, int highest) {
        number = 0;
        std::size_t digits = 0;
        for (; digits < rest_.size() && isDigit(rest_[digits]) && digits < 4; ++digits) {
            number = number * 10 + (rest_[digits] - '0');
        }
        rest_.remove_prefix(digits);
        return digits > 0 && number >= lowest && number <= highest;
    }

    /// `-1` or `5:30:15`, up to a week, as zone files have it.
    bool takeTime(std::int64_t& seconds) {
        const bool negative = take('-');
        if (!negative) take('+');
        int hours = 0, minutes = 0, rest = 0;
        if (!takeNumber(hours, 0, 167)) return false;
        if (take(':') && !takeNumber(minutes, 0, 59)) return false;
        if (take(':') && !takeNumber(rest, 0, 59)) return false;
        seconds = std::int64_t{3600} * hours + std::int64_t{60} * minutes + rest;
        if (negative) seconds = -seconds;
        return true;
    }

    bool takeChange(Change& change) {
        bool good = false;
        if (take('M')) {
            change.kind = Change::Kind::WeekdayOfMonth;
            good = takeNumber(change.month, 1, 12) && take('.') && takeNumber(change.week, 1, 5) &&
                   take('.') && takeNumber(change.day, 0, 6);
        } else if (take('J')) {
            change.kind = Change::Kind::JulianWithoutLeapDay;
            good = takeNumber(change.day, 1, 365);
        } else {
            good = takeNumber(change.day, 0, 365);
        }
        return good && (!take('/') || takeTime(change.seconds));
    }

  private:
    static bool isDigit(char c) { return c >= '0' && c <= '9'; }
    static bool belongsToName(char c, bool quoted) {
        if ((c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z')) return true;
        return quoted && (isDigit(c) || c == '+' || c == '-');
    }

    std::string_view rest_;
};

std::optional<PosixZone> PosixZone::parse(std::string_view text) {
    Parser parser(text);
    PosixZone zone;
    if (!parser.takeName() || !parser.takeTime(zone.standard_)) return std::nullopt;
    zone.standard_ = -zone.standard_;  // POSIX counts to the west
    if (std::abs(zone.standard_) > kGreatestOffset) return std::nullopt;
    if (parser.atEnd()) return zone;

    if (!parser.takeName()) return std::nullopt;
    zone.summer_ = zone.standard_ + 3600;
    if (!parser.take(',')) {
        if (!parser.takeTime(zone.summer_) || !parser.take(',')) return std::nullopt;
        zone.summer_ = -zone.summer_;
    }
    if (std::abs(zone.summer_) > kGreatestOffset) return std::nullopt;
    Change begin, end;
    if (!parser.takeChange(begin) || !parser.take(',') || !parser.takeChange(end) ||
        !parser.atEnd()) {
        return std::nullopt;
    }
    zone.begin_ = begin;
    zone.end_ = end;
    return zone;
}

/// \returns in seconds since 1970, local time
std::int64_t PosixZone::Change::in(std::int64_t year) const {
    std::int64_t number = dayNumber({year, 1, 1}) + day;
    if (kind == Kind::JulianWithoutLeapDay) {
        if (!isLeapYear(year) || day < 60) --number;
    } else if (kind == Kind::WeekdayOfMonth) {
        const std::int64_t first = dayNumber({year, month, 1});
        const int toWeekday = (day - weekday(first) + 7) % 7;
        number = first + toWeekday + std::int64_t{7} * (week - 1);
        if (number >= first + daysIn(year, month)) number -= 7;  // the fifth is the last
    }
    return number * kSecondsPerDay + seconds;
}

std::int64_t PosixZone::offsetAt(std::int64_t moment) const {
    if (!begin_) return standard_;
    const std::int64_t year = civilDate(floorDivide(moment + standard_, kSecondsPerDay)).year;
    const std::int64_t begin = begin_->in(year)-standard_;
    const std::int64_t end = end_->in(year)-summer_;
    const bool isSummer =
        begin < end ? moment >= begin && moment < end : moment >= begin || moment < end;
    return isSummer ? summer_ : standard_;
}

}  // namespace jtimer::detail

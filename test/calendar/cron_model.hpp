// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "calendar/civil_date.hpp"
#include "calendar/cron_fields.hpp"
#include "support/choices.hpp"

#include <cstdint>
#include <set>
#include <string>

namespace test {

/// A field of an expression: its text, and the set of the values that it names.
struct CronField {
    std::string text;
    std::set<int> values;

    CronField(Choices& choices, int lowest, int highest) {
        const auto between = [&](int least, int most) {
            return least + choices.below(most - least + 1);
        };
        for (int items = between(1, 3); items > 0; --items) {
            const int kind = between(0, 4);
            int first = lowest, last = highest, step = 1;
            std::string item = "*";
            if (kind > 1) {
                first = last = between(lowest, highest);
                item = std::to_string(first);
            }
            if (kind > 2) {
                last = between(first, highest);
                item += '-' + std::to_string(last);
            }
            if (kind == 1 || kind == 4) {
                step = between(1, highest == 7 ? 7 : highest - lowest + 1);
                item += '/' + std::to_string(step);
            }
            for (int value = first; value <= last; value += step) values.insert(value);
            text += (text.empty() ? "" : ",") + item;
            if (kind == 0) break;
        }
    }

    bool startsWithStar() const { return text.front() == '*'; }
    bool has(int value) const { return values.count(value) != 0; }
};

/// Five fields, and what they match, minute by minute.
class CronModel {
  public:
    explicit CronModel(Choices& choices)
        : minutes_(choices, 0, 59), hours_(choices, 0, 23), days_(choices, 1, 31),
          months_(choices, 1, 12), weekdays_(choices, 0, 7) {}

    std::string text() const {
        return minutes_.text + ' ' + hours_.text + ' ' + days_.text + ' ' + months_.text + ' ' +
               weekdays_.text;
    }

    /// If not, no day may match, such as the 30th of February.
    bool isEverDue() const { return eitherDay() || *days_.values.begin() <= 28; }

    /// Compares with CronFields for so many days.
    void compare(std::int64_t firstDay, int days) const {
        const jtimer::detail::CronFields cron(text());
        std::int64_t next = cron.next(firstDay * kMinutes - 1);
        for (std::int64_t day = firstDay; day < firstDay + days; ++day) {
            if (!matchesDay(day)) continue;
            for (int minute = 0; minute < kMinutes; ++minute) {
                if (!matchesTime(minute)) continue;
                MODEL_REQUIRE(next == day * kMinutes + minute);
                next = cron.next(next);
            }
        }
        MODEL_REQUIRE(next >= (firstDay + days) * kMinutes);
    }

    static constexpr int kMinutes = 1440;  ///< in a day

    /// Whether the minute or the hour field begins with `*`.
    bool isWildcard() const { return minutes_.startsWithStar() || hours_.startsWithStar(); }

    /// \param minute of a day
    bool matchesTime(int minute) const {
        return hours_.has(minute / 60) && minutes_.has(minute % 60);
    }

    bool matchesDay(std::int64_t day) const {
        const jtimer::detail::CivilDate date = jtimer::detail::civilDate(day);
        const int ofWeek = jtimer::detail::weekday(day);
        const bool fits = days_.has(date.day);
        const bool weekdayFits = weekdays_.has(ofWeek) || (ofWeek == 0 && weekdays_.has(7));
        return months_.has(date.month) && (eitherDay() ? fits || weekdayFits : fits && weekdayFits);
    }

  private:
    bool eitherDay() const { return !days_.startsWithStar() && !weekdays_.startsWithStar(); }

    const CronField minutes_, hours_, days_, months_, weekdays_;
};

}  // namespace test

// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "schedule_file.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <ctime>
#include <optional>
#include <stdexcept>

using std::chrono::milliseconds;

namespace {

constexpr std::string_view kBlanks = " \t";
constexpr std::int64_t kMillisPerDay = 86'400'000;
constexpr std::int64_t kLongestDays = 36'500;

bool isDigit(char c) { return c >= '0' && c <= '9'; }

std::string quoted(std::string_view text) { return '"' + std::string(text) + '"'; }

[[noreturn]] void fail(const std::string& wrong, const std::string& expected) {
    throw std::invalid_argument(wrong + ": expected " + expected);
}

/// A line, read from the left.
class Words {
  public:
    explicit Words(std::string_view line) : rest_(line) { skipBlanks(); }

    /// The next word without taking it; empty at the end.
    std::string_view peek() const { return rest_.substr(0, rest_.find_first_of(kBlanks)); }

    std::string_view take() {
        const std::string_view word = peek();
        rest_.remove_prefix(word.size());
        skipBlanks();
        return word;
    }

    std::string_view rest() const { return rest_; }

  private:
    void skipBlanks() {
        rest_.remove_prefix(std::min(rest_.find_first_not_of(kBlanks), rest_.size()));
    }

    std::string_view rest_;
};

std::int64_t millisPer(std::string_view unit) {
    if (unit == "ms") return 1;
    if (unit == "s") return 1000;
    if (unit == "m") return 60'000;
    if (unit == "h") return 3'600'000;
    if (unit == "d") return kMillisPerDay;
    return 0;
}

milliseconds takeDuration(Words& words, std::string_view keyword) {
    if (words.peek().empty()) {
        fail("nothing follows " + quoted(keyword), "a duration, such as 500ms, 10s, 5m, 2h or 1d");
    }
    return parseDuration(words.take());
}

/// `every 1s`, `rate 1s after 10s`: what follows the first word.
void takeRepetition(Words& words, std::string_view keyword, Entry& entry) {
    const std::string_view text = words.peek();
    entry.period = takeDuration(words, keyword);
    if (entry.period == milliseconds(0)) {
        fail(quoted(text) + " is not a period", "at least 1ms");
    }
    if (words.peek() == "after") {
        words.take();
        entry.after = takeDuration(words, "after");
    }
}

void takeWhen(Words& words, Entry& entry) {
    const std::string_view keyword = words.take();
    if (keyword == "after") {
        entry.kind = Entry::Kind::After;
        entry.after = takeDuration(words, keyword);
    } else if (keyword == "at") {
        entry.kind = Entry::Kind::At;
        if (words.peek().empty()) {
            fail("nothing follows \"at\"", "a local time, such as 2030-01-01T08:00:00");
        }
        entry.at = parseLocalTime(words.take());
    } else if (keyword == "every" || keyword == "rate") {
        entry.kind = keyword == "every" ? Entry::Kind::Every : Entry::Kind::Rate;
        takeRepetition(words, keyword, entry);
    } else {
        fail(quoted(keyword) + " is not a way to say when", "after, at, every or rate");
    }
}

Entry parseLine(std::string_view line) {
    // The command could not be handed to the shell with it.
    if (line.find('\0') != line.npos) fail("the line holds a zero byte", "text");
    Words words(line);
    Entry entry;
    takeWhen(words, entry);
    entry.name = words.take();
    if (entry.name.empty()) fail("the line has no name", "a name and a command after the time");
    entry.command = words.rest();
    if (entry.command.empty()) fail(quoted(entry.name) + " has no command", "one after the name");
    return entry;
}

int daysIn(int year, int month) {
    if (month == 2) return (year % 4 == 0 && year % 100 != 0) || year % 400 == 0 ? 29 : 28;
    return month == 4 || month == 6 || month == 9 || month == 11 ? 30 : 31;
}

/// A date as it is written, field by field.
struct Fields {
    int year, month, day, hour, minute, second, millis;
};

/// Takes `text` apart. \returns nothing if it does not have the shape of a date and time
std::optional<Fields> split(std::string_view text) {
    constexpr std::string_view shape = "0000-00-00T00:00:00.000";
    constexpr std::size_t withoutMillis = 19;
    if (text.size() != shape.size() && text.size() != withoutMillis) return std::nullopt;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (shape[i] == '0' ? !isDigit(text[i]) : text[i] != shape[i]) return std::nullopt;
    }
    const auto number = [text](std::size_t begin, std::size_t length) {
        int value = 0;
        for (const char digit : text.substr(begin, length)) value = value * 10 + (digit - '0');
        return value;
    };
    return Fields{number(0, 4),
                  number(5, 2),
                  number(8, 2),
                  number(11, 2),
                  number(14, 2),
                  number(17, 2),
                  text.size() == withoutMillis ? 0 : number(20, 3)};
}

void checkRange(std::string_view text, const char* what, int value, int lowest, int highest) {
    if (value >= lowest && value <= highest) return;
    const auto twoDigits = [](int number) {
        return (number < 10 ? "0" : "") + std::to_string(number);
    };
    fail(quoted(text) + " has an impossible " + what,
         twoDigits(lowest) + " to " + twoDigits(highest));
}

/// The moment at which local clocks show these fields, if they ever do. mktime moves a time that
/// they skip to one that exists, and picks one of two as it likes: so it is asked for both, and its
/// answers are checked.
std::optional<std::time_t> firstMoment(const Fields& f) {
    std::optional<std::time_t> first;
    for (const int isDst : {1, 0, -1}) {
        std::tm asked{};
        asked.tm_year = f.year - 1900;
        asked.tm_mon = f.month - 1;
        asked.tm_mday = f.day;
        asked.tm_hour = f.hour;
        asked.tm_min = f.minute;
        asked.tm_sec = f.second;
        asked.tm_isdst = isDst;
        const std::time_t moment = std::mktime(&asked);
        std::tm shown{};
        if (moment == -1 || localtime_r(&moment, &shown) == nullptr) continue;
        if (shown.tm_mday != f.day || shown.tm_hour != f.hour || shown.tm_min != f.minute) continue;
        if (!first || moment < *first) first = moment;
    }
    return first;
}

}  // namespace

milliseconds parseDuration(std::string_view text) {
    std::int64_t count = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
    const std::int64_t unit = millisPer(text.substr(static_cast<std::size_t>(end - text.data())));
    if (text.empty() || !isDigit(text.front()) || unit == 0) {
        fail(quoted(text) + " is not a duration",
             "a whole number and its unit, such as 500ms, 10s, 5m, 2h or 1d");
    }
    if (error != std::errc() || count > kLongestDays * kMillisPerDay / unit) {
        fail(quoted(text) + " is too long", "at most " + std::to_string(kLongestDays) + 'd');
    }
    return milliseconds(count * unit);
}

jtimer::Date parseLocalTime(std::string_view text) {
    const std::optional<Fields> fields = split(text);
    if (!fields) {
        fail(quoted(text) + " is not a local time",
             "YYYY-MM-DDTHH:MM:SS or YYYY-MM-DDTHH:MM:SS.mmm, such as 2030-01-01T08:00:00");
    }
    checkRange(text, "year", fields->year, 1971, 2199);
    checkRange(text, "month", fields->month, 1, 12);
    checkRange(text, "day", fields->day, 1, daysIn(fields->year, fields->month));
    checkRange(text, "hour", fields->hour, 0, 23);
    checkRange(text, "minute", fields->minute, 0, 59);
    checkRange(text, "second", fields->second, 0, 59);
    const std::optional<std::time_t> moment = firstMoment(*fields);
    if (!moment) {
        fail(quoted(text) + " is skipped by the clocks here",
             "a local time that exists, earlier or later that day");
    }
    return std::chrono::system_clock::from_time_t(*moment) + milliseconds(fields->millis);
}

Schedule parseSchedule(std::istream& file, const std::string& fileName) {
    Schedule schedule;
    std::string line;
    for (int number = 1; std::getline(file, line); ++number) {
        if (!line.empty() && line.back() == '\r') line.pop_back();
        const Words words(line);
        if (words.rest().empty() || words.rest().front() == '#') continue;
        try {
            schedule.entries.push_back(parseLine(line));
        } catch (const std::invalid_argument& e) {
            schedule.errors.push_back(fileName + ':' + std::to_string(number) + ": " + e.what());
        }
    }
    return schedule;
}

// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "schedule_line.hpp"

#include "calendar/zone_file.hpp"
#include "crontab.hpp"
#include "parsing.hpp"
#include "time_text.hpp"
#include "utf8.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>

using jtimer::Cron;
using jtimer::Zone;
using std::chrono::milliseconds;

namespace {

constexpr int kMostRetries = 1000;

/// Reads a line word by word, from the left.
class Words {
  public:
    explicit Words(std::string_view line) : rest_(line) { skipBlanks(); }

    /// The next word, which is not removed; empty at the end.
    std::string_view peek() const { return rest_.substr(0, rest_.find_first_of(kBlanks)); }

    std::string_view take() {
        const std::string_view word = peek();
        rest_.remove_prefix(word.size());
        skipBlanks();
        return word;
    }

    /// Takes what is in quotes, which end before a blank. \returns nothing if there is none
    std::optional<std::string_view> takeQuoted() {
        const std::size_t end = rest_.empty() ? rest_.npos : rest_.find('"', 1);
        if (end == rest_.npos || rest_.front() != '"') return std::nullopt;
        if (end + 1 < rest_.size() && kBlanks.find(rest_[end + 1]) == kBlanks.npos) return {};
        const std::string_view quoted = rest_.substr(1, end - 1);
        rest_.remove_prefix(end + 1);
        skipBlanks();
        return quoted;
    }

    std::string_view rest() const { return rest_; }

  private:
    void skipBlanks() {
        rest_.remove_prefix(std::min(rest_.find_first_not_of(kBlanks), rest_.size()));
    }

    std::string_view rest_;
};

milliseconds takeDuration(Words& words, std::string_view keyword) {
    if (words.peek().empty()) {
        failExpecting("nothing follows " + inQuotes(keyword),
                      "a duration, such as 500ms, 10s, 5m, 2h or 1d");
    }
    return parseDuration(words.take());
}

/// Reads what follows the first word in `every 1s` or `rate 1s after 10s`.
void takeRepetition(Words& words, std::string_view keyword, Entry& entry) {
    entry.kind = keyword == "every" ? Entry::Kind::Every : Entry::Kind::Rate;
    const std::string_view text = words.peek();
    entry.period = takeDuration(words, keyword);
    if (entry.period == milliseconds(0)) {
        failExpecting(inQuotes(text) + " is not a period", "at least 1ms");
    }
    if (words.peek() == "after") {
        words.take();
        entry.after = takeDuration(words, "after");
    }
}

/// A word with a slash is a zone, and not a name: otherwise a misspelt zone would be one.
Zone takeZone(Words& words) {
    const std::string word(words.peek());
    const bool isOption = word.find('=') != word.npos;  // retry=3/10s
    const bool isKnown = Zone::isKnown(word);
    if (isOption || (word.find('/') == word.npos && !isKnown)) return Zone::local();
    if (!isKnown) {
        failExpecting(inQuotes(word) + " is not a time zone here",
                      "a name in " + jtimer::detail::zoneFolder() +
                          ", such as Europe/Berlin or UTC");
    }
    words.take();
    return Zone(word);
}

/// Reads `08:00` or `08:00 Europe/Berlin`.
Cron takeTimeOfDay(Words& words) {
    const int minutes = parseTimeOfDay(words.take());
    return Cron(std::to_string(minutes % 60) + ' ' + std::to_string(minutes / 60) + " * * *",
                takeZone(words));
}

void takeAt(Words& words, Entry& entry) {
    entry.kind = Entry::Kind::At;
    const std::string_view text = words.peek();
    if (text.empty()) {
        failExpecting("nothing follows \"at\"", "a time, such as 2030-01-01T08:00:00 or 08:00");
    }
    const bool isTimeOfDay = text.find(':') <= 2;
    if (isTimeOfDay) {
        entry.calendar = takeTimeOfDay(words);
    } else {
        entry.hasOffset = text.find_first_of("Z+-", text.find('T')) != text.npos;
        entry.at = parseDate(words.take());
    }
}

void takeDaily(Words& words, Entry& entry) {
    entry.kind = Entry::Kind::Cron;
    if (words.peek().empty()) failExpecting("nothing follows \"daily\"", "a time, such as 08:00");
    entry.calendar = takeTimeOfDay(words);
}

void takeCron(Words& words, Entry& entry) {
    entry.kind = Entry::Kind::Cron;
    const std::optional<std::string_view> expression = words.takeQuoted();
    if (!expression) {
        failExpecting("no expression in quotes follows \"cron\"",
                      R"(one such as cron "*/5 8-18 * * mon-fri")");
    }
    entry.calendar = Cron(std::string(*expression), takeZone(words));
}

constexpr std::array<std::string_view, 6> kKeywords{"after", "at",    "every",
                                                    "rate",  "daily", "cron"};

void takeWhen(Words& words, Entry& entry) {
    const std::string_view keyword = words.take();
    if (keyword == "after") {
        entry.after = takeDuration(words, keyword);
    } else if (keyword == "at") {
        takeAt(words, entry);
    } else if (keyword == "every" || keyword == "rate") {
        takeRepetition(words, keyword, entry);
    } else if (keyword == "daily") {
        takeDaily(words, entry);
    } else if (keyword == "cron") {
        takeCron(words, entry);
    } else {
        failExpecting(inQuotes(keyword) + " is not a kind of schedule",
                      "after, at, every, rate, daily or cron");
    }
}

Overlap parseOverlap(std::string_view text) {
    if (text == "wait") return Overlap::Wait;
    if (text == "skip") return Overlap::Skip;
    if (text == "kill") return Overlap::Kill;
    failExpecting(inQuotes(text) + " is not a rule for runs that overlap", "wait, skip or kill");
}

/// Reads `3` or `3/10s`.
Retry parseRetry(std::string_view text) {
    Retry retry;
    const std::size_t slash = text.find('/');
    const std::string_view times = text.substr(0, slash);
    const std::optional<int> count = parseCount(times, kMostRetries);
    if (!count) {
        failExpecting(inQuotes(times) + " is not a number of retries",
                      "1 to " + std::to_string(kMostRetries) + ", as in retry=3 or retry=3/10s");
    }
    retry.times = *count;
    if (slash != text.npos) retry.delay = parseDuration(text.substr(slash + 1));
    return retry;
}

bool isOption(std::string_view word) {
    const std::string_view name = word.substr(0, word.find('='));
    return name.size() < word.size() && (name == "overlap" || name == "retry");
}

void takeOptions(Words& words, Entry& entry) {
    std::set<std::string_view> names;
    for (;;) {
        const std::string_view word = words.peek();
        const std::size_t equals = word.find('=');
        if (equals == word.npos) return;
        const std::string_view name = word.substr(0, equals), value = word.substr(equals + 1);
        if (!names.insert(name).second) failExpecting(inQuotes(name) + " occurs twice", "one");
        if (name == "overlap") {
            entry.overlap = parseOverlap(value);
        } else if (name == "retry") {
            entry.retry = parseRetry(value);
        } else {
            failExpecting(inQuotes(word) + " is not an option",
                          "overlap=wait|skip|kill, retry=TIMES[/DURATION], or a name without =");
        }
        entry.options.append(entry.options.empty() ? "" : " ").append(word);
        words.take();
    }
}

std::string takeName(Words& words) {
    const std::string_view name = words.take();
    if (name.empty()) {
        failExpecting("the line has no name", "a name and a command after the time");
    }
    // Names stand in traces and metrics, which are UTF-8, and on terminals.
    if (!isPrintable(name)) {
        failExpecting(inQuotes(name) + " cannot be a name", "UTF-8 without control characters");
    }
    // `after 1s after 2s a echo` is a mistake, not a task named "after".
    if (std::find(kKeywords.begin(), kKeywords.end(), name) != kKeywords.end()) {
        failExpecting(inQuotes(name) + " cannot be a name",
                      "a word other than after, at, every, rate, daily and cron");
    }
    // So is `at 2030-01-01T08:00:00 Europe/Berlin a echo`.
    if (Zone::isKnown(std::string(name))) {
        failExpecting(inQuotes(name) + " is a time zone",
                      "a name; zones follow HH:MM or a cron expression, and a date has an offset "
                      "such as +01:00");
    }
    return std::string(name);
}

}  // namespace

Entry parseLine(std::string_view line) {
    // A command with a zero byte could not be passed to the shell.
    if (line.find('\0') != line.npos) failExpecting("the line holds a zero byte", "text");
    Words words(line);
    if (isOption(words.peek())) {
        failExpecting(inQuotes(words.peek()) + " begins the line", "options after the time");
    }
    refuseCrontab(words.rest());
    Entry entry;
    takeWhen(words, entry);
    takeOptions(words, entry);
    entry.name = takeName(words);
    entry.command = words.rest();
    if (entry.command.empty()) {
        failExpecting(inQuotes(entry.name) + " has no command", "one after the name");
    }
    if (isOption(words.peek())) {
        failExpecting(inQuotes(words.peek()) + " follows the name", "options before it");
    }
    if (entry.command.front() == '#') {
        failExpecting(inQuotes(entry.name) + " has only a comment as its command",
                      "a command after the name");
    }
    return entry;
}

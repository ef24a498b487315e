// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "schedule_line.hpp"

#include "../text/parsing.hpp"
#include "../text/time_text.hpp"
#include "crontab.hpp"
#include "line_name.hpp"
#include "line_options.hpp"
#include "words.hpp"

#include <chrono>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

using jtimer::Cron;
using jtimer::Zone;
using std::chrono::milliseconds;

namespace {

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
/// \param otherwise the zone if there is none
Zone takeZone(Words& words, const Zone& otherwise) {
    const std::string word(words.peek());
    const bool hasEquals = word.find('=') != word.npos;  // retry=3/10s
    if (hasEquals || (word.find('/') == word.npos && !Zone::isKnown(word))) return otherwise;
    words.take();
    return parseZone(word);
}

/// Reads `08:00` or `08:00 Europe/Berlin`.
Cron takeTimeOfDay(Words& words, const Zone& zone) {
    const int minutes = parseTimeOfDay(words.take());
    return Cron(std::to_string(minutes % 60) + ' ' + std::to_string(minutes / 60) + " * * *",
                takeZone(words, zone));
}

void takeAt(Words& words, const Zone& zone, Entry& entry) {
    entry.kind = Entry::Kind::At;
    const std::string_view text = words.peek();
    if (text.empty()) {
        failExpecting("nothing follows \"at\"", "a time, such as 2030-01-01T08:00:00 or 08:00");
    }
    const bool isTimeOfDay = text.find(':') <= 2;
    if (isTimeOfDay) {
        entry.calendar = takeTimeOfDay(words, zone);
    } else {
        entry.hasOffset = text.find_first_of("Z+-", text.find('T')) != text.npos;
        entry.at = parseDate(words.take());
    }
}

void takeDaily(Words& words, const Zone& zone, Entry& entry) {
    entry.kind = Entry::Kind::Cron;
    if (words.peek().empty()) failExpecting("nothing follows \"daily\"", "a time, such as 08:00");
    entry.calendar = takeTimeOfDay(words, zone);
}

void takeCron(Words& words, const Zone& zone, Entry& entry) {
    entry.kind = Entry::Kind::Cron;
    const std::optional<std::string_view> expression = words.takeQuoted();
    if (!expression) {
        failExpecting("no expression in quotes follows \"cron\"",
                      R"(one such as cron "*/5 8-18 * * mon-fri")");
    }
    entry.calendar = Cron(std::string(*expression), takeZone(words, zone));
}

void takeWhen(Words& words, const Zone& zone, Entry& entry) {
    const std::string_view keyword = words.take();
    if (keyword == "after") {
        entry.after = takeDuration(words, keyword);
    } else if (keyword == "at") {
        takeAt(words, zone, entry);
    } else if (keyword == "every" || keyword == "rate") {
        takeRepetition(words, keyword, entry);
    } else if (keyword == "daily") {
        takeDaily(words, zone, entry);
    } else if (keyword == "cron") {
        takeCron(words, zone, entry);
    } else {
        failExpecting(inQuotes(keyword) + " is not a kind of schedule",
                      "after, at, every, rate, daily or cron");
    }
}

}  // namespace

Entry parseLine(std::string_view line, const Zone& zone, Entry defaults) {
    Words words(line);
    refuseCrontab(words.rest());
    Entry entry = std::move(defaults);
    takeWhen(words, zone, entry);
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

// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "schedule_file.hpp"

#include "time_text.hpp"

#include <algorithm>
#include <stdexcept>

using std::chrono::milliseconds;

namespace {

constexpr std::string_view kBlanks = " \t";
constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
constexpr std::size_t kLongestLine = 1 << 20;
constexpr std::size_t kMostErrors = 100;

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

void takeWhen(Words& words, Entry& entry) {
    const std::string_view keyword = words.take();
    if (keyword == "after") {
        entry.kind = Entry::Kind::After;
        entry.after = takeDuration(words, keyword);
    } else if (keyword == "at") {
        entry.kind = Entry::Kind::At;
        if (words.peek().empty()) {
            failExpecting("nothing follows \"at\"", "a time, such as 2030-01-01T08:00:00");
        }
        entry.at = parseDate(words.take());
    } else if (keyword == "every" || keyword == "rate") {
        entry.kind = keyword == "every" ? Entry::Kind::Every : Entry::Kind::Rate;
        takeRepetition(words, keyword, entry);
    } else {
        failExpecting(inQuotes(keyword) + " is not a kind of schedule", "after, at, every or rate");
    }
}

std::string takeName(Words& words) {
    const std::string_view name = words.take();
    if (name.empty()) {
        failExpecting("the line has no name", "a name and a command after the time");
    }
    // `after 1s after 2s a echo` is a mistake, not a task named "after".
    for (const char* keyword : {"after", "at", "every", "rate"}) {
        if (name != keyword) continue;
        failExpecting(inQuotes(name) + " cannot be a name",
                      "a word other than after, at, every and rate");
    }
    return std::string(name);
}

Entry parseLine(std::string_view line) {
    // A command with a zero byte could not be passed to the shell.
    if (line.find('\0') != line.npos) failExpecting("the line holds a zero byte", "text");
    Words words(line);
    Entry entry;
    takeWhen(words, entry);
    entry.name = takeName(words);
    entry.command = words.rest();
    if (entry.command.empty()) {
        failExpecting(inQuotes(entry.name) + " has no command", "one after the name");
    }
    if (entry.command.front() == '#') {
        failExpecting(inQuotes(entry.name) + " has only a comment as its command",
                      "a command after the name");
    }
    return entry;
}

/// Like std::getline, but stops reading a line once it is too long.
/// \returns whether there was a line
bool readLine(std::istream& file, std::string& line) {
    line.clear();
    char c = 0;
    while (line.size() <= kLongestLine && file.get(c) && c != '\n') line += c;
    return file || !line.empty();
}

}  // namespace

Schedule parseSchedule(std::istream& file, const std::string& fileName) {
    Schedule schedule;
    std::string line;
    for (int number = 1; readLine(file, line); ++number) {
        const std::string place = fileName + ':' + std::to_string(number) + ": ";
        if (line.size() > kLongestLine) {
            schedule.errors.push_back(place + "the line is too long: expected at most 1 MiB");
            break;
        }
        if (number == 1 && line.rfind(kByteOrderMark, 0) == 0) line.erase(0, kByteOrderMark.size());
        if (!line.empty() && line.back() == '\r') line.pop_back();
        const Words words(line);
        if (words.rest().empty() || words.rest().front() == '#') continue;
        try {
            schedule.entries.push_back(parseLine(line));
        } catch (const std::invalid_argument& e) {
            schedule.errors.push_back(place + e.what());
        }
        if (schedule.errors.size() == kMostErrors) {
            schedule.errors.push_back(fileName + ": too many errors: the rest is not read");
            break;
        }
    }
    return schedule;
}

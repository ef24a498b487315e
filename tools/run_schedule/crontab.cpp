// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "crontab.hpp"

#include "../text/parsing.hpp"
#include "../text/time_text.hpp"
#include "line_name.hpp"
#include "line_options.hpp"
#include "words.hpp"

#include <jtimer/cron.hpp>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstddef>
#include <cstdlib>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <unistd.h>

using jtimer::Cron;
using jtimer::Zone;

namespace {

struct Word {
    std::string_view name, expression, native;
};

constexpr std::array<Word, 8> kWords{{
    {"@reboot", "", "after 0s"},
    {"@yearly", "0 0 1 1 *", R"(cron "0 0 1 1 *")"},
    {"@annually", "0 0 1 1 *", R"(cron "0 0 1 1 *")"},
    {"@monthly", "0 0 1 * *", R"(cron "0 0 1 * *")"},
    {"@weekly", "0 0 * * 0", R"(cron "0 0 * * 0")"},
    {"@daily", "0 0 * * *", "daily 00:00"},
    {"@midnight", "0 0 * * *", "daily 00:00"},
    {"@hourly", "0 * * * *", R"(cron "0 * * * *")"},
}};

const Word* findWord(std::string_view name) {
    const auto* const found = std::find_if(kWords.begin(), kWords.end(),
                                           [name](const Word& each) { return each.name == name; });
    return found == kWords.end() ? nullptr : found;
}

bool isCron(std::string_view text) {
    try {
        static_cast<void>(Cron(std::string(text)));
        return true;
    } catch (const std::invalid_argument&) {
        return false;
    }
}

/// The parts of a field, between `,` `-` and `/`.
std::vector<std::string> partsOf(std::string_view field) {
    std::vector<std::string> parts(1);
    for (const char c : field) {
        if (c == ',' || c == '-' || c == '/') {
            parts.emplace_back();
        } else {
            parts.back() += c;
        }
    }
    return parts;
}

/// Whether another cron reads the word as a field: of seconds before, or of years after the five.
bool isSixthField(std::string_view word) {
    if (word.empty()) return false;
    if (word.find_first_not_of("0123456789*/,-?#L") == word.npos) return true;
    const auto isWeekday = [](const std::string& part) {
        return !part.empty() && std::isalpha(static_cast<unsigned char>(part.front())) != 0 &&
               isCron("0 0 * * " + part);
    };
    const std::vector<std::string> parts = partsOf(word);
    return parts.size() > 1 && std::all_of(parts.begin(), parts.end(), isWeekday);
}

/// Whether it is a value that other crons draw at random, or read in ways of their own.
bool isExtension(const std::string& part) {
    if (part.find_first_of("~#?") != part.npos || part.rfind("H(", 0) == 0) return true;
    return part.find_first_of("LWH") != part.npos &&
           part.find_first_not_of("0123456789LWH") == part.npos;
}

/// In a range of weekdays, Sunday is the last day if it ends the range: 5-0 is 5-7.
std::string withSundayLast(std::string_view field) {
    std::string result;
    std::istringstream items{std::string(field)};
    for (std::string item; std::getline(items, item, ',');) {
        const std::size_t dash = item.find('-');
        const bool endsOnZero = dash != item.npos && item.compare(dash, 2, "-0") == 0 &&
                                (dash + 2 == item.size() || item[dash + 2] == '/');
        if (endsOnZero && dash > 0 && item.compare(0, dash, "0") != 0) item[dash + 1] = '7';
        result += (result.empty() ? "" : ",") + item;
    }
    return field.empty() || field.back() != ',' ? result : result + ',';
}

/// Takes five fields. \returns the expression
std::string takeFields(Words& words) {
    const std::string_view line = words.rest();
    std::array<std::string_view, 5> fields;
    for (std::string_view& field : fields) field = words.take();
    if (isSixthField(words.peek())) {
        const std::size_t end = line.size() - words.rest().size() + words.peek().size();
        failExpecting(inQuotes(line.substr(0, end)) + " has more than five fields",
                      "five fields; for seconds: every 2s NAME COMMAND in a schedule file");
    }
    for (const std::string_view field : fields) {
        for (const std::string& part : partsOf(field)) {
            if (isExtension(part))
                failExpecting(inQuotes(field) + " is not a field of cron",
                              "a fixed value, or jitter=DURATION");
        }
    }
    std::string expression;
    for (std::size_t i = 0; i < fields.size() - 1; ++i) expression.append(fields[i]).append(" ");
    return expression + withSundayLast(fields.back());
}

/// Takes @daily and the like, or five fields.
void takeCrontabTime(Words& words, const Zone& zone, Entry& entry) {
    entry.kind = Entry::Kind::Cron;
    const std::string_view word = words.peek();
    if (word.empty() || word.front() != '@') {
        entry.calendar = Cron(takeFields(words), zone);
        return;
    }
    words.take();
    const Word* const known = findWord(word);
    if (word == "@reboot") {
        entry.kind = Entry::Kind::After;
        entry.isReboot = true;
    } else if (known != nullptr) {
        entry.calendar = Cron(std::string(known->expression), zone);
    } else if (word == "@every") {
        std::string period = "10s";
        try {
            static_cast<void>(parseDuration(words.peek()));
            period = words.peek();
        } catch (const std::invalid_argument&) {  // perhaps 1h30m, which this is no place for
        }
        failExpecting(inQuotes(word) + " is not a word of crontab(5)",
                      "rate " + period + " NAME COMMAND in a schedule file");
    } else {
        failExpecting(inQuotes(word) + " is not a word of crontab(5)",
                      "@yearly, @annually, @monthly, @weekly, @daily, @midnight, @hourly or "
                      "@reboot");
    }
}

bool isProgram(const std::string& name, const Entry& entry) {
    if (name.find('/') != name.npos) return true;
    const auto set = entry.variables.find("PATH");
    const char* const own = std::getenv("PATH");
    std::istringstream folders(set != entry.variables.end() ? set->second
                                                            : (own == nullptr ? "" : own));
    for (std::string folder; std::getline(folders, folder, ':');) {
        if (::access(folder.append("/").append(name).c_str(), X_OK) == 0) return true;
    }
    return false;
}

/// Sets the command, and its input: what follows a `%` without a backslash, in which further ones
/// are newlines. As in cronie, down to what backslashes before others mean.
void splitCommand(std::string_view text, Entry& entry) {
    bool isEscaped = false;
    std::size_t i = 0;
    for (; i < text.size(); ++i) {
        const char c = text[i];
        if (isEscaped && c == '%') entry.command.pop_back();
        if (c == '%' && !isEscaped) break;
        isEscaped = c == '\\' && !isEscaped;
        entry.command += c;
    }
    if (i == text.size()) return;
    std::string input;
    isEscaped = false;
    for (const char c : text.substr(i + 1)) {
        if (isEscaped && c != '%') input += '\\';
        const bool isNewline = c == '%' && !isEscaped;
        isEscaped = c == '\\';
        if (!isEscaped) input += isNewline ? '\n' : c;
    }
    if (isEscaped) input += '\\';
    if (!input.empty() && input.back() != '\n') input += '\n';
    entry.input = std::move(input);
}

/// Reads `# run_schedule: {OPTION} NAME`, and ignores any other line.
void readComment(std::string_view line, Entry& entry) {
    if (line.empty() || line.front() != '#') return;
    Words words(line.substr(1));
    if (words.peek() != "run_schedule:") return;
    words.take();
    takeOptions(words, entry);
    if (words.peek().empty()) return;  // only options
    entry.name = takeName(words);
    if (!words.rest().empty())
        failExpecting(inQuotes(words.rest()) + " follows the name in the comment above", "nothing");
}

}  // namespace

Entry Crontab::parse(std::string_view line, std::string_view above, const Zone& zone,
                     Entry defaults) const {
    Entry entry = std::move(defaults);
    readComment(above, entry);
    if (!line.empty() && line.front() == '-') line.remove_prefix(1);  // not to be logged by cron
    Words words(line);
    takeCrontabTime(words, zone, entry);
    if (hasUsers_) {
        const std::string user(words.take());
        if (user.empty()) failExpecting("the line has no user", "one after the time");
        if (hasOption(entry, "user"))
            failExpecting("the comment above has a user, too", "the one of the line");
        entry.user = User::toRunAs(user);
        if (entry.folder.empty()) entry.folder = entry.user->home;
    } else {
        const std::string word(words.peek());
        if (User::find(word) && !isProgram(word, entry))
            failExpecting(inQuotes(word) + " is a user here, and no program",
                          "--system for a file with a column of users");
    }
    if (words.peek() == "-n") words.take();  // mail from cron only if it fails
    if (words.rest().empty()) failExpecting("the line has no command", "one after the time");
    splitCommand(words.rest(), entry);
    return entry;
}

void refuseCrontab(std::string_view line) {
    const std::string what = "this is a line of a crontab";
    const std::string instead = " NAME COMMAND, or --crontab";
    Words words(line);
    if (const Word* const known = findWord(words.peek()))
        failExpecting(what, std::string(known->native) + instead);
    for (int i = 0; i < 5; ++i) words.take();
    std::string_view five = line.substr(0, line.size() - words.rest().size());
    five = five.substr(0, five.find_last_not_of(kBlanks) + 1);
    if (isCron(five)) failExpecting(what, "cron " + inQuotes(five) + instead);
}

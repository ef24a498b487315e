// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "variables.hpp"

#include "../text/parsing.hpp"
#include "../text/time_text.hpp"
#include "words.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <optional>

namespace {

std::string_view withoutBlanks(std::string_view text) {
    text.remove_prefix(std::min(text.find_first_not_of(kBlanks), text.size()));
    return text.substr(0, text.find_last_not_of(kBlanks) + 1);
}

bool isQuote(char c) { return c == '"' || c == '\''; }

/// Where the name ends, which may be in quotes; npos if none begins the line.
std::size_t endOfName(std::string_view line) {
    if (line.empty() || line.front() == '#') return line.npos;
    if (!isQuote(line.front())) return line.find_first_of(" \t=");
    const std::size_t quote = line.find(line.front(), 1);
    return quote == line.npos ? line.npos : quote + 1;
}

std::string_view withoutQuotes(std::string_view text) {
    if (text.size() < 2 || !isQuote(text.front()) || text.back() != text.front()) return text;
    return text.substr(1, text.size() - 2);
}

std::string valueOf(std::string_view text, std::string_view name) {
    if (text.empty() || !isQuote(text.front())) return std::string(text);
    const std::size_t end = text.find(text.front(), 1);
    if (end != text.size() - 1 || text.size() < 2) {
        failExpecting("the value of " + inQuotes(name) + " begins with a quote",
                      "the same quote at its end, and nowhere else");
    }
    return std::string(withoutQuotes(text));
}

/// What RANDOM_DELAY says.
std::chrono::minutes minutesOf(const std::string& value) {
    constexpr int kMost = 7 * 24 * 60;
    if (value.empty() || value == "0") return std::chrono::minutes(0);
    const std::optional<int> minutes = parseCount(value, kMost);
    if (!minutes)
        failExpecting("RANDOM_DELAY: " + inQuotes(value) + " is not a number of minutes",
                      "0 to " + std::to_string(kMost));
    return std::chrono::minutes(*minutes);
}

}  // namespace

bool Variables::read(std::string_view line) {
    const std::size_t end = endOfName(line);
    if (end == line.npos || end == 0) return false;
    const std::string_view rest = withoutBlanks(line.substr(end));
    if (rest.empty() || rest.front() != '=') return false;
    const std::string name(withoutQuotes(line.substr(0, end)));
    if (name.empty()) failExpecting("a variable has no name", "NAME=VALUE");
    const std::string value = valueOf(withoutBlanks(rest.substr(1)), name);
    if (name == "MLS_LEVEL") {
        failExpecting("MLS_LEVEL is set", "no MLS_LEVEL: run_schedule sets no security context");
    }
    if (name == "CRON_TZ") zone_ = value.empty() ? jtimer::Zone::local() : parseZone(value);
    if (name == "RANDOM_DELAY") jitter_ = minutesOf(value);
    if ((name == "MAILTO" || name == "MAILFROM") && !value.empty()) unused_.insert(name);
    values_[name] = value;
    return true;
}

void Variables::giveTo(Entry& entry) const {
    entry.variables = values_;
    const auto shell = values_.find("SHELL");
    if (shell != values_.end() && !shell->second.empty()) entry.shell = shell->second;
    if (jitter_) entry.jitter = *jitter_;
}

std::set<std::string> Variables::notices() const {
    std::set<std::string> notices;
    for (const std::string& name : unused_) notices.insert(name + " is not used: see --on-failure");
    if (values_.count("TZ") != 0 && values_.count("CRON_TZ") == 0)
        notices.insert("TZ sets the zone of the commands; CRON_TZ sets that of the lines");
    return notices;
}

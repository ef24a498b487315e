// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "line_name.hpp"

#include "../text/parsing.hpp"
#include "../text/utf8.hpp"

#include <jtimer/zone.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <stdexcept>

namespace {

constexpr std::array<std::string_view, 6> kKeywords{"after", "at",    "every",
                                                    "rate",  "daily", "cron"};

/// Whether the shell takes it for a variable of the command.
bool isAssignment(std::string_view word) {
    const std::size_t equals = word.find('=');
    return equals != word.npos && equals > 0 && word.find('/') > equals;
}

}  // namespace

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
    if (jtimer::Zone::isKnown(std::string(name))) {
        failExpecting(inQuotes(name) + " is a time zone",
                      "a name; zones follow HH:MM or a cron expression, and a date has an offset "
                      "such as +01:00");
    }
    return std::string(name);
}

bool isName(const std::string& text) {
    try {
        Words words(text);
        return text.find('=') == text.npos && takeName(words) == text;
    } catch (const std::invalid_argument&) {
        return false;
    }
}

std::string nameOfCommand(std::string_view command) {
    Words words(command);
    while (isAssignment(words.peek())) words.take();
    std::string word(words.peek());
    // What the shell does not take for a part of the word, or of what it is replaced by.
    const auto isSyntax = [](char c) {
        return std::string_view("\"'`();&|<>").find(c) != std::string_view::npos;
    };
    word.erase(std::remove_if(word.begin(), word.end(), isSyntax), word.end());
    word.erase(0, word.rfind('/') + 1);
    const bool canBegin = !word.empty() && isPrintable(word) && word.find('=') == word.npos;
    return canBegin ? word : "command";
}

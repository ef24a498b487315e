// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "crontab.hpp"

#include "parsing.hpp"

#include <jtimer/cron.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <utility>

namespace {

constexpr std::array<std::pair<std::string_view, std::string_view>, 8> kWords{{
    {"@reboot", "after 0s"},
    {"@yearly", R"(cron "0 0 1 1 *")"},
    {"@annually", R"(cron "0 0 1 1 *")"},
    {"@monthly", R"(cron "0 0 1 * *")"},
    {"@weekly", R"(cron "0 0 * * 0")"},
    {"@daily", "daily 00:00"},
    {"@midnight", "daily 00:00"},
    {"@hourly", R"(cron "0 * * * *")"},
}};

/// The first five words; empty if there are fewer.
std::string_view firstFive(std::string_view line) {
    std::size_t end = 0;
    for (int words = 0; words < 5; ++words) {
        end = line.find_first_not_of(kBlanks, end);
        if (end == line.npos) return {};
        end = std::min(line.find_first_of(kBlanks, end), line.size());
    }
    return line.substr(0, end);
}

bool isCron(std::string_view text) {
    try {
        static_cast<void>(jtimer::Cron(std::string(text)));
        return true;
    } catch (const std::invalid_argument&) {
        return false;
    }
}

bool isVariable(std::string_view word) {
    const std::size_t equals = word.find('=');
    return equals != word.npos && equals > 0 &&
           std::all_of(
               word.begin(), word.begin() + static_cast<std::ptrdiff_t>(equals),
               [](char c) { return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_'; });
}

}  // namespace

void refuseCrontab(std::string_view line) {
    const std::string_view word = line.substr(0, line.find_first_of(kBlanks));
    for (const auto& [name, instead] : kWords) {
        if (word != name) continue;
        failExpecting("this is a line of a crontab", std::string(instead) + " NAME COMMAND");
    }
    if (isVariable(word)) {
        failExpecting("this is a line of a crontab",
                      "variables in the environment of run_schedule, or in a command");
    }
    const std::string_view five = firstFive(line);
    if (isCron(five)) {
        failExpecting("this is a line of a crontab", "cron " + inQuotes(five) + " NAME COMMAND");
    }
}

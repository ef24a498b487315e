// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "schedule_file.hpp"

#include "parsing.hpp"
#include "schedule_line.hpp"

#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iostream>
#include <map>
#include <stdexcept>
#include <string_view>
#include <utility>

namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
constexpr std::size_t kLongestLine = 1 << 20;
constexpr std::size_t kMostErrors = 100;

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
    std::map<std::string, int> lineOf;  // of each name
    std::string line;
    for (int number = 1; readLine(file, line); ++number) {
        const std::string place = fileName + ':' + std::to_string(number) + ": ";
        if (line.size() > kLongestLine) {
            schedule.errors.push_back(place + "the line is too long: expected at most 1 MiB");
            break;
        }
        if (number == 1 && line.rfind(kByteOrderMark, 0) == 0) line.erase(0, kByteOrderMark.size());
        if (!line.empty() && line.back() == '\r') line.pop_back();
        const std::size_t begin = line.find_first_not_of(" \t");
        if (begin == std::string::npos || line[begin] == '#') continue;
        try {
            Entry entry = parseLine(line);
            entry.place = fileName + ':' + std::to_string(number);
            const auto [known, isNew] = lineOf.emplace(entry.name, number);
            if (!isNew) {
                failExpecting("line " + std::to_string(known->second) + " has the name " +
                                  inQuotes(entry.name) + " too",
                              "another one");
            }
            schedule.entries.push_back(std::move(entry));
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

std::vector<Entry> readSchedule(const std::string& fileName) {
    const bool isInput = fileName == "-";
    const std::string shownName = isInput ? "standard input" : fileName;
    errno = 0;
    std::ifstream opened;
    if (!isInput) opened.open(fileName);
    std::istream& file = isInput ? std::cin : opened;
    Schedule schedule;
    if (file) schedule = parseSchedule(file, shownName);
    // std::cin reports an error as the end of the input.
    if (isInput ? std::ferror(stdin) != 0 : opened.bad() || !opened.is_open()) {
        throw std::runtime_error("run_schedule: cannot read " + shownName + ": " +
                                 std::strerror(errno));
    }
    std::string errors;
    for (const std::string& error : schedule.errors) errors += (errors.empty() ? "" : "\n") + error;
    if (!errors.empty()) throw std::runtime_error(errors);
    if (schedule.entries.empty()) {
        throw std::runtime_error("run_schedule: " + shownName +
                                 " has no task: expected a line such as: every 1m load uptime");
    }
    return std::move(schedule.entries);
}

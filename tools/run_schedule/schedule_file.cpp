// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "schedule_file.hpp"

#include "../text/host_name.hpp"
#include "../text/parsing.hpp"
#include "crontab.hpp"
#include "jitter.hpp"
#include "line_name.hpp"
#include "line_options.hpp"
#include "schedule_line.hpp"
#include "variables.hpp"

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
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

/// Reads one file after another into one schedule.
class Reader {
  public:
    explicit Reader(const Reading& reading) : reading_(reading) {}

    void read(std::istream& file, const std::string& fileName);

    /// \returns the schedule, with a name for each entry
    Schedule finish();

  private:
    bool isCrontab() const { return reading_.format != Format::Schedule; }
    void readText(std::string_view line, const std::string& fileName, int number);
    void add(Entry entry, const std::string& fileName, int number);
    void nameEntries();

    const Reading& reading_;
    Schedule schedule_;
    Variables variables_;  ///< of the file, so far
    std::string above_;    ///< the line above, without blanks at its beginning
    struct Place {
        std::string file;
        int line = 0;
    };
    std::map<std::string, Place> places_;  ///< of each name
};

void Reader::read(std::istream& file, const std::string& fileName) {
    variables_ = {};
    above_.clear();
    const std::size_t errorsBefore = schedule_.errors.size();
    std::string line;
    for (int number = 1; readLine(file, line); ++number) {
        const std::string place = fileName + ':' + std::to_string(number) + ": ";
        if (line.size() > kLongestLine) {
            schedule_.errors.push_back(place + "the line is too long: expected at most 1 MiB");
            break;
        }
        if (number == 1 && line.rfind(kByteOrderMark, 0) == 0) line.erase(0, kByteOrderMark.size());
        if (!line.empty() && line.back() == '\r') line.pop_back();
        try {
            readText(line, fileName, number);
        } catch (const std::invalid_argument& e) {
            schedule_.errors.push_back(place + e.what());
        }
        if (schedule_.errors.size() - errorsBefore == kMostErrors) {
            schedule_.errors.push_back(fileName + ": too many errors: the rest is not read");
            break;
        }
    }
    const std::set<std::string> notices = variables_.notices();
    schedule_.notices.insert(notices.begin(), notices.end());
}

void Reader::readText(std::string_view line, const std::string& fileName, int number) {
    if (isCrontab()) schedule_.lines.push_back({std::string(line), -1});
    const std::string above = std::exchange(above_, {});
    const std::string_view text = Words(line).rest();
    above_ = text;
    if (text.empty() || text.front() == '#') return;
    // A command or a variable with a zero byte could not be passed on.
    if (text.find('\0') != text.npos) failExpecting("the line holds a zero byte", "text");
    if (!isCrontab() && isOption(Words(text).peek()))
        failExpecting(inQuotes(Words(text).peek()) + " begins the line", "options after the time");
    if (variables_.read(text)) return;
    Entry entry = reading_.defaults;
    variables_.giveTo(entry);
    if (isCrontab()) {
        const Crontab crontab(reading_.format == Format::System);
        add(crontab.parse(text, above, variables_.zone(), std::move(entry)), fileName, number);
    } else {
        add(parseLine(text, variables_.zone(), std::move(entry)), fileName, number);
    }
}

void Reader::add(Entry entry, const std::string& fileName, int number) {
    entry.place = fileName + ':' + std::to_string(number);
    if (!entry.name.empty()) {
        const auto [known, isNew] = places_.emplace(entry.name, Place{fileName, number});
        if (!isNew) {
            const Place& place = known->second;
            failExpecting((place.file == fileName ? "line " : place.file + ':') +
                              std::to_string(place.line) + " has the name " + inQuotes(entry.name) +
                              " too",
                          "another one");
        }
    }
    if (isCrontab()) schedule_.lines.back().entry = static_cast<int>(schedule_.entries.size());
    schedule_.entries.push_back(std::move(entry));
}

/// Names the lines of crontabs that have no name, when all other names are known.
void Reader::nameEntries() {
    std::map<std::string, int> counts;
    for (Entry& entry : schedule_.entries) {
        if (!entry.name.empty()) continue;
        const std::string base = nameOfCommand(entry.command);
        int& count = counts[base];
        if (count > 0 && reading_.namesMustLast) {
            schedule_.errors.push_back(entry.place + ": two lines would be called " +
                                       inQuotes(base) +
                                       ": expected \"# run_schedule: NAME\" above each");
        }
        do {
            ++count;
            entry.name = count == 1 ? base : base + '-' + std::to_string(count);
        } while (!isName(entry.name) || !places_.emplace(entry.name, Place{}).second);
    }
}

Schedule Reader::finish() {
    nameEntries();
    const std::string host = hostName();
    for (Entry& entry : schedule_.entries) entry.shift = jitterOf(host, entry.name, entry.jitter);
    return std::move(schedule_);
}

}  // namespace

Schedule parseSchedule(std::istream& file, const std::string& fileName, const Reading& reading) {
    Reader reader(reading);
    reader.read(file, fileName);
    return reader.finish();
}

namespace {

/// \throws std::runtime_error if it cannot be read
void readFile(Reader& reader, const std::string& fileName, const std::string& shownName) {
    const bool isInput = fileName == "-";
    errno = 0;
    std::ifstream opened;
    if (!isInput) opened.open(fileName);
    // libc++ reads a folder as an empty file.
    if (opened.is_open() && std::filesystem::is_directory(fileName)) {
        errno = EISDIR;
        opened.setstate(std::ios::badbit);
    }
    std::istream& file = isInput ? std::cin : opened;
    if (file) reader.read(file, shownName);
    // std::cin reports an error as the end of the input.
    if (isInput ? std::ferror(stdin) != 0 : opened.bad() || !opened.is_open()) {
        throw std::runtime_error("run_schedule: cannot read " + shownName + ": " +
                                 std::strerror(errno));
    }
}

}  // namespace

Schedule readSchedule(const std::vector<std::string>& fileNames, const Reading& reading) {
    std::vector<FileVersion> versions = versionsOf(fileNames);
    Reader reader(reading);
    std::vector<std::string> shownNames;
    for (const std::string& fileName : fileNames) {
        shownNames.push_back(fileName == "-" ? "standard input" : fileName);
        readFile(reader, fileName, shownNames.back());
    }
    Schedule schedule = reader.finish();
    schedule.versions = std::move(versions);
    if (!schedule.errors.empty()) throw std::runtime_error(joined(schedule.errors, "\n"));
    if (schedule.entries.empty()) {
        throw std::runtime_error("run_schedule: " + joined(shownNames, ", ") +
                                 (fileNames.size() == 1 ? " has" : " have") +
                                 " no task: expected a line such as: " +
                                 (reading.format == Format::Schedule  ? "every 1m load uptime"
                                  : reading.format == Format::Crontab ? "*/5 * * * * uptime"
                                                                      : "*/5 * * * * root uptime"));
    }
    return schedule;
}

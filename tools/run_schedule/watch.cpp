// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "watch.hpp"

#include "../text/columns.hpp"
#include "../text/time_text.hpp"
#include "../text/utf8.hpp"
#include "table.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>

#include <sys/ioctl.h>
#include <unistd.h>

namespace {

constexpr const char* kBold = "\x1b[1m";
constexpr const char* kRed = "\x1b[31m";
constexpr const char* kGreen = "\x1b[32m";
constexpr const char* kPlain = "\x1b[m";

std::string stateOf(const Record& record, jtimer::Date now) {
    if (record.runningSince) return "runs " + inWords(now - *record.runningSince);
    if (record.inProgress) return "retries soon";
    if (record.next) return "in " + inWords(*record.next - now);
    return "over";
}

/// As much of `text` as fits, without characters that would move the cursor.
std::string fitted(std::string_view text, std::size_t width) {
    std::string result;
    std::size_t columns = 0;
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        if (beginsCharacter(c) && ++columns > width) break;
        result += byte < 0x20 || byte == 0x7f ? ' ' : c;
    }
    return result;
}

std::string headLine(const std::vector<Record>& records, jtimer::Date now) {
    const auto running = std::count_if(records.begin(), records.end(), [](const Record& record) {
        return record.runningSince.has_value();
    });
    const auto failed = std::count_if(records.begin(), records.end(),
                                      [](const Record& record) { return record.hasFailed; });
    return formatDate(now).substr(0, 19) + "  " + std::to_string(records.size()) + " tasks, " +
           std::to_string(running) + " running, " + std::to_string(failed) + " failed";
}

using Row = std::array<std::string, 6>;

Row rowOf(const Record& record, const LastLines& lastLines, jtimer::Date now) {
    const auto last = lastLines.find(record.name);
    const bool ran = record.lateness.count() > 0;
    return {record.name,
            stateOf(record, now),
            std::to_string(record.lateness.count()),
            std::to_string(record.failures),
            ran ? inMillis(record.lateness.percentile(50)) : "-",
            last == lastLines.end() ? "" : last->second};
}

}  // namespace

std::vector<std::string> watchLines(const std::vector<Record>& records, const LastLines& lastLines,
                                    jtimer::Date now, ScreenSize size) {
    const Row head{"task", "state", "runs", "failures", "lateness p50", "last line"};
    std::vector<Row> table{head};
    for (const Record& record : records) table.push_back(rowOf(record, lastLines, now));
    const std::vector<std::size_t> widths = columnWidths(table);
    const auto line = [&](const Row& cells) {
        std::string text = padded(cells[0], widths[0]) + "  " + padded(cells[1], widths[1]);
        for (std::size_t i = 2; i < 5; ++i) text += "  " + rightAligned(cells[i], widths[i]);
        return fitted(text + "  " + cells[5], size.columns);
    };
    // The cursor stands below the last line.
    const std::size_t room = std::max<std::size_t>(size.rows, 5) - 3;
    const std::size_t shown = records.size() <= room ? records.size() : room - 1;
    std::vector<std::string> lines{fitted(headLine(records, now), size.columns),
                                   kBold + line(head) + kPlain};
    for (std::size_t i = 0; i < shown; ++i) {
        const std::string text = line(table[i + 1]);
        const char* color = records[i].runningSince ? kGreen
                            : records[i].hasFailed  ? kRed
                                                    : nullptr;
        lines.push_back(color == nullptr ? text : color + text + kPlain);
    }
    if (shown < records.size()) {
        lines.push_back("... and " + std::to_string(records.size() - shown) + " more");
    }
    return lines;
}

bool Watch::isPossible(int fd) {
    const char* terminal = std::getenv("TERM");
    return ::isatty(fd) == 1 && terminal != nullptr && std::string_view(terminal) != "dumb" &&
           *terminal != '\0';
}

ScreenSize Watch::size() const {
    winsize size{};
    if (::ioctl(fd_, TIOCGWINSZ, &size) != 0 || size.ws_col == 0 || size.ws_row == 0) return {};
    return {size.ws_col, size.ws_row};
}

void Watch::draw(const std::vector<std::string>& lines) {
    if (lines == drawn_) return;
    std::string text = drawn_.empty() ? "" : "\x1b[" + std::to_string(drawn_.size()) + 'A';
    for (const std::string& line : lines) text += '\r' + line + "\x1b[K\n";
    output_.write(text + "\x1b[J");
    drawn_ = lines;
}

void Watch::clear() {
    if (drawn_.empty()) return;
    output_.write("\x1b[" + std::to_string(drawn_.size()) + "A\r\x1b[J");
    drawn_.clear();
}

void WatchReport::line(jtimer::Date, const std::string& task, Stream, std::string_view text) {
    constexpr std::size_t kMost = 1000;  // more than a terminal shows
    const std::lock_guard lock(mutex_);
    lastLines_[task] = text.substr(0, kMost);
}

void WatchReport::notice(Level, const std::string& text) { tell("run_schedule: " + text); }

void WatchReport::badFiles(const std::string& errors) { tell(errors); }

/// Prints them above the table.
void WatchReport::tell(const std::string& lines) {
    {
        const std::lock_guard lock(mutex_);
        if (isLive_) return notices_.push_back(lines);
    }
    printError(lines);
}

std::optional<std::chrono::milliseconds> WatchReport::refreshment() const {
    return std::chrono::milliseconds(200);
}

void WatchReport::refresh(jtimer::Date now, const std::vector<Record>& records) {
    drawNotices();
    LastLines lastLines;
    {
        const std::lock_guard lock(mutex_);
        lastLines = lastLines_;
    }
    watch_.draw(watchLines(records, lastLines, now, watch_.size()));
}

void WatchReport::endRefreshing() {
    {
        const std::lock_guard lock(mutex_);
        isLive_ = false;
    }
    drawNotices();
    watch_.clear();
}

void WatchReport::drawNotices() {
    std::vector<std::string> notices;
    {
        const std::lock_guard lock(mutex_);
        notices.swap(notices_);
    }
    if (!notices.empty()) watch_.clear();
    for (const std::string& notice : notices) printError(notice);
}

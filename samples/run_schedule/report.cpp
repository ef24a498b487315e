// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "report.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <ctime>
#include <ostream>

using std::chrono::microseconds;

namespace {

/// Columns on a terminal: of a character in UTF-8, only the first byte counts.
std::size_t widthOf(std::string_view text) {
    return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
        return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U;
    }));
}

std::string padded(std::string_view text, std::size_t width) {
    std::string result(text);
    result.append(width - std::min(width, widthOf(text)), ' ');
    return result;
}

std::string rightAligned(std::string_view text, std::size_t width) {
    return std::string(width - std::min(width, text.size()), ' ').append(text);
}

std::size_t widest(const std::vector<std::string>& texts) {
    std::size_t width = 0;
    for (const std::string& text : texts) width = std::max(width, widthOf(text));
    return width;
}

std::string localTime(jtimer::Date time) {
    const auto millis = std::chrono::floor<std::chrono::milliseconds>(time.time_since_epoch());
    const auto seconds = std::chrono::floor<std::chrono::seconds>(millis);
    const auto sinceEpoch = static_cast<std::time_t>(seconds.count());
    std::tm fields{};
    localtime_r(&sinceEpoch, &fields);
    std::array<char, 64> text{};
    const std::size_t length =
        std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%S", &fields);
    std::snprintf(text.data() + length, text.size() - length, ".%03d",
                  static_cast<int>((millis - seconds).count()));
    return text.data();
}

std::string inMillis(microseconds time) {
    std::array<char, 32> text{};
    std::snprintf(text.data(), text.size(), "%lld.%03lld ms",
                  static_cast<long long>(time.count() / 1000),
                  static_cast<long long>(time.count() % 1000));
    return text.data();
}

}  // namespace

void Statistics::add(std::chrono::nanoseconds lateness, bool failed) {
    ++runs_;
    failures_ += failed ? 1 : 0;
    ++countOfLateness_[std::chrono::duration_cast<microseconds>(lateness).count()];
}

microseconds Statistics::medianLateness() const {
    return microseconds((latenessAt((runs_ - 1) / 2) + latenessAt(runs_ / 2)) / 2);
}

microseconds Statistics::worstLateness() const {
    return microseconds(countOfLateness_.rbegin()->first);
}

/// \param rank 0 for the least, runs_ - 1 for the worst
std::int64_t Statistics::latenessAt(std::int64_t rank) const {
    for (const auto& [lateness, count] : countOfLateness_) {
        if (rank < count) return lateness;
        rank -= count;
    }
    return 0;
}

Printer::Printer(std::ostream& out, const std::vector<std::string>& names, Flush flush)
    : out_(out), nameWidth_(widest(names)), flush_(flush) {}

void Printer::line(jtimer::Date time, const std::string& name, std::string_view text) {
    // In one piece, so that a reader at the other end of a pipe never sees half a line.
    std::string line = localTime(time) + ' ' + padded(name, nameWidth_) + "  ";
    line.append(text) += '\n';
    out_ << line;
    if (flush_ == Flush::EachLine) out_.flush();
}

void Printer::table(const std::vector<Row>& rows) {
    const std::array<std::string, 5> head{"task", "runs", "failures", "median lateness",
                                          "worst lateness"};
    std::vector<std::array<std::string, 5>> lines{head};
    for (const auto& [name, statistics] : rows) {
        const bool ran = statistics.runs() > 0;
        lines.push_back({name, std::to_string(statistics.runs()),
                         std::to_string(statistics.failures()),
                         ran ? inMillis(statistics.medianLateness()) : "-",
                         ran ? inMillis(statistics.worstLateness()) : "-"});
    }
    std::array<std::size_t, 5> widths{};
    for (const auto& line : lines) {
        for (std::size_t i = 0; i < line.size(); ++i)
            widths[i] = std::max(widths[i], widthOf(line[i]));
    }
    out_ << '\n';
    for (const auto& line : lines) {
        out_ << padded(line[0], widths[0]);
        for (std::size_t i = 1; i < line.size(); ++i)
            out_ << "  " << rightAligned(line[i], widths[i]);
        out_ << '\n';
    }
    out_.flush();
}

// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "report.hpp"

#include "time_text.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <sstream>

namespace {

std::string padded(std::string_view text, std::size_t width) {
    std::string result(text);
    result.append(width - std::min(width, widthOf(text)), ' ');
    return result;
}

std::string rightAligned(std::string_view text, std::size_t width) {
    return std::string(width - std::min(width, text.size()), ' ').append(text);
}

std::string inMillis(std::chrono::nanoseconds time) {
    std::array<char, 32> text{};
    std::snprintf(text.data(), text.size(), "%lld.%03lld ms",
                  static_cast<long long>(time.count() / 1'000'000),
                  static_cast<long long>(time.count() / 1000 % 1000));
    return text.data();
}

using Cells = std::array<std::string, 5>;

Cells cellsOf(const Printer::Row& row) {
    const jtimer::LatenessHistogram& lateness = row.statistics.lateness;
    const bool ran = lateness.count() > 0;
    return {row.name, std::to_string(lateness.count()), std::to_string(row.statistics.failures),
            ran ? inMillis(lateness.percentile(50)) : "-", ran ? inMillis(lateness.max()) : "-"};
}

}  // namespace

std::size_t widthOf(std::string_view text) {
    // Only the first byte of each character counts.
    return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
        return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U;
    }));
}

void Printer::line(jtimer::Date time, const std::string& name, std::string_view text) {
    std::string line = formatDate(time) + ' ' + padded(name, nameWidth_) + "  ";
    line.append(text) += '\n';
    output_.write(line);
}

void Printer::table(const std::vector<Row>& rows) {
    const Cells head{"task", "runs", "failures", "lateness p50", "lateness max"};
    std::array<std::size_t, head.size()> widths{};
    const auto widen = [&widths](const Cells& cells) {
        for (std::size_t i = 0; i < cells.size(); ++i)
            widths[i] = std::max(widths[i], widthOf(cells[i]));
    };
    const auto print = [this, &widths](const Cells& cells) {
        std::string line = padded(cells[0], widths[0]);
        for (std::size_t i = 1; i < cells.size(); ++i)
            line += "  " + rightAligned(cells[i], widths[i]);
        output_.write(line += '\n');
    };
    widen(head);
    for (const Row& row : rows) widen(cellsOf(row));
    output_.write("\n");
    print(head);
    for (const Row& row : rows) print(cellsOf(row));
    output_.flush();
}

void Printer::stats(const jtimer::TimerStats& stats) {
    std::ostringstream text;
    text << '\n' << stats;
    output_.write(text.str());
    output_.flush();
}

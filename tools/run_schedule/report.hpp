// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "ledger.hpp"
#include "output.hpp"

#include <jtimer/time.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

/// The number of columns that `text`, in UTF-8, takes on a terminal.
std::size_t widthOf(std::string_view text);

/// The width of each column of a table of texts, whose rows all have as many as the first.
template <class Row>
std::vector<std::size_t> columnWidths(const std::vector<Row>& table) {
    std::vector<std::size_t> widths(table.front().size());
    for (const Row& row : table) {
        for (std::size_t i = 0; i < row.size(); ++i)
            widths[i] = std::max(widths[i], widthOf(row[i]));
    }
    return widths;
}

std::string padded(std::string_view text, std::size_t width);
std::string rightAligned(std::string_view text, std::size_t width);

/// `0.123 ms`.
std::string inMillis(std::chrono::nanoseconds time);

/// That an entry does not run, because its time was before the start.
std::string skippedAsPast(const std::string& name, jtimer::Date when);

/// Prints the output of tasks, `2030-01-01T08:00:00.250+01:00 name  text`, and their statistics.
/// Any thread may call any function.
class Printer {
  public:
    explicit Printer(Output& output) : output_(output) {}

    /// Makes room for a name of this width.
    void widen(std::size_t nameWidth);

    void line(jtimer::Date time, const std::string& name, std::string_view text);

    /// \param node has a column, unless it is empty
    void table(const std::vector<Record>& records, const std::string& node = {});

    /// The number of lines that could not be written. It does not wait for one that is being
    /// written.
    std::int64_t lostLines() const { return lostLines_; }

  private:
    void write(std::string_view lines);

    std::mutex mutex_;
    // Guarded by mutex_:
    Output& output_;
    std::size_t nameWidth_ = 0;

    std::atomic<std::int64_t> lostLines_{0};
};

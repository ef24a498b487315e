// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "ledger.hpp"
#include "output.hpp"

#include <jtimer/time.hpp>

#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

/// The size of a terminal, in characters.
struct ScreenSize {
    std::size_t columns = 80, rows = 24;
};

/// What the tasks are doing, one line for each, and a line above with the numbers. No line is wider
/// than the screen, and there are fewer than it has rows.
std::vector<std::string> watchLines(const std::vector<Record>& records, jtimer::Date now,
                                    ScreenSize size);

/// `3.2s`, `12s`, `3m05s`, `2h10m`, `5d03h`.
std::string shortDuration(std::chrono::nanoseconds time);

/// Lines at the bottom of a terminal that are drawn again in place.
class Watch {
  public:
    /// Whether that is possible: `fd` is a terminal that can move its cursor.
    static bool isPossible(int fd);

    explicit Watch(Output& output, int fd) : output_(output), fd_(fd) {}

    ScreenSize size() const;

    /// Draws the lines in the place of the last ones, unless they are the same.
    void draw(const std::vector<std::string>& lines);

    /// Removes the lines.
    void clear();

  private:
    Output& output_;
    const int fd_;
    std::vector<std::string> drawn_;
};

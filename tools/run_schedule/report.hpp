// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "output.hpp"
#include "statistics.hpp"

#include <jtimer/time.hpp>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

/// The number of columns that `text`, in UTF-8, takes on a terminal.
std::size_t widthOf(std::string_view text);

/// Prints the output of tasks, `2030-01-01T08:00:00.250+01:00 name  text`, and their statistics.
class Printer {
  public:
    /// \param nameWidth the width of the widest task name
    Printer(Output& output, std::size_t nameWidth) : output_(output), nameWidth_(nameWidth) {}

    void line(jtimer::Date time, const std::string& name, std::string_view text);

    struct Row {
        const std::string& name;
        const Statistics& statistics;
    };
    void table(const std::vector<Row>& rows);

    /// Prints the timer's statistics, as the library formats them.
    void stats(const jtimer::TimerStats& stats);

  private:
    Output& output_;
    const std::size_t nameWidth_;
};

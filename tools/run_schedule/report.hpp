// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "output.hpp"
#include "statistics.hpp"

#include <jtimer/time.hpp>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

/// How many columns `text`, in UTF-8, takes on a terminal.
std::size_t widthOf(std::string_view text);

/// Prints what tasks say: `2030-01-01T08:00:00.250+01:00 name  text`; and how they have fared.
class Printer {
  public:
    /// \param nameWidth the width of the widest name of a task
    Printer(Output& output, std::size_t nameWidth) : output_(output), nameWidth_(nameWidth) {}

    void line(jtimer::Date time, const std::string& name, std::string_view text);

    struct Row {
        const std::string& name;
        const Statistics& statistics;
    };
    void table(const std::vector<Row>& rows);

    /// How the timer has fared, in the library's own table.
    void stats(const jtimer::TimerStats& stats);

  private:
    Output& output_;
    const std::size_t nameWidth_;
};

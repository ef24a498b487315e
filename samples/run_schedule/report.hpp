// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include <jtimer/timer.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <map>
#include <string>
#include <string_view>
#include <vector>

/// How a task has fared. In microseconds, and counted by value: the memory grows with the number of
/// different values, which stays small, not with the number of runs.
class Statistics {
  public:
    void add(std::chrono::nanoseconds lateness, bool failed);

    std::int64_t runs() const { return runs_; }
    std::int64_t failures() const { return failures_; }
    /// Of an even number of runs, the mean of the middle two. There must have been a run.
    std::chrono::microseconds medianLateness() const;
    std::chrono::microseconds worstLateness() const;

  private:
    std::int64_t latenessAt(std::int64_t rank) const;

    std::int64_t runs_ = 0;
    std::int64_t failures_ = 0;
    std::map<std::int64_t, std::int64_t> countOfLateness_;
};

/// Prints what tasks say: `2030-01-01T08:00:00.250 name  text`.
class Printer {
  public:
    enum class Flush { Never, EachLine };

    /// \param names of all tasks, for the width of their column
    Printer(std::ostream& out, const std::vector<std::string>& names, Flush flush);

    void line(jtimer::Date time, const std::string& name, std::string_view text);

    struct Row {
        std::string name;
        Statistics statistics;
    };
    void table(const std::vector<Row>& rows);

  private:
    std::ostream& out_;
    const std::size_t nameWidth_;
    const Flush flush_;
};

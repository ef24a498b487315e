// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include <jtimer/cluster/task_info.hpp>

#include <chrono>
#include <string>
#include <vector>

/// A table of the tasks: redrawn in place in a terminal, elsewhere a line for each change.
class Table {
  public:
    Table();

    /// \param news what has happened since the last time, each a line
    void show(std::chrono::milliseconds time, const std::vector<jtimer::cluster::TaskInfo>& tasks,
              const std::vector<std::string>& news);

  private:
    void redraw(const std::vector<std::string>& lines);

    const bool isTerminal_;
    std::size_t linesDrawn_ = 0;
    std::vector<std::string> news_;
    std::vector<std::string> before_;
};

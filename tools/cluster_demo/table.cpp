// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "table.hpp"

#include "../cluster/words.hpp"

#include <algorithm>
#include <cstdio>
#include <iostream>
#include <unistd.h>

using jtimer::cluster::TaskInfo;

namespace {

std::string lineOf(const TaskInfo& task) {
    char line[120];
    std::snprintf(line, sizeof line, "  %-6s %-10s %-10s %-9s %s", task.name.c_str(),
                  task.id.c_str(), cluster_tool::nameOf(task.state), task.runningOn.c_str(),
                  task.crashes > 0 ? "taken over" : "");
    return line;
}

std::string seconds(std::chrono::milliseconds time) {
    char text[20];
    std::snprintf(text, sizeof text, "%6.2f s", static_cast<double>(time.count()) / 1000);
    return text;
}

}  // namespace

Table::Table() : isTerminal_(isatty(STDOUT_FILENO) == 1) {}

void Table::show(std::chrono::milliseconds time, const std::vector<TaskInfo>& tasks,
                 const std::vector<std::string>& news) {
    std::vector<std::string> lines;
    lines.reserve(tasks.size());
    for (const TaskInfo& task : tasks) lines.push_back(lineOf(task));
    for (const std::string& each : news) news_.push_back(seconds(time) + "  " + each);
    if (!isTerminal_) {
        for (const std::string& each : news) std::cout << seconds(time) << "  " << each << '\n';
        for (const std::string& line : lines) {
            if (std::find(before_.begin(), before_.end(), line) == before_.end())
                std::cout << seconds(time) << line << '\n';
        }
        std::cout.flush();
        before_ = std::move(lines);
        return;
    }
    lines.insert(lines.begin(), "  task              state      on");
    lines.insert(lines.begin(), seconds(time));
    lines.insert(lines.end(), news_.begin(), news_.end());
    redraw(lines);
}

void Table::redraw(const std::vector<std::string>& lines) {
    // Up to where the last table began, and each line to its end, so that nothing flickers.
    if (linesDrawn_ > 0) std::cout << "\x1b[" << linesDrawn_ << 'A';
    for (const std::string& line : lines) std::cout << line << "\x1b[K\n";
    std::cout << "\x1b[J" << std::flush;
    linesDrawn_ = lines.size();
}

// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.

// What a person does with the tasks of a schedule: --list, --revive and --prune.

#include "../../cluster/words.hpp"
#include "../../text/columns.hpp"
#include "../../text/parsing.hpp"
#include "../../text/time_text.hpp"
#include "../../text/utf8.hpp"
#include "../cluster.hpp"
#include "line_tasks.hpp"
#include "task_name.hpp"

#include <array>
#include <cstddef>
#include <map>
#include <stdexcept>
#include <utility>

using jtimer::cluster::Scheduler;
using jtimer::cluster::State;
using jtimer::cluster::TaskInfo;

namespace {

using Row = std::array<std::string, 5>;

bool hasRun(const TaskInfo& task) { return task.scheduledExecutionTime == kDone; }

std::string stateOf(const TaskInfo& task) {
    const bool isDone = task.state == State::Scheduled && hasRun(task);
    return isDone ? "done" : cluster_tool::nameOf(task.state);
}

Row rowOf(const TaskInfo& task) {
    const bool isDue = task.state != State::Dead && task.state != State::Paused && !hasRun(task);
    const jtimer::Date due =
        task.state == State::Running ? task.scheduledExecutionTime : task.nextAttempt;
    return {inPrintable(task.name), stateOf(task), inPrintable(task.runningOn),
            isDue ? formatDate(due) : "", inPrintable(task.lastError)};
}

std::string line(const Row& row, const std::vector<std::size_t>& widths) {
    std::string text;
    for (std::size_t i = 0; i + 1 < row.size(); ++i)
        text += padded(row[i].empty() ? "-" : row[i], widths[i]) + "  ";
    return text + (row.back().empty() ? "-" : row.back()) + '\n';
}

}  // namespace

std::string listTasks(const Options& options) {
    Scheduler scheduler(clusterOptions(options));
    std::vector<Row> table{{"name", "state", "node", "due", "last error"}};
    for (const TaskInfo& task : allTasks(scheduler)) table.push_back(rowOf(task));
    const std::vector<std::size_t> widths = columnWidths(table);
    std::string text;
    for (const Row& row : table) text += line(row, widths);
    return text;
}

std::string revive(const Options& options) {
    Scheduler scheduler(clusterOptions(options));
    jtimer::cluster::Filter dead;
    dead.state = State::Dead;
    std::string revived;
    for (const TaskInfo& task : allTasks(scheduler, dead)) {
        if (lineNameOf(task.name) != options.revive && task.name != options.revive) continue;
        if (scheduler.reschedule(task.name, task.id, 0))
            revived += inQuotes(task.name) + " is due now\n";
    }
    if (revived.empty()) throw std::runtime_error(inQuotes(options.revive) + " is not dead");
    scheduler.wakeUp();
    return revived;
}

std::string prune(const Options& options, const std::vector<Entry>& entries) {
    std::map<std::string, std::string> ids;
    for (const Entry& entry : entries) ids.emplace(taskNameOf(entry), taskIdOf(entry));
    Scheduler scheduler(clusterOptions(options));
    std::string pruned;
    for (const TaskInfo& task : allTasks(scheduler)) {
        const auto known = ids.find(task.name);
        if (task.state == State::Running || (known != ids.end() && known->second == task.id))
            continue;
        scheduler.cancel(task.name, task.id);
        pruned += inQuotes(task.name) + " is deleted\n";
    }
    return pruned;
}

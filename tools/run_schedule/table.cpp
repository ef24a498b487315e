// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "table.hpp"

#include "../text/columns.hpp"
#include "../text/time_text.hpp"

#include <algorithm>
#include <cstdint>

namespace {

using Cells = std::vector<std::string>;

/// The columns for retries and dropped runs are shown only if there are any.
struct Columns {
    bool retries, skipped;
    std::string node;  ///< empty: no column
};

Cells cellsOf(const Record& record, const Columns& columns) {
    const jtimer::LatenessHistogram& lateness = record.lateness;
    const bool ran = lateness.count() > 0;
    Cells cells{record.name};
    if (!columns.node.empty()) cells.push_back(columns.node);
    cells.push_back(std::to_string(lateness.count()));
    cells.push_back(std::to_string(record.failures));
    if (columns.retries) cells.push_back(std::to_string(record.retries));
    if (columns.skipped) cells.push_back(std::to_string(record.skipped));
    cells.push_back(ran ? inMillis(lateness.percentile(50)) : "-");
    cells.push_back(ran ? inMillis(lateness.max()) : "-");
    return cells;
}

Cells headOf(const Columns& columns) {
    Cells cells{"task"};
    if (!columns.node.empty()) cells.emplace_back("node");
    cells.emplace_back("runs");
    cells.emplace_back("failures");
    if (columns.retries) cells.emplace_back("retries");
    if (columns.skipped) cells.emplace_back("skipped");
    cells.emplace_back("lateness p50");
    cells.emplace_back("lateness max");
    return cells;
}

}  // namespace

std::string inMillis(std::chrono::nanoseconds time) {
    return inDecimal(time.count() / 1000, 3) + " ms";
}

std::string tableOf(const std::vector<Record>& records, const std::string& node) {
    const auto any = [&records](std::int64_t Record::*count) {
        return std::any_of(records.begin(), records.end(),
                           [count](const Record& record) { return record.*count > 0; });
    };
    const Columns columns{any(&Record::retries), any(&Record::skipped), node};
    std::vector<Cells> table{headOf(columns)};
    for (const Record& record : records) table.push_back(cellsOf(record, columns));
    const std::vector<std::size_t> widths = columnWidths(table);
    std::string text;
    for (const Cells& cells : table) {
        text += padded(cells[0], widths[0]);
        for (std::size_t i = 1; i < cells.size(); ++i)
            text.append("  ").append(rightAligned(cells[i], widths[i]));
        text += '\n';
    }
    return text;
}

// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "table.hpp"

#include "../text/columns.hpp"

#include <algorithm>
#include <numeric>

namespace cluster_tool {

namespace {

constexpr std::size_t kGap = 2;

/// No text is cut to less than that, while another one is longer.
constexpr std::size_t kShortest = 8;

/// Makes columns of texts narrower, always the widest one, until the line fits or all are short.
void fit(std::vector<std::size_t>& widths, const std::vector<Column>& columns, std::size_t width) {
    std::size_t line = std::accumulate(widths.begin(), widths.end(), kGap * (widths.size() - 1));
    while (line > width) {
        std::size_t* widest = nullptr;
        for (std::size_t i = 0; i < widths.size(); ++i) {
            const std::size_t least = std::max(kShortest, widthOf(columns[i].head));
            if (columns[i].kind != Column::Kind::Text || widths[i] <= least) continue;
            if (widest == nullptr || widths[i] > *widest) widest = &widths[i];
        }
        if (widest == nullptr) return;
        --*widest;
        --line;
    }
}

std::string lineOf(const std::vector<Column>& columns, const Row& row,
                   const std::vector<std::size_t>& widths) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i) {
        const std::string cell = cutTo(row[i].empty() ? "-" : row[i], widths[i]);
        if (i > 0) line.append(kGap, ' ');
        if (columns[i].kind == Column::Kind::Number) {
            line += rightAligned(cell, widths[i]);
        } else {
            line += i + 1 == row.size() ? cell : padded(cell, widths[i]);
        }
    }
    return line;
}

/// \param width as of tableOf()
std::string linesOf(const std::vector<Column>& columns, const std::vector<Row>& rows,
                    std::optional<std::size_t> width) {
    if (rows.empty()) return {};
    std::vector<std::size_t> widths = columnWidths(rows);
    if (width) fit(widths, columns, *width);
    std::string text;
    for (const Row& row : rows) {
        const std::string line = lineOf(columns, row, widths);
        text += (width ? cutTo(line, *width) : line) + '\n';
    }
    return text;
}

}  // namespace

std::string tableOf(const std::vector<Column>& columns, const std::vector<Row>& rows,
                    std::optional<std::size_t> width) {
    std::vector<Row> all(1);
    for (const Column& column : columns) all.front().push_back(column.head);
    all.insert(all.end(), rows.begin(), rows.end());
    return linesOf(columns, all, width);
}

std::string listOf(const std::vector<Row>& rows, std::optional<std::size_t> width) {
    return linesOf({{"", Column::Kind::Whole}, {"", Column::Kind::Text}}, rows, width);
}

}  // namespace cluster_tool

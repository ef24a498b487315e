// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

/// \file
/// The columns of tables of texts, in UTF-8.

/// The number of columns that `text`, in UTF-8 without control characters, takes on a terminal.
std::size_t widthOf(std::string_view text);

/// `text` if it takes at most that many columns, else its beginning and an ellipsis (U+2026).
std::string cutTo(std::string_view text, std::size_t width);

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

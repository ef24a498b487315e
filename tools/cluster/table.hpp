// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace cluster_tool {

/// A column of a table.
struct Column {
    std::string head;
    enum class Kind {
        Text,    ///< may be cut
        Whole,   ///< such as a time: not cut
        Number,  ///< not cut, and to the right
    } kind = Kind::Text;
};

/// As many texts, without control characters, as there are columns. An empty one is a -.
using Row = std::vector<std::string>;

/// A table for people, each line with its end.
/// \param width the columns of the terminal, beyond which no line goes: texts are cut, the longest
///   first. Nothing: no text is cut.
std::string tableOf(const std::vector<Column>& columns, const std::vector<Row>& rows,
                    std::optional<std::size_t> width);

/// Lines of a name and a value each, aligned.
std::string listOf(const std::vector<Row>& rows, std::optional<std::size_t> width);

}  // namespace cluster_tool

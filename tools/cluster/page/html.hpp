// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

/// \file
/// Text in HTML, and the elements that all pages have. A parameter called html is HTML already; all
/// others are text.

namespace page {

/// `text` for an element or a quoted attribute: what is invisible, or not UTF-8, as \xNN.
std::string escaped(std::string_view text);

/// `text` that others wrote, which keeps its direction to itself.
std::string bdi(std::string_view text);

/// Its beginning, of at most that many columns, on one line.
std::string bdiCut(std::string_view text, std::size_t width);

/// `text` whose lines remain.
std::string preformatted(std::string_view text);

std::string link(std::string_view reference, const std::string& html);

/// A badge: `kind` is a class of the style sheet, which adds a sign and a colour to the words.
std::string badge(std::string_view kind, std::string_view words);

/// A part of a page under a heading, to which a link may lead.
std::string section(const std::string& id, std::string_view heading, const std::string& html);

/// A list of names and values, the latter in HTML.
struct Entry {
    std::string name, html;
};
std::string descriptions(const std::vector<Entry>& entries);

/// A table that scrolls sideways if it is wide. The first cell of each row is its heading.
class Table {
  public:
    struct Column {
        std::string_view head;
        bool isNumber = false;
    };

    /// \param label what the table is of, for those who do not see its heading
    Table(std::string_view label, std::vector<Column> columns);

    /// \param cells in HTML, as many as there are columns
    void add(const std::vector<std::string>& cells);

    bool isEmpty() const { return rows_.empty(); }
    std::string html() const;

  private:
    const std::string label_;
    const std::vector<Column> columns_;
    std::string rows_;
};

}  // namespace page

// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "html.hpp"

#include "../../text/columns.hpp"
#include "../../text/utf8.hpp"
#include "../text.hpp"

#include <algorithm>
#include <utility>

namespace page {

namespace {

/// `text`, which is printable but for the ends of its lines.
std::string inHtml(const std::string& text) {
    std::string html;
    html.reserve(text.size());
    for (const char c : text) {
        switch (c) {
        case '&':
            html += "&amp;";
            break;
        case '<':
            html += "&lt;";
            break;
        case '>':
            html += "&gt;";
            break;
        case '"':
            html += "&quot;";
            break;
        case '\'':
            html += "&#39;";
            break;
        default:
            html += c;
        }
    }
    return html;
}

}  // namespace

std::string escaped(std::string_view text) { return inHtml(inPrintable(text)); }

std::string bdi(std::string_view text) { return "<bdi>" + escaped(text) + "</bdi>"; }

std::string bdiCut(std::string_view text, std::size_t width) {
    std::string line(text);
    std::replace(line.begin(), line.end(), '\n', ' ');
    return "<bdi>" + inHtml(cutTo(inPrintable(line), width)) + "</bdi>";
}

std::string preformatted(std::string_view text) {
    // The first end of a line in this element would be dropped.
    return "<pre tabindex=0>\n<bdi>" + inHtml(cluster_tool::linesForTerminal(std::string(text))) +
           "</bdi></pre>\n";
}

std::string link(std::string_view reference, const std::string& html) {
    return "<a href=\"" + escaped(reference) + "\">" + html + "</a>";
}

std::string badge(std::string_view kind, std::string_view words) {
    return "<span class=\"b " + std::string(kind) + "\">" + escaped(words) + "</span>";
}

std::string section(const std::string& id, std::string_view heading, const std::string& html) {
    return "<section>\n<h2 id=" + id + ">" + escaped(heading) + "</h2>\n" + html + "</section>\n";
}

std::string descriptions(const std::vector<Entry>& entries) {
    std::string html = "<dl>\n";
    for (const Entry& entry : entries)
        html += "<div><dt>" + escaped(entry.name) + "</dt><dd>" + entry.html + "</dd></div>\n";
    return html + "</dl>\n";
}

Table::Table(std::string_view label, std::vector<Column> columns)
    : label_(label), columns_(std::move(columns)) {}

// The ends of rows and cells are left out, as HTML allows: a page has thousands of them.
void Table::add(const std::vector<std::string>& cells) {
    rows_ += "<tr>";
    for (std::size_t i = 0; i < cells.size(); ++i) {
        rows_ += i == 0 ? "<th scope=row>" : "<td>";
        rows_ += cells[i];
    }
    rows_ += '\n';
}

std::string Table::html() const {
    // The style sheet aligns the columns by these classes.
    std::string head, numbers;
    for (std::size_t i = 0; i < columns_.size(); ++i) {
        head += "<th scope=col>" + escaped(columns_[i].head);
        if (columns_[i].isNumber)
            numbers.append(numbers.empty() ? "n" : " n").append(std::to_string(i + 1));
    }
    if (!numbers.empty()) numbers = " class=\"" + numbers + '"';
    return "<div class=scroll role=region tabindex=0 aria-label=\"" + escaped(label_) +
           "\"><table" + numbers + ">\n<thead><tr>" + head + "\n<tbody>\n" + rows_ +
           "</table></div>\n";
}

}  // namespace page

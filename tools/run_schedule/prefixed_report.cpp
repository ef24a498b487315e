// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "prefixed_report.hpp"

#include "../text/columns.hpp"
#include "../text/time_text.hpp"
#include "calendar/local_time.hpp"
#include "table.hpp"

#include <algorithm>

void PrefixedReport::expect(const std::vector<Entry>& entries) {
    std::size_t width = nameWidth_;
    for (const Entry& entry : entries) width = std::max(width, widthOf(entry.name));
    nameWidth_ = width;
}

void PrefixedReport::line(jtimer::Date time, const std::string& task, Stream,
                          std::string_view text) {
    jtimer::detail::lookAtLocalTime();
    std::string line = formatDate(time) + ' ' + padded(task, nameWidth_) + "  ";
    write(line.append(text).append("\n"));
}

void PrefixedReport::event(const Event& event) {
    const bool isUsual = event.kind == Event::Kind::Started || event.kind == Event::Kind::Succeeded;
    if (verbose_ || !isUsual) line(event.time, event.task, Stream::Output, lineOf(event));
}

void PrefixedReport::wouldRun(const Job& job, jtimer::Date time) {
    line(time, job.entry->name, Stream::Output, job.entry->command);
}

void PrefixedReport::notice(Level, const std::string& text) { say(text); }

void PrefixedReport::badFiles(const std::string& errors) { printError(errors); }

void PrefixedReport::summary(jtimer::Date, const std::vector<Record>& records) {
    write('\n' + tableOf(records, node_));
    flush();
}

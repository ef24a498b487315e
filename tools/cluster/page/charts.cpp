// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "charts.hpp"

#include "../../text/time_text.hpp"
#include "../text.hpp"
#include "html.hpp"
#include "times.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <vector>

namespace page {

namespace {

using jtimer::Date;
using jtimer::cluster::Outcome;
using jtimer::cluster::PastRun;
using std::chrono::nanoseconds;
using std::chrono::seconds;

constexpr std::int64_t kMostBuckets = 24;

/// Of a chart, in its own units: the page scales it.
constexpr std::int64_t kBarWidth = 10, kHeight = 40;

/// How long a bucket may be: what people can divide an hour, a day or a year by.
constexpr std::int64_t kWidths[] = {
    1,    2,    5,     10,    15,    30,    60,     120,    300,     600,     900,     1800,
    3600, 7200, 10800, 21600, 43200, 86400, 172800, 604800, 1209600, 2592000, 7776000, 31536000};

enum Ending { kSucceeded, kRetrying, kGivenUp, kLost, kEndings };
constexpr const char* kEndingNames[] = {"Succeeded", "Failed, and retried", "Given up",
                                        "Lost or abandoned"};

Ending endingOf(Outcome outcome) {
    switch (outcome) {
    case Outcome::Succeeded:
        return kSucceeded;
    case Outcome::Retrying:
        return kRetrying;
    case Outcome::GaveUp:
    case Outcome::Dead:
        return kGivenUp;
    case Outcome::Abandoned:
    case Outcome::Lost:
    case Outcome::Fenced:
        break;
    }
    return kLost;
}

struct Bucket {
    std::uint64_t ended[kEndings] = {};
    std::vector<nanoseconds> took, late;
};

struct Buckets {
    std::int64_t first = 0;  ///< when the first begins, in seconds since 1970
    std::int64_t width = 1;  ///< in seconds
    std::vector<Bucket> each;
};

std::int64_t inSeconds(Date date) {
    return std::chrono::floor<seconds>(date.time_since_epoch()).count();
}

/// Aligned to multiples of the width.
Buckets emptyBuckets(std::int64_t first, std::int64_t last) {
    const auto count = [&](std::int64_t width) { return last / width - first / width + 1; };
    const auto* const width =
        std::find_if(std::begin(kWidths), std::end(kWidths) - 1,
                     [&](std::int64_t each) { return count(each) <= kMostBuckets; });
    Buckets buckets{first / *width * *width, *width, {}};
    buckets.each.resize(static_cast<std::size_t>(std::min(count(*width), kMostBuckets)));
    return buckets;
}

Buckets bucketsOf(const std::vector<PastRun>& runs) {
    const auto [first, last] =
        std::minmax_element(runs.begin(), runs.end(), [](const PastRun& a, const PastRun& b) {
            return a.finished < b.finished;
        });
    Buckets buckets = emptyBuckets(inSeconds(first->finished), inSeconds(last->finished));
    for (const PastRun& run : runs) {
        const auto index =
            static_cast<std::size_t>((inSeconds(run.finished) - buckets.first) / buckets.width);
        Bucket& bucket = buckets.each[std::min(index, buckets.each.size() - 1)];
        ++bucket.ended[endingOf(run.outcome)];
        bucket.took.push_back(run.finished - run.started);
        if (run.attempt == 1) bucket.late.push_back(run.started - run.due);
    }
    return buckets;
}

std::string bucketWidthText(const Buckets& buckets) {
    return inCanonicalForm(std::chrono::milliseconds(1000 * buckets.width));
}

/// Bars up to `most`, as a path of their middles; one that is not 0 is visible.
std::string bars(const std::vector<std::int64_t>& values, std::int64_t most) {
    std::string path;
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (values[i] <= 0) continue;
        const auto height = std::max<std::int64_t>(
            1, static_cast<std::int64_t>(static_cast<double>(values[i]) /
                                         static_cast<double>(most) * static_cast<double>(kHeight)));
        path += 'M' + std::to_string(static_cast<std::int64_t>(i) * kBarWidth + kBarWidth / 2) +
                ' ' + std::to_string(kHeight) + 'v' + std::to_string(-height);
    }
    return path;
}

/// \param label all that the chart says, for those who do not see it
std::string svg(const std::string& label, std::size_t buckets, const std::string& paths) {
    const auto bars = static_cast<std::int64_t>(buckets);
    return "<svg role=img aria-label=\"" + escaped(label) + "\" width=\"" +
           std::to_string(bars * 100 / kMostBuckets) + "%\" viewBox=\"0 0 " +
           std::to_string(bars * kBarWidth) + ' ' + std::to_string(kHeight) +
           "\" preserveAspectRatio=none>" + paths + "</svg>\n";
}

std::string chart(const std::string& heading, const std::string& remark, std::size_t buckets,
                  const std::string& paths) {
    return "<figure><figcaption><strong>" + escaped(heading) + "</strong> " + escaped(remark) +
           "</figcaption>\n" + svg(heading + ' ' + remark, buckets, paths) + "</figure>\n";
}

std::string endingFigure(const Buckets& buckets, Ending ending) {
    std::vector<std::int64_t> values;
    std::int64_t sum = 0, most = 0;
    for (const Bucket& bucket : buckets.each) {
        values.push_back(static_cast<std::int64_t>(bucket.ended[ending]));
        sum += values.back();
        most = std::max(most, values.back());
    }
    if (sum == 0) return {};
    const std::string remark = std::to_string(sum) + ", at most " + std::to_string(most) + " in " +
                               bucketWidthText(buckets);
    return chart(std::string(kEndingNames[ending]) + ':', remark, values.size(),
                 "<path class=e" + std::to_string(ending) + " d=\"" + bars(values, most) + "\"/>");
}

nanoseconds longestOf(const std::vector<nanoseconds>& times) {
    return times.empty() ? nanoseconds(0) : *std::max_element(times.begin(), times.end());
}

/// The lower one of an even number.
nanoseconds medianOf(std::vector<nanoseconds> times) {
    if (times.empty()) return nanoseconds(0);
    const auto middle = times.begin() + static_cast<std::ptrdiff_t>((times.size() - 1) / 2);
    std::nth_element(times.begin(), middle, times.end());
    return *middle;
}

std::string timesFigure(const Buckets& buckets, const std::string& heading,
                        std::vector<nanoseconds> Bucket::*times) {
    std::vector<std::int64_t> longest, medians;
    std::vector<nanoseconds> all;
    for (const Bucket& bucket : buckets.each) {
        const std::vector<nanoseconds>& each = bucket.*times;
        longest.push_back(longestOf(each).count());
        medians.push_back(medianOf(each).count());
        all.insert(all.end(), each.begin(), each.end());
    }
    if (all.empty()) return {};
    const std::int64_t most = std::max<std::int64_t>(1, longestOf(all).count());
    const std::string remark =
        "median " + inWords(medianOf(all)) + ", at most " + inWords(longestOf(all));
    return chart(heading, remark, longest.size(),
                 "<path class=longest d=\"" + bars(longest, most) + "\"/><path class=median d=\"" +
                     bars(medians, most) + "\"/>");
}

std::string timesCell(const std::vector<nanoseconds>& times) {
    return times.empty() ? "" : inWords(medianOf(times)) + ", " + inWords(longestOf(times));
}

std::string figuresTable(const Buckets& buckets) {
    Table table("Figures of the charts", {{"From"},
                                          {kEndingNames[kSucceeded], true},
                                          {kEndingNames[kRetrying], true},
                                          {kEndingNames[kGivenUp], true},
                                          {kEndingNames[kLost], true},
                                          {"Took: median, at most", true},
                                          {"Late: median, at most", true}});
    std::int64_t begin = buckets.first;
    for (const Bucket& bucket : buckets.each) {
        const Date date{seconds(begin)};
        begin += buckets.width;
        if (bucket.took.empty()) continue;
        std::vector<std::string> cells{dayAndTime(date)};
        for (const std::uint64_t count : bucket.ended) cells.push_back(std::to_string(count));
        cells.push_back(timesCell(bucket.took));
        cells.push_back(timesCell(bucket.late));
        table.add(cells);
    }
    return "<details><summary>The figures of the charts as a table</summary>\n" + table.html() +
           "</details>\n";
}

}  // namespace

std::string charts(const jtimer::cluster::PastRuns& history) {
    if (history.runs.empty()) return {};
    const Buckets buckets = bucketsOf(history.runs);
    const Date begin{seconds(buckets.first)};
    const Date end = begin + seconds(buckets.width) * static_cast<int>(buckets.each.size());
    std::string html = "<div class=charts>\n";
    for (const Ending ending : {kSucceeded, kRetrying, kGivenUp, kLost})
        html += endingFigure(buckets, ending);
    html += timesFigure(buckets, "Time taken:", &Bucket::took);
    html += timesFigure(buckets, "Late, first attempts:", &Bucket::late);
    return "<p>" + std::string(history.complete ? "The " : "The last ") +
           std::to_string(history.runs.size()) + " runs that were kept, by when they ended: from " +
           dayAndTime(begin) + " to " + dayAndTime(end) + ", each bar " + bucketWidthText(buckets) +
           ".</p>\n" + html + "</div>\n" + figuresTable(buckets);
}

}  // namespace page

// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "report.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdio>

namespace bench {

namespace {

std::string number(double value) {
    char text[32];
    const int decimals = value >= 100 || value == 0 ? 0 : value >= 10 ? 1 : 2;
    std::snprintf(text, sizeof text, "%.*f", decimals, value);
    return text;
}

std::string goal(const Figure& figure, double ratio) {
    if (figure.kind == Figure::Goal::None) return "-";
    const bool isMost = figure.kind == Figure::Goal::AtMost;
    const bool met = isMost ? ratio <= figure.goal : ratio >= figure.goal;
    return (isMost ? "at most " : "") + number(figure.goal) + (met ? ", met" : ", not met");
}

}  // namespace

double quantile(std::vector<double> values, double part) {
    if (values.empty()) return 0;
    std::sort(values.begin(), values.end());
    return values[static_cast<std::size_t>(part * static_cast<double>(values.size() - 1) + 0.5)];
}

void Report::add(const Figure& figure, double ours, double theirs) {
    auto line = std::find_if(lines_.begin(), lines_.end(), [&](const Line& each) {
        return each.figure.what == figure.what && each.figure.beside == figure.beside;
    });
    if (line == lines_.end()) line = lines_.insert(line, {figure, {}, {}, {}});
    line->ours.push_back(ours);
    line->theirs.push_back(theirs);
    line->ratios.push_back(theirs > 0 ? ours / theirs : 0);
    std::fprintf(stderr, "    %s: %s", figure.what.c_str(), number(ours).c_str());
    if (!figure.beside.empty())
        std::fprintf(stderr, "; %s: %s", figure.beside.c_str(), number(theirs).c_str());
    std::fprintf(stderr, "\n");
}

void Report::print() const {
    std::printf("| | what | jtimer | beside | ratio | goal |\n"
                "| --- | --- | --- | --- | --- | --- |\n");
    for (const Line& line : lines_) {
        const Figure& figure = line.figure;
        const double ratio = quantile(line.ratios, 0.5);
        std::string beside = "-", ratios = "-";
        if (!figure.beside.empty()) {
            beside = number(quantile(line.theirs, 0.5)) + " " + figure.beside;
            ratios = number(ratio) + " (" + number(quantile(line.ratios, 0)) + " to " +
                     number(quantile(line.ratios, 1)) + ")";
        }
        std::printf("| %s | %s | %s | %s | %s | %s |\n", figure.workload.c_str(),
                    figure.what.c_str(), number(quantile(line.ours, 0.5)).c_str(), beside.c_str(),
                    ratios.c_str(), goal(figure, ratio).c_str());
    }
}

}  // namespace bench

// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "runner_report.hpp"

#include "runner_plan.hpp"

#include <cmath>
#include <cstdio>
#include <fstream>
#include <iomanip>
#include <iostream>
#include <sstream>
#include <stdexcept>

namespace runner {

namespace {

const std::string kBegin = "<!-- measured: begin -->";
const std::string kEnd = "<!-- measured: end -->";

std::string format(const char* how, double value) {
    char text[64];
    std::snprintf(text, sizeof text, how, value);
    return text;
}

// Three digits, which is more than the spread leaves.
std::string number(double value) {
    const double size = std::fabs(value);
    if (size >= 1e6) return format("%.2fM", value / 1e6);
    if (size >= 1e4) return format("%.1fk", value / 1e3);
    if (size >= 100 || size == 0) return format("%.0f", value);
    return format(size >= 10 ? "%.1f" : "%.2f", value);
}

std::string ratioText(const std::optional<double>& ratio) {
    return ratio ? format("%.2f", *ratio) : "-";
}

std::string spread(const Summary& summary) {
    return number(summary.least) + " to " + number(summary.most);
}

// Median, spread, ratio to the JDK; or why there is none.
std::string cell(const Results& results, const std::string& peer, const Line& line) {
    const auto summary = results.summary(peer, line);
    const std::string trouble = results.trouble(peer, line);
    if (!summary) return trouble.empty() ? "-" : trouble;
    std::string text = number(summary->median) + " (" + spread(*summary) + ")";
    if (peer != kJdk) text += ", " + ratioText(results.ratio(peer, kJdk, line));
    if (!trouble.empty()) text += "; then " + trouble;
    return text;
}

std::string titleOf(const std::string& name) {
    const Peer* peer = findPeer(name);
    return peer == nullptr ? name : peer->title;
}

void row(std::ostream& out, const std::vector<std::string>& cells) {
    for (const std::string& text : cells) out << "| " << text << ' ';
    out << "|\n";
}

void heading(std::ostream& out, const std::vector<std::string>& cells) {
    row(out, cells);
    row(out, std::vector<std::string>(cells.size(), "---"));
}

void writeFacts(std::ostream& out, const Results& results) {
    heading(out, {"", ""});
    for (const auto& fact : results.facts()) row(out, {fact.first, fact.second});
}

void writeFigures(std::ostream& out, const Results& results) {
    out << "\n## Results\n\n"
           "The median of the rounds, the least and the most; and, after the comma, the median of "
           "the\nratios to the JDK's Timer, taken round by round. Below 1 is better than it, in "
           "the "
           "rates too.\n\n";
    std::vector<std::string> cells{"", "parameter", "figure"};
    const auto peers = results.peers();
    for (const std::string& peer : peers) cells.push_back(titleOf(peer));
    heading(out, cells);
    for (const Line& line : results.lines()) {
        cells = {line.workload, line.parameter, line.metric};
        for (const std::string& peer : peers) cells.push_back(cell(results, peer, line));
        row(out, cells);
    }
}

void writeRatios(std::ostream& out, const Results& results, const Goals& goals) {
    out << "\n## jtimer, by each of the others\n\n"
           "The median of the ratios, taken round by round. Below 1, jtimer is the better one. The "
           "goal is for\nthe ratio to the JDK's Timer.\n\n";
    std::vector<std::string> cells{"", "parameter", "figure", "goal"};
    std::vector<std::string> others;
    for (const std::string& peer : results.peers())
        if (findPeer(peer)->only.empty() && peer != kJtimer) others.push_back(peer);
    for (const std::string& peer : others) cells.push_back(titleOf(peer));
    heading(out, cells);
    for (const Line& line : results.lines()) {
        if (!results.summary(kJtimer, line)) continue;
        const auto goal = goals.find(line);
        const auto reached = results.ratio(kJtimer, kJdk, line);
        std::string goalText;
        if (goal != goals.end()) {
            goalText = format("%.2f", goal->second);
            if (reached) goalText += *reached <= goal->second ? ", met" : ", not met";
        }
        cells = {line.workload, line.parameter, line.metric, goalText};
        for (const std::string& peer : others)
            cells.push_back(ratioText(results.ratio(kJtimer, peer, line)));
        row(out, cells);
    }
}

std::string readFile(const std::string& name) {
    std::ifstream input(name);
    if (!input) throw std::runtime_error("cannot read " + name);
    std::ostringstream text;
    text << input.rdbuf();
    return text.str();
}

}  // namespace

Goals readGoals(const std::string& file) {
    std::ifstream input(file);
    if (!input) throw std::runtime_error("cannot read " + file);
    Goals goals;
    for (std::string text; std::getline(input, text);) {
        if (text.empty() || text[0] == '#') continue;
        const auto words = splitAtTabs(text);
        if (words.size() != 4) throw std::runtime_error(file + ": what is this? " + text);
        goals[{words[0], words[1], words[2]}] = std::stod(words[3]);
    }
    return goals;
}

void print(std::ostream& out, const Results& results) {
    for (const auto& fact : results.facts()) out << fact.first << ": " << fact.second << '\n';
    const auto peers = results.peers();
    for (const Line& line : results.lines()) {
        out << '\n' << line.text() << '\n';
        for (const std::string& peer : peers) {
            const auto summary = results.summary(peer, line);
            const std::string trouble = results.trouble(peer, line);
            if (!summary && trouble.empty()) continue;
            out << "    " << std::left << std::setw(16) << peer << std::right;
            if (summary)
                out << std::setw(9) << number(summary->median) << "  (" << spread(*summary) << ")  "
                    << ratioText(results.ratio(peer, kJdk, line)) << " of " << kJdk;
            out << (trouble.empty() ? "" : "  ") << trouble << '\n';
        }
    }
}

void writePage(const std::string& page, const Results& results, const Goals& goals,
               const std::vector<std::string>& pictures) {
    const std::string text = readFile(page);
    const std::size_t begin = text.find(kBegin);
    const std::size_t end = text.find(kEnd);
    if (begin == std::string::npos || end == std::string::npos || end < begin)
        throw std::runtime_error(page + " has no place for the report: " + kBegin + ' ' + kEnd);
    std::ostringstream report;
    writeFacts(report, results);
    writeFigures(report, results);
    writeRatios(report, results, goals);
    for (const std::string& picture : pictures) report << "\n![](" << picture << ")\n";
    std::ofstream output(page);
    output << text.substr(0, begin + kBegin.size()) << "\n\n"
           << report.str() << '\n'
           << text.substr(end);
    if (!output.flush()) throw std::runtime_error("cannot write " + page);
}

}  // namespace runner

// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "runner_pictures.hpp"

#include "runner_plan.hpp"
#include "runner_process.hpp"

#include <cmath>
#include <filesystem>
#include <iostream>
#include <sstream>

namespace runner {

namespace {

struct Point {
    double size;
    double value;
};

std::vector<Point> growth(const Results& results, const std::string& peer, const Line& like) {
    std::vector<Point> points;
    for (const Line& line : results.lines()) {
        if (line.workload != like.workload || line.metric != like.metric) continue;
        const std::size_t space = line.parameter.find(' ');
        if (line.parameter.substr(0, space) != like.parameter) continue;
        if (const auto summary = results.summary(peer, line))
            points.push_back({std::stod(line.parameter.substr(space + 1)), summary->median});
    }
    return points;
}

// Cost against pending tasks, a curve for each peer; `like` names the mode alone.
std::string growthScript(const Results& results, const Line& like, const std::string& title) {
    std::ostringstream data;
    std::ostringstream plot;
    for (const std::string& peer : results.peers()) {
        const auto points = growth(results, peer, like);
        if (points.size() < 2) continue;
        const std::string block = "$curve" + std::to_string(data.tellp());
        data << block << " << END\n";
        for (const Point& point : points) data << point.size << ' ' << point.value << '\n';
        data << "END\n";
        plot << (plot.tellp() > 0 ? ", " : "plot ") << block << " with linespoints lw "
             << (peer == kJtimer ? 3 : 1) << " title '" << findPeer(peer)->title << '\'';
    }
    if (plot.tellp() <= 0) return "";
    return data.str() + "set title '" + title +
           "'\nset logscale xy\nset xlabel 'pending tasks'\nset ylabel 'ns'\n"
           "set format x '10^{%T}'\nset key outside right\nset grid\n" +
           plot.str() + '\n';
}

// The figures that tell most, and the largest of each.
std::vector<Line> mainLines(const Results& results) {
    std::vector<Line> lines;
    for (const Line& line : results.lines()) {
        const std::string mode = line.parameter.substr(0, line.parameter.find(' '));
        if (line.workload == "W7" || line.moreIsBetter()) continue;
        const bool grows = line.workload <= "W2" || mode == "1-producer";
        const bool large = line.parameter == "random 1e6" || line.parameter == "descending 1e5" ||
                           line.parameter == "1-producer 1e5";
        if (!grows || large) lines.push_back(line);
    }
    return lines;
}

// Bars that begin at 1: what points down, jtimer does faster.
std::string ratioScript(const Results& results) {
    std::vector<std::string> others;
    for (const std::string& peer : results.peers())
        if (peer != kJtimer && findPeer(peer)->only.empty()) others.push_back(peer);
    std::ostringstream data;
    bool any = false;
    for (const Line& line : mainLines(results)) {
        data << '"' << line.workload << ' ' << line.parameter << ' ' << line.metric << '"';
        for (const std::string& peer : others) {
            const auto ratio = results.ratio(kJtimer, peer, line);
            any = any || ratio;
            data << ' ' << (ratio ? std::to_string(std::log2(*ratio)) : "NaN");
        }
        data << '\n';
    }
    if (!any) return "";
    std::ostringstream script;
    script << "$ratios << END\n"
           << data.str() << "END\n"
           << "set title 'jtimer by each of the others: bars that point down, jtimer is better'\n"
              "set style data histograms\nset style histogram clustered gap 1\n"
              "set style fill solid 0.8\nset xtics rotate by -40 noenhanced\nset grid y\n"
              "set key outside right\nset xzeroaxis lt -1\nset ytics (";
    for (int power = -8; power <= 8; ++power)
        script << (power > -8 ? ", " : "") << '"' << (power < 0 ? "1/" : "")
               << (1 << std::abs(power)) << "\" " << power;
    script << ")\n";
    for (std::size_t i = 0; i < others.size(); ++i)
        script << (i > 0 ? ", " : "plot ") << "$ratios using " << i + 2
               << (i == 0 ? ":xtic(1)" : "") << " title '" << findPeer(others[i])->title << '\'';
    script << '\n';
    return script.str();
}

}  // namespace

std::vector<std::string> drawPictures(const Results& results, const std::string& folder,
                                      const std::string& gnuplot, const std::string& scratch) {
    const std::vector<std::pair<std::string, std::string>> pictures{
        {"schedule.svg",
         growthScript(results, {"W1", "random", "schedule_ns"}, "W1: a call of schedule")},
        {"pairs.svg",
         growthScript(results, {"W3", "1-producer", "pair_ns"}, "W3: schedule and cancel")},
        {"ratios.svg", ratioScript(results)}};
    std::filesystem::create_directories(folder);
    std::vector<std::string> drawn;
    for (const auto& picture : pictures) {
        if (picture.second.empty()) continue;
        const std::string script = scratch + '/' + picture.first + ".gnuplot";
        std::ofstream(script) << "set terminal svg size 1000,560 background 'white'\nset output '"
                              << folder << '/' << picture.first << "'\n"
                              << picture.second;
        const Outcome outcome =
            runProgram({gnuplot, script}, std::chrono::seconds(60), scratch + "/errors.log");
        if (outcome.trouble.empty()) {
            drawn.push_back(picture.first);
        } else {
            std::cerr << gnuplot << ' ' << outcome.trouble << ": no " << picture.first << ", see "
                      << scratch << "/errors.log\n";
        }
    }
    return drawn;
}

}  // namespace runner

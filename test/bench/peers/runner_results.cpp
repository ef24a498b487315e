// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "runner_results.hpp"

#include "runner_plan.hpp"

#include <algorithm>
#include <set>
#include <sstream>
#include <stdexcept>

namespace runner {

namespace {

double medianOf(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    const std::size_t half = values.size() / 2;
    return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

constexpr const char* kFact = "fact";        // in the place of the round
constexpr const char* kTrouble = "trouble";  // in the place of the metric

}  // namespace

void Results::addFact(const std::string& name, const std::string& value) {
    facts_.emplace_back(name, value);
}

void Results::addValue(int round, const std::string& peer, const Line& line, double value) {
    if (values_.count(line) == 0) order_.push_back(line);
    values_[line][peer][round] = value;
}

void Results::addTrouble(const std::string& peer, const std::string& workload,
                         const std::string& parameter, const std::string& trouble) {
    troubles_[{peer, workload, parameter}] = trouble;
}

std::vector<Line> Results::lines() const {
    std::vector<Line> lines = order_;
    std::stable_sort(lines.begin(), lines.end(),
                     [](const Line& a, const Line& b) { return a.workload < b.workload; });
    return lines;
}

std::vector<std::string> Results::peers() const {
    std::set<std::string> seen;
    for (const auto& line : values_)
        for (const auto& peer : line.second) seen.insert(peer.first);
    for (const auto& trouble : troubles_) seen.insert(std::get<0>(trouble.first));
    std::vector<std::string> peers;
    for (const Peer& peer : allPeers())
        if (seen.count(peer.name) != 0) peers.push_back(peer.name);
    return peers;
}

const Results::Rounds* Results::find(const std::string& peer, const Line& line) const {
    const auto peers = values_.find(line);
    if (peers == values_.end()) return nullptr;
    const auto rounds = peers->second.find(peer);
    return rounds == peers->second.end() ? nullptr : &rounds->second;
}

std::optional<Summary> Results::summary(const std::string& peer, const Line& line) const {
    const Rounds* rounds = find(peer, line);
    if (rounds == nullptr) return std::nullopt;
    std::vector<double> values;
    for (const auto& round : *rounds) values.push_back(round.second);
    const auto ends = std::minmax_element(values.begin(), values.end());
    return Summary{medianOf(values), *ends.first, *ends.second};
}

std::optional<double> Results::ratio(const std::string& peer, const std::string& base,
                                     const Line& line) const {
    const Rounds* above = find(peer, line);
    const Rounds* below = find(base, line);
    if (above == nullptr || below == nullptr) return std::nullopt;
    if (line.moreIsBetter()) std::swap(above, below);
    std::vector<double> ratios;
    for (const auto& round : *above) {
        const auto other = below->find(round.first);
        if (other == below->end()) continue;
        if (round.second <= 0 || other->second <= 0) return std::nullopt;
        ratios.push_back(round.second / other->second);
    }
    if (ratios.empty()) return std::nullopt;
    return medianOf(ratios);
}

std::string Results::trouble(const std::string& peer, const Line& line) const {
    const auto found = troubles_.find({peer, stepOf(line.workload), line.parameter});
    return found == troubles_.end() ? "" : found->second;
}

Recorder::Recorder(Results& results, const std::string& file) : results_(results), file_(file) {
    if (!file_) throw std::runtime_error("cannot write " + file);
}

void Recorder::fact(const std::string& name, const std::string& value) {
    results_.addFact(name, value);
    file_ << kFact << '\t' << name << '\t' << value << std::endl;
}

void Recorder::value(int round, const std::string& peer, const Line& line, double value) {
    results_.addValue(round, peer, line, value);
    file_ << round << '\t' << peer << '\t' << line.workload << '\t' << line.parameter << '\t'
          << line.metric << '\t' << value << std::endl;
}

void Recorder::trouble(int round, const std::string& peer, const std::string& workload,
                       const std::string& parameter, const std::string& trouble) {
    results_.addTrouble(peer, workload, parameter, trouble);
    file_ << round << '\t' << peer << '\t' << workload << '\t' << parameter << '\t' << kTrouble
          << '\t' << trouble << std::endl;
}

Results readResults(const std::string& file) {
    std::ifstream input(file);
    if (!input) throw std::runtime_error("cannot read " + file);
    Results results;
    for (std::string text; std::getline(input, text);) {
        const std::vector<std::string> words = splitAtTabs(text);
        if (words.size() == 3 && words[0] == kFact)
            results.addFact(words[1], words[2]);
        else if (words.size() != 6)
            throw std::runtime_error(file + ": what is this? " + text);
        else if (words[4] == kTrouble)
            results.addTrouble(words[1], words[2], words[3], words[5]);
        else
            results.addValue(std::stoi(words[0]), words[1], {words[2], words[3], words[4]},
                             std::stod(words[5]));
    }
    return results;
}

std::vector<std::string> splitAtTabs(const std::string& text) {
    std::vector<std::string> words;
    std::istringstream input(text);
    for (std::string word; std::getline(input, word, '\t');) words.push_back(word);
    return words;
}

}  // namespace runner

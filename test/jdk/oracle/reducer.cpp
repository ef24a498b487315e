// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "reducer.hpp"

#include <algorithm>
#include <set>

namespace oracle {

namespace {

using Words = std::vector<std::string>;
using LineNumbers = std::set<std::size_t>;

bool mentions(const Words& words, const std::string& name) {
    return std::find(words.begin(), words.end(), name) != words.end();
}

/// Works out which lines can be taken away, and what goes with each.
class Units {
  public:
    explicit Units(const Scenario& scenario) {
        for (const std::string& line : scenario.lines) lines_.push_back(wordsOf(line));
        for (const Words& words : lines_) {
            if (words[0] == "on" && words[3] == "hold") kept_.insert(words[1]);
            if (words[0] == "task" && words[1].compare(0, 4, "keep") == 0) kept_.insert(words[1]);
        }
    }

    std::vector<LineNumbers> all() const {
        std::vector<LineNumbers> units;
        for (std::size_t i = 0; i < lines_.size(); ++i) {
            if (!isKept(lines_[i])) units.push_back(unitOf(i));
        }
        // The large ones first.
        std::stable_sort(units.begin(), units.end(),
                         [](const auto& a, const auto& b) { return a.size() > b.size(); });
        return units;
    }

  private:
    bool isKept(const Words& words) const {
        static const std::set<std::string> waiting{"held", "release", "join", "ran", "sleep"};
        if (waiting.count(words[0]) != 0) return true;
        if (words[0] == "on") return words[3] == "hold";
        if (words[0] == "task") return kept_.count(words[1]) != 0 && isScheduled(words[1]);
        return words[0] == "schedule" && kept_.count(words[2]) != 0;
    }

    bool isScheduled(const std::string& task) const {
        return std::any_of(lines_.begin(), lines_.end(), [&](const Words& words) {
            return words[0] == "schedule" && words[2] == task;
        });
    }

    /// With a timer or a task goes all that names it.
    LineNumbers unitOf(std::size_t i) const {
        LineNumbers unit{i};
        if (lines_[i][0] != "timer" && lines_[i][0] != "task") return unit;
        for (std::size_t j = 0; j < lines_.size(); ++j) {
            if (mentions(lines_[j], lines_[i][1])) unit.insert(j);
        }
        return unit;
    }

    std::vector<Words> lines_;
    std::set<std::string> kept_;
};

Scenario without(const Scenario& scenario, const LineNumbers& numbers) {
    Scenario shorter{scenario.name, {}};
    for (std::size_t i = 0; i < scenario.lines.size(); ++i) {
        if (numbers.count(i) == 0) shorter.lines.push_back(scenario.lines[i]);
    }
    return shorter;
}

/// The scenario without the first n units, the first n/2, n/4, ... and the first alone.
std::vector<Scenario> withoutMany(const Scenario& scenario, const std::vector<LineNumbers>& units) {
    std::vector<Scenario> candidates;
    for (std::size_t n = units.size(); n > 0; n /= 2) {
        LineNumbers numbers;
        for (std::size_t i = 0; i < n; ++i) numbers.insert(units[i].begin(), units[i].end());
        candidates.push_back(without(scenario, numbers));
    }
    return candidates;
}

}  // namespace

Scenario shortest(Scenario scenario, const Judge& differs) {
    // The judge starts a JVM: it is asked about many candidates at a time. First each unit by
    // itself; then as many together as it takes.
    while (true) {
        const std::vector<LineNumbers> units = Units(scenario).all();
        std::vector<Scenario> candidates;
        for (const LineNumbers& unit : units) candidates.push_back(without(scenario, unit));
        const std::vector<bool> alone = differs(candidates);
        std::vector<LineNumbers> needless;
        for (std::size_t i = 0; i < units.size(); ++i) {
            if (alone[i]) needless.push_back(units[i]);
        }
        if (needless.empty()) return scenario;

        candidates = withoutMany(scenario, needless);
        const std::vector<bool> together = differs(candidates);
        const auto best = std::find(together.begin(), together.end(), true);
        if (best == together.end()) return scenario;  // luck has got in: stop here
        scenario = candidates[static_cast<std::size_t>(best - together.begin())];
    }
}

}  // namespace oracle

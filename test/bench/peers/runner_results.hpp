// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include <fstream>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

// What was measured, as it is kept in raw.tsv; and its statistics.

namespace runner {

/// One figure of every peer.
struct Line {
    std::string workload;
    std::string parameter;
    std::string metric;

    bool operator<(const Line& other) const {
        return std::tie(workload, parameter, metric) <
               std::tie(other.workload, other.parameter, other.metric);
    }
    /// Of most figures less is better.
    bool moreIsBetter() const { return metric == "firings_per_s"; }
    std::string text() const { return workload + ' ' + parameter + ' ' + metric; }
};

struct Summary {
    double median = 0;
    double least = 0;
    double most = 0;
};

class Results {
  public:
    /// Facts come in the order in which they were added: the machine, the versions.
    void addFact(const std::string& name, const std::string& value);
    void addValue(int round, const std::string& peer, const Line& line, double value);
    /// Why a peer has no figures of a step, or no more of them.
    void addTrouble(const std::string& peer, const std::string& workload,
                    const std::string& parameter, const std::string& trouble);

    const std::vector<std::pair<std::string, std::string>>& facts() const { return facts_; }
    /// By workload, and then in the order in which they were measured.
    std::vector<Line> lines() const;
    std::vector<std::string> peers() const;
    bool empty() const { return values_.empty(); }

    std::optional<Summary> summary(const std::string& peer, const Line& line) const;
    /// The median of the ratios, taken round by round: the machine's speed at the time falls out.
    /// Below 1, `peer` is the better one. Nothing where one of them is 0 or less.
    std::optional<double> ratio(const std::string& peer, const std::string& base,
                                const Line& line) const;
    std::string trouble(const std::string& peer, const Line& line) const;

  private:
    using Rounds = std::map<int, double>;

    const Rounds* find(const std::string& peer, const Line& line) const;

    std::vector<std::pair<std::string, std::string>> facts_;
    std::vector<Line> order_;
    std::map<Line, std::map<std::string, Rounds>> values_;
    std::map<std::tuple<std::string, std::string, std::string>, std::string> troubles_;
};

/// Adds to both: what is known so far, and the file.
class Recorder {
  public:
    Recorder(Results& results, const std::string& file);
    void fact(const std::string& name, const std::string& value);
    void value(int round, const std::string& peer, const Line& line, double value);
    void trouble(int round, const std::string& peer, const std::string& workload,
                 const std::string& parameter, const std::string& trouble);

  private:
    Results& results_;
    std::ofstream file_;
};

Results readResults(const std::string& file);

std::vector<std::string> splitAtTabs(const std::string& text);

}  // namespace runner
